"""Texts of strangers, such as names, where they harm neither a terminal nor a spreadsheet."""

from __future__ import annotations

KEPT = "\n\xa0\u3000\u200c\u200d"  # what is not printable and yet part of names: blanks, joiners
FORMULA = tuple("=+-@＝＋－＠")  # noqa: RUF001 - some spreadsheets read the wide ones as well


def harmless(text: str, kept: str = "") -> str:
    """Return a text with escapes in the place of all that is not printable, except what is kept.

    Control characters, marks of direction, odd blanks and halves of surrogates are not printable;
    a byte that was no UTF-8 is shown as that byte.
    """
    return "".join(char if char.isprintable() or char in kept else _escape(char) for char in text)


def _escape(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # how "surrogateescape" reads a byte
        code -= 0xDC00
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def spreadsheet_cell(text: str) -> str:
    """Return a text that no spreadsheet evaluates; names stay as they are.

    An apostrophe stands before a text that a spreadsheet would take for a formula.
    """
    text = harmless(text, KEPT)
    return f"'{text}" if text.lstrip().startswith(FORMULA) else text
