"""Libraries that not every installation has: the package's extras install them."""

from __future__ import annotations

from gridhouse.core.errors import GridhouseError


class MissingExtraError(GridhouseError, ImportError):
    """A library is not installed; the message names the extra that installs it."""


def missing(library: str, what: str, extra: str) -> MissingExtraError:
    """Return the error for a library without which something does not work."""
    return MissingExtraError(
        f"{library} is missing; {what} needs the extra {extra}: pip install 'gridhouse[{extra}]'"
    )
