"""The start of the command ``gridhouse``, also as ``python -m gridhouse``."""

import sys

from gridhouse.core.console import run

if sys.version_info < (3, 11):  # noqa: UP036  # the exact programs need less
    sys.exit(f"Gridhouse needs Python 3.11 or later; this is {sys.version.split()[0]}")


def main() -> None:
    """Run the command; an interrupt ends it silently, even during its import."""
    sys.exit(run(command, []))


def command(_: list[str]) -> None:
    """Import the command and run it."""
    from gridhouse.cli import main as gridhouse

    gridhouse()


if __name__ == "__main__":
    main()
