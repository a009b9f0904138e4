"""Pictures of positions: the same SVG in a notebook, a file, the docs and a page.

A game's ``view.py`` draws on a :class:`Canvas`.  Every cell and every piece keeps its identifier
from move to move, so that a page can highlight cells and animate pieces.  Colours are variables of
CSS with a light, a dark and a high-contrast set; no information is in the hue alone.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape

from gridhouse.core.errors import ParameterError
from gridhouse.core.notation import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Concatenate, ParamSpec

    P = ParamSpec("P")

CELL = 60  # units of a picture to a cell of a flat board
CACHE_SIZE = 1 << 11  # drawings of each kind in memory: those of a hundred tables
EDGE = 26  # units of the margin around a board, which has the numbers of rows and columns

# The colours of digits, after Okabe and Ito (2008): the colour-blind can distinguish them.
HUES = (
    "#9aa0a6", "#0072b2", "#e69f00", "#009e73", "#cc79a7",
    "#56b4e9", "#d55e00", "#b8a800", "#7a5195", "#8c564b",
)  # fmt: skip

LIGHT = {
    "ground": "#f5f3f9", "board": "#e6e2f0", "line": "#c3bcd6", "ink": "#1d1a3a",
    "faint": "#5f5980",
    "one": "#f3efe4", "one-side": "#cfc6ae", "one-dim": "#b3a98c", "one-ink": "#3b3423",
    "one-edge": "#5a503a",
    "two": "#3d4656", "two-side": "#2b3240", "two-dim": "#1d222c", "two-ink": "#f4f6fa",
    "two-edge": "#717c96",
    "first": "#b5342b", "second": "#1f5fa8", "on-side": "#ffffff",
    "tile": "#dcc79c", "tile-edge": "#a88b4f", "done": "#a9cfa0", "done-edge": "#5d8f52",
    "pit": "#4a4336", "wall": "#8d8672", "wall-dim": "#6b6558", "rim": "#4a4336",
    "shadow": "#2a241826", "ice": "#7fc4ea", "alarm": "#c0392b",
}  # fmt: skip
DARK = LIGHT | {
    "ground": "#14122b", "board": "#272350", "line": "#45407a", "ink": "#f1eefb",
    "faint": "#ada6d2",
    "first": "#e0645b", "second": "#5b9be0", "on-side": "#10131a",
    "tile": "#8a7444", "tile-edge": "#5e4d29", "done": "#4f7f55", "done-edge": "#2f5435",
    "pit": "#050607", "wall": "#555c68", "wall-dim": "#3d434d", "rim": "#8d95a5",
    "one-edge": "#8d8466", "two-edge": "#8793ad", "shadow": "#00000059",
}  # fmt: skip
CONTRAST = LIGHT | {
    "ground": "#ffffff", "board": "#ffffff", "line": "#000000", "ink": "#000000",
    "faint": "#000000",
    "one": "#ffffff", "one-side": "#dddddd", "one-dim": "#bbbbbb", "one-ink": "#000000",
    "one-edge": "#000000",
    "two": "#222222", "two-side": "#111111", "two-dim": "#000000", "two-ink": "#ffffff",
    "two-edge": "#6b6b6b", "rim": "#000000",
    "first": "#a00000", "second": "#0000a0",
    "tile": "#ffffff", "tile-edge": "#000000", "done": "#ffffb0", "done-edge": "#000000",
}  # fmt: skip
THEMES = ("auto", "light", "dark", "contrast")

RULES = """
.gridhouse text { font-family: system-ui, sans-serif; text-anchor: middle;
 dominant-baseline: central; pointer-events: none; }
