"""Constants to tune, and SPSA: simultaneous perturbation stochastic approximation.

Each iteration changes all constants at once, each up or down by chance, and compares that with the
opposite change.  Whatever the number of constants, two choices of them are compared (Spall,
Multivariate stochastic approximation using a simultaneous perturbation gradient approximation,
1992).  The sequences of steps are those of Spall's Implementation of the simultaneous perturbation
algorithm, 1998, written like fishtest's by what they are in the last iteration.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from gridhouse.core.console import UsageError
from gridhouse.core.notation import parse_number, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

ALPHA = 0.602  # the powers of the number of iterations by which moves and steps shrink
GAMMA = 0.101
STABLE = 0.1  # part of the iterations in which moves shrink little
# How many steps a constant moves in the last iteration if one side wins all; the first moves are
# about two and a half times as long.
RATE = 1.0
MOST = 10**9  # what a constant may be, and its bounds
STEPS = 20  # steps from the lower to the upper bound
FORM = "NAME=START:LOWER:UPPER or NAME=START:LOWER:UPPER:STEP"


@dataclass(frozen=True)
class Constant:
    """A constant of an evaluation, or a setting of a player, with its bounds.

    ``step`` is how far from its value it is tried in the last iteration.
    """

    name: str
    start: float
    lower: float
    upper: float
    step: float
    is_whole: bool

    @classmethod
    def parse(cls, text: str, default: float | None = None) -> Self:
        """Return the constant of a text, ``PUSH=60:0:200`` or ``PUSH=60:0:200:5``.

        Without a start, as in ``PUSH=:0:200``, it starts from the default; without a step it has a
        twentieth of the way between its bounds.  It is whole if its default is, or, without a
        default, if its start and bounds have no decimal point.  Raises UsageError.
        """
        name, _, numbers = text.partition("=")
        first, *rest = numbers.split(":")
        if not name.isidentifier() or len(rest) not in (2, 3):
            raise UsageError(f"{shown(text)}: write a constant as {FORM}")
        start = _number(first, text) if first else default
        if start is None:
            raise UsageError(f"{shown(text)}: {shown(name)} has no default; give its start")
        lower, upper, *steps = (_number(part, text) for part in rest)
        if not lower <= start <= upper or lower == upper:
            raise UsageError(f"{shown(text)}: {start} is not between {lower} and {upper}")
        values = (start, lower, upper) if default is None else (default,)
        is_whole = all(isinstance(value, int) for value in values)
        least = 1 if is_whole else 0
        step = steps[0] if steps else max(least, (upper - lower) / STEPS)
        if not max(least, 1e-9) <= step <= upper - lower:
            raise UsageError(
                f"{shown(text)}: the step must be from {least} to {upper - lower}, and above 0"
            )
        return cls(name, start, lower, upper, step, is_whole)

    def clipped(self, value: float) -> float:
        """Return the nearest value within the bounds."""
        return min(self.upper, max(self.lower, value))

    def setting(self, value: float) -> str:
        """Return the setting of a player's text, ``PUSH=60``, for a value."""
        if self.is_whole:
            return f"{self.name}={math.floor(value + 0.5)}"
        digits = max(1, 2 - math.floor(math.log10(self.step)))
        return f"{self.name}={value:.{digits}f}"


def _number(part: str, text: str) -> float:
    try:
        return parse_number(part, MOST)
    except ValueError as error:
        raise UsageError(f"{shown(text)}: {error}") from None


class Spsa:
    """The values of constants over the iterations, which follow from the gains so far.

    The same seed perturbs in the same way.
    """

    def __init__(self, constants: Sequence[Constant], iterations: int, seed: int = 0) -> None:
        """Begin at the starts."""
        self.constants = constants
        self.iterations = iterations
        self.values = [constant.start for constant in constants]
        self.gains: list[float] = []
        self._seed = seed

    @property
    def is_over(self) -> bool:
        """Whether all iterations are done."""
        return len(self.gains) >= self.iterations

    def trials(self) -> tuple[list[float], list[float]]:
        """Return the two choices of values that the next iteration compares."""
        ahead, back = (
            [
                constant.clipped(value + way * change)
                for constant, value, change in zip(
                    self.constants, self.values, self._changes(), strict=True
                )
            ]
            for way in (1, -1)
        )
        return ahead, back

    def take(self, gain: float) -> None:
        """Move by the gain, from -1 to 1, of the first choice over the second."""
        number, last = len(self.gains) + 1, self.iterations
        delay = STABLE * last
        size = RATE * ((delay + last) / (delay + number)) ** ALPHA / self._scale() ** 2
        self.values = [
            constant.clipped(value + size * gain * change)
            for constant, value, change in zip(
                self.constants, self.values, self._changes(), strict=True
            )
        ]
        self.gains.append(gain)

    def _scale(self) -> float:
        """Return the factor of the next iteration's steps, 1 in the last one."""
        return float((self.iterations / (len(self.gains) + 1)) ** GAMMA)

    def _changes(self) -> list[float]:
        """Return what the next iteration changes each constant by."""
        rng = random.Random(f"{self._seed} {len(self.gains)}")
        scale = self._scale()
        return [rng.choice((-1, 1)) * scale * constant.step for constant in self.constants]
