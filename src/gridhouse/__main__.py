"""The start of the command ``gridhouse``, also as ``python -m gridhouse``."""

import sys

from gridhouse.core.console import run


def main() -> None:
    """Run the command; an interrupt ends it without a word even while it is being imported."""
    sys.exit(run(command, []))


def command(_: list[str]) -> None:
    """Import the command and run it."""
    from gridhouse.cli import main as gridhouse

    gridhouse()


if __name__ == "__main__":
    main()
