"""In the place of the course's module ``stddraw``: sessions are played in the terminal.

Whatever a program takes from it can be called, and does nothing.
"""

from __future__ import annotations


class _Nothing:
    """What all functions, colours and keys are."""

    def __call__(self, *_: object, **__: object) -> _Nothing:
        return self

    def __getattr__(self, name: str) -> _Nothing:
        return self


def __getattr__(name: str) -> _Nothing:
    """Return what stands for a name of the module."""
    if name.startswith("__"):
        raise AttributeError(name)
    return _Nothing()
