"""Numbers of reports as texts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gridhouse.arena.records import FORFEITS, Termination
from gridhouse.reporting.text import harmless

if TYPE_CHECKING:
    from gridhouse.arena.records import GameRecord
    from gridhouse.arena.statistics import Estimate, Trinomial

MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"  # between points, and in the place of no number
RESULTS = {1.0: f"1{DASH}0", 0.5: f"½{DASH}½", 0.0: f"0{DASH}1"}
# The faults that are counted for each player, and their headings.
FAULTS = {
    Termination.TIME: "Time losses",
    Termination.ILLEGAL: "Illegal moves",
    Termination.CRASH: "Crashes",
    Termination.STALL: "Stalls",
    Termination.DISCONNECTION: "Disconnections",
    Termination.GARBLED: "Wrong answers",
    Termination.RESIGNATION: "Resignations",
}
assert FAULTS.keys() >= FORFEITS


def signed(value: float, digits: int = 0) -> str:
    """Return a number with its sign, "∞" for an infinite one, and a dash for none."""
    if math.isnan(value):
        return DASH
    text = "∞" if math.isinf(value) else f"{abs(value):.{digits}f}"
    is_zero = not text.strip("0.")
    return text if is_zero else f"{MINUS if value < 0 else '+'}{text}"


def interval(low: float, high: float) -> str:
    """Return the bounds of a number."""
    return f"{signed(low)} to {signed(high)}"


def estimate_text(estimate: Estimate) -> str:
    """Return a number and its interval."""
    return f"{signed(estimate.value)} ({interval(estimate.low, estimate.high)})"


def points(value: float) -> str:
    """Return points without needless zeros."""
    return f"{value:.1f}".removesuffix(".0")


def percent(share: float) -> str:
    """Return a share in percent, a dash for none."""
    return DASH if math.isnan(share) else f"{100 * share:.1f} %"


def seconds(value: float | None) -> str:
    """Return the time of a move, a dash for none."""
    if value is None:
        return DASH
    return f"{1000 * value:.3g} ms" if value < 0.9995 else f"{value:.2f} s"


def results(counts: Trinomial) -> str:
    """Return the games won, drawn and lost."""
    return f"{counts.wins} / {counts.draws} / {counts.losses}"


def result(record: GameRecord) -> str:
    """Return the result of a game, a dash for an abandoned one."""
    if not record.is_result:
        return DASH
    return RESULTS.get(record.score, f"{record.score:g}")


def end(record: GameRecord) -> str:
    """Return why a game ended, in words."""
    if record.termination is Termination.RULES:
        return "by the rules"
    return f"{record.termination}: {harmless(record.reason)}".removesuffix(": ")
