"""NumPy, for modules that do not work without it; the extra ``fast`` installs it."""

from gridhouse.core.extras import missing

try:
    import numpy as np
except ModuleNotFoundError:
    raise missing("NumPy", "this", "fast") from None

__all__ = ["np"]
