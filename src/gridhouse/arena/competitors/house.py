"""Players of the house as competitors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.arena.competitors.base import Competitor, Reply
from gridhouse.players import Limits, parse_player

if TYPE_CHECKING:
    from gridhouse.arena.time_control import TimeControl, Turn
    from gridhouse.core.game import Game, State
    from gridhouse.players import Contestant

# A game is taken to go on for so many moves of a side; a larger share of the clock loses games on
# time, a smaller one leaves time unused.
MOVES_LEFT = 25
INCREMENT_SHARE = 0.75
CLOCK_SHARE = 0.5  # the most of the clock for one move
LEAST_SECONDS = 0.001
WARM_UP = Limits(seconds=LEAST_SECONDS, nodes=1, playouts=1)


class HouseCompetitor(Competitor):
    """A player of the house, named by text: ``alphabeta``, ``level:level=5``, ``mcts@2000p``.

    A limit in the text is kept whatever the control of the match.
    """

    def __init__(self, text: str, game: Game) -> None:
        """Read the text and warm the player up; raises PlayerError or ParameterError."""
        self.name = text
        self._game = game
        self._contestant: Contestant = parse_player(text, game)
        # A player compiles, or loads what is compiled, at its first choice; no clock runs yet.
        start = game.new_initial_state()
        if not start.is_terminal():
            self._contestant.player.choose(start, WARM_UP)

    def begin(self, state: State, side: int, number: int) -> None:
        """Make the player anew, so that no game depends on those before it."""
        # Both sides with one seed would err at the same moves.
        self._contestant = parse_player(self.name, state.game, seed=2 * number + side)

    def choose(self, state: State, turn: Turn) -> Reply:
        """Search within the limits."""
        player, own = self._contestant
        choice = player.choose(state, own or limits_of(turn))
        text = state.action_to_string(choice.action)
        return Reply(text, choice.value, choice.work)


def limits_of(turn: Turn) -> Limits:
    """Return the limits of a search for one move."""
    control: TimeControl = turn.control
    if turn.clocks is None:
        return Limits(control.seconds, control.nodes, control.playouts)
    left = turn.clocks[0]
    share = left / MOVES_LEFT + INCREMENT_SHARE * control.increment
    return Limits(seconds=max(LEAST_SECONDS, min(share, CLOCK_SHARE * left)))
