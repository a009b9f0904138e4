"""The start of the command ``gridhouse``, also as ``python -m gridhouse``."""

import sys

from gridhouse.core.console import EXIT_INTERRUPTED


def main() -> None:
    """Run the command; an interrupt ends it without a word even while it is being imported."""
    try:
        from gridhouse.cli import main as command

        command()
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)


if __name__ == "__main__":
    main()
