"""Texts without the folders of a machine."""

from __future__ import annotations

import re

PATH = re.compile(r"""(?<![\w/\\.])(?:~\w*|[A-Za-z]:)?[/\\](?:[^'"\n:]*[/\\])?([^/\\'"\n:\s]+)""")


def without_folders(text: str) -> str:
    """Return a text with the names of files only, where it has whole paths."""
    return PATH.sub(r"\1", text)
