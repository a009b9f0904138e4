"""Positions: named fields of small integers, declared once for each game.

A game's ``rules.py`` declares its position as a class whose attributes are fields::

    class Position(position.Position):
        rows = field("int8")
        board = field("int8", "cells")

Interpreted, a position has plain ``int`` and ``list`` values.  Compiled rules use a NumPy record
type from the same declaration, so every field names a machine type that is wide enough.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar, Literal, Self, overload


# Boards whose arrays have equal capacities share their compiled code.  Most boards have fewer cells
# than the least capacity, which costs a search nothing; thousands of boards at once are compact.
CELLS = "cells"
MIN_CAPACITY = {"actions": 1024, CELLS: 320, "history": 4096, "plies": 1024}


class Field:
    """A declared field: its NumPy type, such as ``"int8"``, and its size.

    ``size`` is ``None`` for a single number, a number for an array of fixed length, and a name
    (``"cells"``) for an array whose length is chosen when a position is made.
    """

    __slots__ = ("dtype", "size")

    def __init__(self, dtype: str, size: int | str | None) -> None:
        """Keep the type and the size."""
        self.dtype = dtype
        self.size = size


if TYPE_CHECKING:  # a type checker sees the value of a field

    @overload
    def field(dtype: Literal["float64"]) -> float: ...  # type: ignore[overload-overlap]
    @overload
    def field(dtype: str) -> int: ...
    @overload
    def field(  # type: ignore[overload-overlap]
        dtype: Literal["float64"], size: int | str
    ) -> list[float]: ...
    @overload
    def field(dtype: str, size: int | str) -> list[int]: ...


def field(dtype: str, size: int | str | None = None) -> object:
    """Declare a field of one number, or of an array of a size."""
    return Field(dtype, size)


def capacity(length: int, size: str = "", *, compact: bool = False) -> int:
    """Return the length of the array of a record for ``length`` integers: 16, 64, 256 and so on.

    Positions of similar sizes then share one record type, for which code is compiled once.
    ``size`` is the name of the size, which can have a minimum; cells have none if ``compact``.
    """
    result = 16 if compact and size == CELLS else MIN_CAPACITY.get(size, 16)
    while result < length:
        result *= 4
    return result


class Position:
    """A position: fields that are zero at first, compared and copied by value."""

    fields: ClassVar[dict[str, Field]] = {}

    def __init_subclass__(cls) -> None:
        """Collect the fields of the subclass in their order, after inherited ones.

        A redeclared field keeps its place.
        """
        own = {name: f for name, f in vars(cls).items() if isinstance(f, Field)}
        cls.fields = {**cls.fields, **own}

    def __init__(self, **capacities: int) -> None:
        """Make an all-zero position; ``capacities`` are the lengths of the named sizes."""
        for name, field in self.fields.items():
            size = capacities[field.size] if isinstance(field.size, str) else field.size
            setattr(self, name, 0 if size is None else [0] * size)

    def copy(self) -> Self:
        """Return an independent copy."""
        other = type(self).__new__(type(self))
        for name, value in vars(self).items():
            setattr(other, name, value[:] if isinstance(value, list) else value)
        return other

    def __eq__(self, other: object) -> bool:
        """Tell whether the other is an equal position of the same game."""
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None  # type: ignore[assignment]  # positions change; their text is the key
