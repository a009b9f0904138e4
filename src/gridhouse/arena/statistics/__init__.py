"""What the results of games say: Elo differences, sequential tests and ratings.

Results are counted in a ``Trinomial`` (single games) or a ``Pentanomial`` (pairs of games from one
opening, colours swapped).  Games of a pair depend on each other, so pairs must be counted as pairs:
an opening that favours one colour makes most pairs even, and single games would tell too little.
"""

from gridhouse.arena.statistics.counts import Counts, Pentanomial, Trinomial
from gridhouse.arena.statistics.elo import (
    Estimate,
    elo,
    likelihood_of_superiority,
    normalized_elo,
    score_interval,
    to_elo,
    to_score,
)
from gridhouse.arena.statistics.ratings import Rating, Ratings, rate
from gridhouse.arena.statistics.sprt import Sprt, SprtRun, Verdict

__all__ = [
    "Counts",
    "Estimate",
    "Pentanomial",
    "Rating",
    "Ratings",
    "Sprt",
    "SprtRun",
    "Trinomial",
    "Verdict",
    "elo",
    "likelihood_of_superiority",
    "normalized_elo",
    "rate",
    "score_interval",
    "to_elo",
    "to_score",
]
