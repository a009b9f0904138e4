"""Who plays whom: players with close scores, and nobody the same opponent twice in a row."""

from __future__ import annotations

from typing import NamedTuple

MAX_STEPS = 500  # of a search for pairs with a given number of repetitions


class FreePlayer(NamedTuple):
    """A player who waits for an opponent.

    ``balance`` is the number of games as the first player less those as the second.  ``opponent``
    is the visitor of the latest game, and ``since`` the time since which the player has waited.
    """

    visitor: str
    points: int = 0
    balance: int = 0
    opponent: str | None = None
    since: int = 0


class Pair(NamedTuple):
    """Two players of a game, in the order of their sides."""

    first: FreePlayer
    second: FreePlayer

    @property
    def repeats(self) -> bool:
        """Tell whether it is the latest game of one of them again."""
        first, second = self
        return first.opponent == second.visitor or second.opponent == first.visitor


def pair_up(players: list[FreePlayer]) -> list[Pair]:
    """Return pairs of all players, but one if their number is odd; few repeat their latest game."""
    ranked = sorted(players, key=lambda player: (-player.points, player.since, player.visitor))
    for repetitions in range(len(ranked) // 2 + 1):
        pairs = Search(ranked).pairs(ranked, repetitions)
        if pairs is not None:
            return pairs
    raise AssertionError("with repetitions everybody can be paired")


class Search:
    """A search for pairs that gives up after MAX_STEPS."""

    def __init__(self, players: list[FreePlayer]) -> None:
        """Note who would repeat a game with whom."""
        self._steps = 0
        self._repeated: dict[str, set[str]] = {player.visitor: set() for player in players}
        for player in players:
            if player.opponent in self._repeated:
                self._repeated[player.visitor].add(player.opponent)
                self._repeated[player.opponent].add(player.visitor)

    def pairs(self, left: list[FreePlayer], repetitions: int) -> list[Pair] | None:
        """Return pairs of the players left with at most so many repetitions, None without any."""
        if len(left) < 2:
            return []
        self._steps += 1
        if self._steps > MAX_STEPS:
            return None
        player = self._next(left)
        others = [other for other in left if other is not player]
        others.sort(key=lambda other: abs(other.points - player.points))
        repeated = self._repeated[player.visitor]
        fresh = [other for other in others if other.visitor not in repeated]
        known = [other for other in others if other.visitor in repeated] if repetitions else []
        for other in fresh + known:
            rest = [one for one in left if one not in (player, other)]
            found = self.pairs(rest, repetitions - (other.visitor in repeated))
            if found is not None:
                return [sides(player, other), *found]
        return (
            self.pairs([one for one in left if one is not player], repetitions)
            if (len(left) % 2)
            else None
        )

    def _next(self, left: list[FreePlayer]) -> FreePlayer:
        """Return the first player, or one who would repeat a game with half of the others.

        As long as nobody is such, everybody can be paired (Dirac's theorem).
        """
        visitors = {player.visitor for player in left}
        counts = [len(self._repeated[player.visitor] & visitors) for player in left]
        most = max(counts)
        return left[counts.index(most)] if 2 * (most + 1) > len(left) else left[0]


def sides(one: FreePlayer, other: FreePlayer) -> Pair:
    """Return a pair in which whoever was first less often is first."""
    return Pair(one, other) if one.balance <= other.balance else Pair(other, one)
