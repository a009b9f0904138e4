"""Positions: named fields of small integers, declared once a game.

A game's ``rules.py`` declares its position as a class whose attributes are fields::

    class Position(position.Position):
        rows = field("int8")
        board = field("int8", "cells")

Interpreted, such a position holds plain ``int`` and ``list`` values.  The same declaration gives
a NumPy record type over which the compiled rules run; for that reason every field names the machine
type that is wide enough for it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar, Literal, Self, overload


# Searches hold few arrays of these sizes, so that room in them is cheap, and copied nowhere.
LEAST_ROOM = {"actions": 1024, "history": 1024, "plies": 1024}


class Field:
    """One declared field: its NumPy type, such as ``"int8"``, and how many numbers it holds.

    ``size`` is ``None`` for a single number, a number for a fixed array, and the name of a
    capacity (``"cells"``) for an array whose length is chosen when a position is made.
    """

    __slots__ = ("dtype", "size")

    def __init__(self, dtype: str, size: int | str | None) -> None:
        """Keep the type and the size."""
        self.dtype = dtype
        self.size = size


if TYPE_CHECKING:  # to a type checker a field is the number, or the list, that it holds

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
    """Declare a field of one number, or of as many as ``size`` says."""
    return Field(dtype, size)


def capacity(length: int, size: str = "") -> int:
    """Return the room that a record has for so many integers: a power of four, 16 or more.

    Positions of like sizes then share one record type, for which everything is compiled once.
    ``size`` is the name of the size, of which a search's arrays have more room.
    """
    room = LEAST_ROOM.get(size, 16)
    while room < length:
        room *= 4
    return room


class Position:
    """The fields of one position, all zero when new; compared and copied by value."""

    fields: ClassVar[dict[str, Field]] = {}

    def __init_subclass__(cls) -> None:
        """Collect the fields that the subclass declares, in their order, after inherited ones.

        One that it declares anew keeps its place.
        """
        own = {name: f for name, f in vars(cls).items() if isinstance(f, Field)}
        cls.fields = {**cls.fields, **own}

    def __init__(self, **capacities: int) -> None:
        """Make an all-zero position; ``capacities`` gives each named size its length."""
        for name, field in self.fields.items():
            size = capacities[field.size] if isinstance(field.size, str) else field.size
            setattr(self, name, 0 if size is None else [0] * size)

    def copy(self) -> Self:
        """Return an equal position that shares nothing with this one."""
        other = type(self).__new__(type(self))
        for name, value in vars(self).items():
            setattr(other, name, value[:] if isinstance(value, list) else value)
        return other

    def __eq__(self, other: object) -> bool:
        """Tell whether the other is a position of the same game with the same fields."""
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None  # type: ignore[assignment]  # positions change; their text is the key
