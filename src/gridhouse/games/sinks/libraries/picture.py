"""In the place of the course's module ``picture``, which belongs to ``stddraw``."""

from stddraw import __getattr__

__all__ = ["__getattr__"]