.gridhouse text:not([fill]) { fill: var(--ink); }
.gridhouse .label:not([fill]) { font-size: 14px; fill: var(--faint); }
.gridhouse .cell { fill: var(--board); stroke: var(--line); stroke-width: 1; }
"""


def _variables(colours: dict[str, str]) -> str:
    return " ".join(f"--{name}: {value};" for name, value in colours.items())


def stylesheet(theme: str = "auto") -> str:
    """Return the CSS of pictures; ``auto`` follows the settings of the reader's system.

    Raises ParameterError for an unknown theme.
    """
    if theme not in THEMES:
        raise ParameterError(f"there is no theme {shown(theme)}; themes are {', '.join(THEMES)}")
    sets = {"auto": LIGHT, "light": LIGHT, "dark": DARK, "contrast": CONTRAST}
    css = f".gridhouse {{ {_variables(sets[theme])} }}"
    if theme == "auto":
        css += f"\n@media (prefers-color-scheme: dark) {{ .gridhouse {{ {_variables(DARK)} }} }}"
        css += f"\n@media (prefers-contrast: more) {{ .gridhouse {{ {_variables(CONTRAST)} }} }}"
    return css + RULES


class Canvas:
    """A picture: its size, its title, and its elements from back to front.

    The names of cells are their numbers in gestures.  The caller that follows a game gives pieces
    their names, see :meth:`gridhouse.core.game.State.picture`.
    """

    def __init__(self, width: float, height: float, title: str) -> None:
        """Begin an empty picture of a size in units; the title describes it."""
        self.width = width
        self.height = height
        self.title = title
        self.facts: dict[str, str] = {}  # attributes of the whole picture for a page
        self._parts: list[str] = []
        self._begun: list[int] = []  # where the groups begin that have not ended yet

    def _add(self, tag: str, text: str, place: dict[str, float], look: dict[str, object]) -> None:
        given = {name: format_number(value) for name, value in place.items()} | look
        self._parts.append(element(tag, escape(text), given))

    def text(self, x: float, y: float, text: str, size: float, **look: object) -> None:
        """Add a text that is centred on a point.

        ``look`` are attributes of SVG: ``class_`` is the class, other underscores are hyphens.
        """
        self._add("text", text, {"x": x, "y": y, "font-size": size}, look)

    def circle(self, x: float, y: float, radius: float, **look: object) -> None:
        """Add a circle around a point."""
        self._add("circle", "", {"cx": x, "cy": y, "r": radius}, look)

    def line(self, x1: float, y1: float, x2: float, y2: float, **look: object) -> None:
        """Add a line between two points."""
        self._add("line", "", {"x1": x1, "y1": y1, "x2": x2, "y2": y2}, look)

    def square(self, x: float, y: float, side: float, rounding: float, **look: object) -> None:
        """Add a square by its upper left corner; ``rounding`` is the radius of its corners."""
        self._add("rect", "", {"x": x, "y": y, "width": side, "height": side, "rx": rounding}, look)

    def begin(
        self,
        cell: int,
        *,
        piece: int | None = None,
        label: str = "",
        cells: Sequence[int] = (),
        **facts: str,
    ) -> None:
        """Begin the group of a cell, or of the piece on it with a name; the label describes it.

        ``cells`` are all cells of a piece that covers several; ``facts`` are further attributes.
        """
        covered = " ".join(map(str, cells))
        self._begin(group_tag(cell, piece, label, covered, **facts))

    def piece(self, cell: int, name: int, drawn: str, **facts: str) -> None:
        """Add the group of a piece of one cell with a :func:`cached` drawing."""
        self._parts.append(group(drawn, cell, name, **facts))

    def gap(self) -> None:
        """Add nothing for a cell without a piece, so that the parts of the next picture agree."""
        self._parts.append("")

    def begin_group(self, **look: object) -> None:
        """Begin a group without a name."""
        self._begin(element("g", None, look))

    def _begin(self, tag: str) -> None:
        self._begun.append(len(self._parts))
        self._parts.append(tag)

    def end(self) -> None:
        """End the last group that was begun."""
        start = self._begun.pop()
        self._parts[start:] = ["\n".join([*self._parts[start:], "</g>"])]

    def paste(self, drawn: str) -> None:
        """Add the elements of a :func:`cached` drawing."""
        self._parts.append(drawn)

    def parts(self) -> tuple[str, ...]:
        """Return the parts of the picture ``inline``, a line or more each.

        In the next picture of a game most are the same.
        """
        return tuple(self._wrapped(role="group"))

    def content(self) -> str:
        """Return all elements without the picture around them."""
        return "\n".join(self._parts)

    def polygon(self, points: Sequence[tuple[float, float]], **look: object) -> None:
        """Add a closed shape through these points."""
        joined = " ".join(f"{format_number(x)},{format_number(y)}" for x, y in points)
        self._add("polygon", "", {}, {"points": joined} | look)

    def svg(self, theme: str = "auto") -> str:
        """Return the whole picture with its style; raise ParameterError for an unknown theme."""
        return "\n".join(self._wrapped(element("style", stylesheet(theme), {}))) + "\n"

    def inline(self, *, named: bool = True) -> str:
        """Return the picture without a style, for a page that has the stylesheet.

        Without ``named``, cells and pieces have no names, so that a page can have several pictures.
        """
        if named:
            return "\n".join(self.parts())
        return re.sub("<g (id|data-cell)=[^>]*>", "<g>", "\n".join(self._wrapped()))

    def _wrapped(self, *style: str, role: str = "img") -> list[str]:
        head, title, ground = frame(self.width, self.height, self.title, role, **self.facts)
        return [head, title, *style, ground, *self._parts, "</svg>"]


@lru_cache(maxsize=CACHE_SIZE)
def frame(wide: float, high: float, title: str, role: str, **facts: str) -> tuple[str, str, str]:
    """Return the start tag of a picture with some attributes, its title and its ground."""
    width, height = format_number(wide), format_number(high)
    head = element("svg", None, {
        "xmlns": "http://www.w3.org/2000/svg", "class": "gridhouse", "role": role,
        "viewBox": f"0 0 {width} {height}", "width": width, "height": height,
    } | facts)  # fmt: skip
    ground = element("rect", "", {"width": width, "height": height, "fill": "var(--ground)"})
    return head, element("title", escape(title), {}), ground


def format_number(value: float) -> str:
    """Return the shortest text of a number with at most two decimal places."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def cached(draw: Callable[Concatenate[Canvas, P], None]) -> Callable[P, str]:
    """Make a function return the elements that it draws, cached by its arguments, for ``paste``.

    Consecutive pictures of a game are nearly the same.
    """

    @lru_cache(maxsize=CACHE_SIZE)
    def drawn(*given: P.args, **named: P.kwargs) -> str:
        canvas = Canvas(0, 0, "")
        draw(canvas, *given, **named)
        return canvas.content()

    return drawn  # type: ignore[return-value]  # the cache does not say what it takes


