"""Time controls: a clock with increment, a time a move, nodes or playouts a move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from gridhouse.core.errors import ParameterError
from gridhouse.core.notation import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

N = TypeVar("N", int, float)
MARGIN = 0.05  # seconds over a limit that are forgiven: pipes and the scheduler take some
LONGEST_WAIT = 60.0  # seconds for a move without a limit of time, after which a player has stalled
FORMS = "5+0.05 (a clock in seconds), 0.1s, 20000n (nodes) or 2000p (playouts) a move"


@dataclass(frozen=True)
class TimeControl:
    """The limits of a player: a clock, or seconds, nodes or playouts a move.

    ``base`` and ``increment`` are a clock's seconds for the game and for each move; without a clock
    ``base`` is None.  ``margin`` is forgiven at each move.
    """

    base: float | None = None
    increment: float = 0.0
    seconds: float | None = None
    nodes: int | None = None
    playouts: int | None = None
    margin: float = MARGIN

    @classmethod
    def parse(cls, text: str, margin: float = MARGIN) -> TimeControl:
        """Return the control of a text, ``5+0.05``, ``0.1s``, ``20000n``, ``2000p``.

        Raises ParameterError.
        """
        try:
            if text.endswith("s"):
                return cls(seconds=_positive(float(text[:-1])), margin=margin)
            if text.endswith("n"):
                return cls(nodes=_positive(int(text[:-1])), margin=margin)
            if text.endswith("p"):
                return cls(playouts=_positive(int(text[:-1])), margin=margin)
            base, _, increment = text.partition("+")
            extra = float(increment or 0)
            if not 0 <= extra < float("inf"):
                raise ValueError
            return cls(base=_positive(float(base)), increment=extra, margin=margin)
        except ValueError:
            raise ParameterError(f"{shown(text)} is no time control: {FORMS}") from None

    def __str__(self) -> str:
        """Return the text that ``parse`` reads."""
        if self.base is not None:
            return f"{self.base:g}+{self.increment:g}"
        if self.seconds is not None:
            return f"{self.seconds:g}s"
        return f"{self.nodes}n" if self.nodes else f"{self.playouts}p"


def _positive(value: N) -> N:
    if not 0 < value < float("inf"):
        raise ValueError
    return value


@dataclass(frozen=True)
class Turn:
    """What a player may use for one move.

    ``deadline`` is the number of seconds after which the move comes too late; ``clocks`` are the
    seconds left of the player and its opponent, None without a clock.
    """

    control: TimeControl
    deadline: float
    clocks: tuple[float, float] | None = None


class Clocks:
    """The clocks of both sides of a game, if its control has any."""

    def __init__(
        self, control: TimeControl, own: Sequence[TimeControl | None] = (None, None)
    ) -> None:
        """Set both clocks; a side with a control of its own is held to that."""
        self.controls = [mine or control for mine in own]
        self.left = [mine.base or 0.0 for mine in self.controls]

    def turn(self, side: int) -> Turn:
        """Return what a side may use for its next move."""
        control = self.controls[side]
        if control.base is not None:
            return Turn(
                control, self.left[side] + control.margin, (self.left[side], self.left[1 - side])
            )
        if control.seconds is not None:
            return Turn(control, control.seconds + control.margin)
        return Turn(control, LONGEST_WAIT)

    def spend(self, side: int, seconds: float) -> bool:
        """Take the time of a move from a clock; return whether it was within the limits."""
        control = self.controls[side]
        if control.base is not None:
            self.left[side] -= seconds
            if self.left[side] < -control.margin:
                return False
            self.left[side] = max(0.0, self.left[side]) + control.increment
            return True
        return control.seconds is None or seconds <= control.seconds + control.margin
