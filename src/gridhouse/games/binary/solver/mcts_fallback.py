"""A likely move where none can be proved in time: Monte-Carlo tree search in plain Python.

The players' search does the same compiled, for every game; this one is for the exact program,
which starts at once and needs nothing but Python.

What may be played only ever becomes less, so all actions in a random order, each played if it is
still legal when its turn comes, are a uniformly random game.  A move is judged by its own games and
by those in which the same player made it later (RAVE; Gelly and Silver, 2007).
"""

from __future__ import annotations

import math
import random

from gridhouse.games.binary import rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.games.binary.rules import Position

CREDIT = 1000.0  # games of its own after which a move is judged by these as much as by its credit
EXPLORE = 0.1
RIPE = 2  # games through a move after which what it leads to gets moves of its own


class Node:
    """The moves of a position; of each its games, and those in which its player made it later."""

    __slots__ = ("after", "games", "later_games", "later_won", "moves", "places", "total", "won")

    def __init__(self, position: Position) -> None:
        """List the moves."""
        buffer = [0] * (2 * position.rows * position.cols)
        count = rules.legal_actions(position, buffer)
        self.moves = buffer[:count]
        self.places = {move: place for place, move in enumerate(self.moves)}
        self.after: list[Node | None] = [None] * count
        self.total = 0
        self.games = [0] * count
        self.won = [0] * count
        self.later_games = [0] * count
        self.later_won = [0] * count

    def select(self) -> int:
        """Return the place of the move to look at next."""
        best, best_worth = 0, -1.0
        breadth = EXPLORE * math.sqrt(math.log(self.total + 1.0))
        for place, games in enumerate(self.games):
            later = self.later_games[place]
            worth = self.later_won[place] / later if later else 0.5
            if games:
                share = math.sqrt(CREDIT / (3.0 * games + CREDIT))
                worth = share * worth + (1.0 - share) * self.won[place] / games
            worth += breadth / math.sqrt(games + 1.0)
            if worth > best_worth:
                best, best_worth = place, worth
        return best

    def note(self, place: int, played: list[int], is_won: bool) -> None:
        """Note a game through a move, and what its player played from then on."""
        self.total += 1
        self.games[place] += 1
        self.won[place] += is_won
        for move in played:  # each of which was legal here already
            later = self.places[move]
            self.later_games[later] += 1
            self.later_won[later] += is_won


def likely_move(position: Position, goes_on: Callable[[], bool]) -> int:
    """Return the move that most of some random games began with, as many as it ``goes_on``."""
    root = Node(position)
    order = list(root.moves)
    play_through(root, position.copy(), order)
    while goes_on():
        play_through(root, position.copy(), order)
    return max(zip(root.games, root.moves))[1]


def play_through(root: Node, position: Position, order: list[int]) -> None:
    """Play a game to its end and note it in the tree."""
    node: Node | None = root
    path: list[tuple[Node, int]] = []
    played: list[int] = []
    while node is not None and node.moves:
        place = node.select()
        path.append((node, place))
        rules.apply_action(position, node.moves[place])
        played.append(node.moves[place])
        if node.after[place] is None and node.games[place] + 1 >= RIPE:
            node.after[place] = Node(position)
        node = node.after[place]
    random.shuffle(order)
    for action in order:
        if rules.refusal(position, action) == rules.Refusal.NONE:
            rules.apply_action(position, action)
            played.append(action)
    for depth, (node, place) in enumerate(path):
        # Who made the last move has won.
        node.note(place, played[depth::2], bool(len(played) - depth & 1))