@lru_cache(maxsize=CACHE_SIZE)
def group(drawn: str, cell: int, piece: int, **facts: str) -> str:
    """Return the group of a piece on a cell, with what is drawn in it."""
    return "\n".join([group_tag(cell, piece, **facts), drawn, "</g>"])


def group_tag(cell: int, piece: int | None, label: str = "", cells: str = "", **facts: str) -> str:
    """Return the start tag of the group of a cell, or of a piece on it."""
    name = f"cell-{cell}" if piece is None else f"piece-{piece}"
    given: dict[str, object] = {"id": name, "data-cell": cell}
    if label:
        given |= {"role": "img", "aria-label": label}  # without a role, a label is not allowed
    if cells:
        given["data-cells"] = cells
    return element("g", None, given | facts)


def element(tag: str, content: str | None, attributes: Mapping[str, object]) -> str:
    """Return an element with a content, or its start tag if the content is None."""
    given = "".join(
        [f' {attribute(name)}="{escape(str(value))}"' for name, value in attributes.items()]
    )
    if content is None:
        return f"<{tag}{given}>"
    return f"<{tag}{given}>{content}</{tag}>" if content else f"<{tag}{given}/>"


@lru_cache(maxsize=CACHE_SIZE)
def attribute(name: str) -> str:
    """Return the name of an attribute that is a Python argument: ``class_``, ``font_size``."""
    return name.rstrip("_").replace("_", "-")


def grid(
    rows: int, cols: int, title: str, *, blank: int = 0, first: int = 0, turned: bool = False
) -> Canvas:
    """Begin the picture of a flat board: the numbers on its margin, rows from the top, no cells.

    The numbers begin with ``first``; the first ``blank`` rows have none.  A board that is turned is
    seen from its top, see :func:`seen`.
    """
    canvas = Canvas(cols * CELL + 2 * EDGE, rows * CELL + 2 * EDGE, title)
    canvas.paste(coordinates(rows, cols, blank, first, turned=turned))
    return canvas


@cached
def coordinates(
    canvas: Canvas, rows: int, cols: int, blank: int, first: int, *, turned: bool
) -> None:
    """Draw the numbers of rows and columns of a flat board."""
    for col in range(cols):
        x, _ = middle(0, cols - 1 - col if turned else col)
        canvas.text(x, EDGE / 2, str(col + first), 14, class_="label")
    for row in range(blank, rows):
        _, y = middle(rows - 1 - row if turned else row, 0)
        canvas.text(EDGE / 2, y, str(row - blank + first), 14, class_="label")


def seen(cell: int, rows: int, cols: int, *, turned: bool) -> tuple[int, int]:
    """Return the row and column at which a cell is drawn, on a board that may be turned."""
    return divmod(rows * cols - 1 - cell if turned else cell, cols)


def middle(row: int, col: int) -> tuple[float, float]:
    """Return the middle of a cell of a flat board."""
    return EDGE + (col + 0.5) * CELL, EDGE + (row + 0.5) * CELL


def square(canvas: Canvas, row: int, col: int, inset: float = 0.0, **look: object) -> None:
    """Add a square that fills a cell up to an inset; with an inset its corners are round."""
    x, y = EDGE + col * CELL + inset, EDGE + row * CELL + inset
    canvas.square(x, y, CELL - 2 * inset, min(2 * inset, 9), **look)


def cells(canvas: Canvas, rows: int, cols: int, labels: list[str], *, turned: bool = False) -> None:
    """Add all cells of a flat board, each with a label that describes it."""
    for cell in range(rows * cols):
        canvas.paste(floor(rows, cols, cell, labels[cell], turned=turned))


@lru_cache(maxsize=CACHE_SIZE)
def floor(rows: int, cols: int, cell: int, label: str, *, turned: bool) -> str:
    """Return the group of a cell of a flat board."""
    row, col = divmod(cell, cols)
    tag = group_tag(cell, None, f"row {row} column {col}: {label}")
    return "\n".join([tag, bare_floor(*seen(cell, rows, cols, turned=turned)), "</g>"])


@cached
def bare_floor(canvas: Canvas, row: int, col: int) -> None:
    """Draw the square of a cell of a flat board."""
    square(canvas, row, col, class_="cell")
