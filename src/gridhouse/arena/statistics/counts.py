"""How often each result came, of single games or of pairs of games."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING, ClassVar

from gridhouse.core.console import UsageError

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True)
class Counts:
    """The numbers of each result, from the worst for the first player to the best."""

    games_each: ClassVar[int]  # games that make one result

    def __post_init__(self) -> None:
        """Raise UsageError for a negative number."""
        if min(self.numbers) < 0:
            raise UsageError(f"{self}: a number of results is not below 0")

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers, from the worst result to the best; their scores are evenly spaced."""
        return astuple(self)

    @property
    def total(self) -> int:
        """The number of results."""
        return sum(self.numbers)

    @property
    def games(self) -> int:
        """The number of games."""
        return self.total * self.games_each

    @property
    def points(self) -> float:
        """The points of the first player: one a game won, a half a game drawn."""
        return sum(half * number for half, number in enumerate(self.numbers)) / 2

    @property
    def score(self) -> float:
        """The points a game, from 0 to 1; not a number without games."""
        return self.points / self.games if self.games else math.nan

    @property
    def variance(self) -> float:
        """The variance of the score of one result; not a number without games."""
        return self.squares(self.score) / self.total if self.total else math.nan

    def squares(self, score: float) -> float:
        """Return the sum of the squared differences between each result and a score."""
        best = len(self.numbers) - 1
        return sum(number * (half / best - score) ** 2 for half, number in enumerate(self.numbers))

    def plus(self, points: float) -> Self:
        """Return the counts with one more result, given by its points.

        A pair has from 0 to 2 points.  Raises UsageError for points that a result cannot have.
        """
        half = 2 * points
        names = _names(self)
        if half not in range(len(names)):
            raise UsageError(f"{points} points are not the result of {self.games_each} games")
        return self + type(self)(**{names[int(half)]: 1})

    def swapped(self) -> Self:
        """Return the counts as the second player sees them."""
        return type(self)(**dict(zip(_names(self), reversed(self.numbers), strict=True)))

    def __add__(self, other: Self) -> Self:
        """Return the counts of both."""
        sums = map(sum, zip(self.numbers, other.numbers, strict=True))
        return type(self)(**dict(zip(_names(self), sums, strict=True)))


@dataclass(frozen=True, kw_only=True)
class Trinomial(Counts):
    """The losses, draws and wins of the first player in single games."""

    games_each: ClassVar[int] = 1
    losses: int = 0
    draws: int = 0
    wins: int = 0


@dataclass(frozen=True)
class Pentanomial(Counts):
    """The pairs in which the first player had 0, a half, 1, one and a half, or 2 points."""

    games_each: ClassVar[int] = 2
    ll: int = 0
    ld: int = 0
    even: int = 0  # a win and a loss, or two draws
    wd: int = 0
    ww: int = 0


def _names(counts: Counts) -> list[str]:
    return [field.name for field in fields(counts)]
