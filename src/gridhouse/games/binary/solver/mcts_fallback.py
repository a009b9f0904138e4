"""Monte-Carlo tree search in plain Python, for moves where none is proved in time.

The exact program starts at once and needs nothing but Python, so it does not use the players'
search, which is compiled.

Actions never become legal again.  So all actions in a random order, each played if it is legal in
its turn, are a uniformly random game.  A move's value comes from its own games and from those in
which the same player made it later (RAVE; Gelly and Silver, 2007).
"""

from __future__ import annotations

import math
import random

from gridhouse.games.binary import rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.games.binary.rules import Position

RAVE_EQUIVALENCE = 1000.0  # games at which a move's own games and its RAVE games weigh the same
EXPLORATION = 0.1
EXPANSION_THRESHOLD = 2  # games through a move before its child gets a node


class Node:
    """The moves of a position: of each, its games, and the games in which it came later (RAVE)."""

    __slots__ = ("children", "games", "index", "moves", "rave_games", "rave_wins", "visits", "wins")

    def __init__(self, position: Position) -> None:
        """List the moves."""
        buffer = [0] * (2 * position.rows * position.cols)
        count = rules.legal_actions(position, buffer)
        self.moves = buffer[:count]
        self.index = {move: place for place, move in enumerate(self.moves)}
        self.children: list[Node | None] = [None] * count
        self.visits = 0
        self.games = [0] * count
        self.wins = [0] * count
        self.rave_games = [0] * count
        self.rave_wins = [0] * count

    def select(self) -> int:
        """Return the index of the move with the highest upper confidence bound."""
        best, best_value = 0, -1.0
        exploration = EXPLORATION * math.sqrt(math.log(self.visits + 1.0))
        for place, games in enumerate(self.games):
            later = self.rave_games[place]
            value = self.rave_wins[place] / later if later else 0.5
            if games:
                weight = math.sqrt(RAVE_EQUIVALENCE / (3.0 * games + RAVE_EQUIVALENCE))
                value = weight * value + (1.0 - weight) * self.wins[place] / games
            value += exploration / math.sqrt(games + 1.0)
            if value > best_value:
                best, best_value = place, value
        return best

    def count(self, place: int, played: list[int], is_won: bool) -> None:
        """Count a game through a move, and the moves that its player made from then on."""
        self.visits += 1
        self.games[place] += 1
        self.wins[place] += is_won
        for move in played:  # each of which was legal here already
            later = self.index[move]
            self.rave_games[later] += 1
            self.rave_wins[later] += is_won


def best_move(position: Position, has_time: Callable[[], bool]) -> int:
    """Return the most visited move after as many games as there is time for, one at least."""
    root = Node(position)
    order = list(root.moves)
    simulate(root, position.copy(), order)
    while has_time():
        simulate(root, position.copy(), order)
    return max(zip(root.games, root.moves))[1]


def simulate(root: Node, position: Position, order: list[int]) -> None:
    """Play a game to its end and count it in the tree."""
    node: Node | None = root
    path: list[tuple[Node, int]] = []
    played: list[int] = []
    while node is not None and node.moves:
        place = node.select()
        path.append((node, place))
        rules.apply_action(position, node.moves[place])
        played.append(node.moves[place])
        if node.children[place] is None and node.games[place] + 1 >= EXPANSION_THRESHOLD:
            node.children[place] = Node(position)
        node = node.children[place]
    random.shuffle(order)
    for action in order:
        if rules.refusal(position, action) == rules.Refusal.NONE:
            rules.apply_action(position, action)
            played.append(action)
    for depth, (node, place) in enumerate(path):
        # The player of the last move has won.
        node.count(place, played[depth::2], bool(len(played) - depth & 1))
