"""Bots of OpenSpiel as competitors; they need the extra ``openspiel``."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any

from gridhouse.arena.competitors.base import Competitor, Reply
from gridhouse.arena.competitors.house import limits_of
from gridhouse.core.console import UsageError
from gridhouse.core.notation import shown
from gridhouse.search.engine import best_search

if TYPE_CHECKING:
    from gridhouse.arena.time_control import Turn
    from gridhouse.core.game import Game, State

MCTS, ISMCTS, UNIFORM = "mcts", "ismcts", "uniform"
SETTINGS = {
    MCTS: {"simulations": int, "uct_c": float},
    ISMCTS: {"simulations": int, "uct_c": float},
    UNIFORM: {},
}
MOST_SIMULATIONS = 2**31 - 1
LEAST_SIMULATIONS = 2  # the second one looks at a move
SAMPLED_SIMULATIONS = 100  # of a search that knows no clock
UCT_C = 2.0  # as in OpenSpiel's own examples
MEMORY = 1000  # MiB of a search tree


class OpenSpielCompetitor(Competitor):
    """A bot of OpenSpiel: ``openspiel:mcts:simulations=1000,uct_c=2``, ismcts or uniform.

    The searches roll out random games.  Without a number of simulations ``mcts`` uses its limits;
    ``ismcts``, which resamples hidden information, knows no clock and makes 100.  In Sinks ``mcts``
    takes what its side sees for everything, as the searches of the house do.
    """

    def __init__(self, text: str, game: Game) -> None:
        """Read the text and load the game in OpenSpiel; raises UsageError."""
        self.name = text
        self._bot, _, settings = text.removeprefix("openspiel:").partition(":")
        if self._bot not in SETTINGS:
            raise UsageError(f"{shown(text)}: OpenSpiel's bots are {', '.join(SETTINGS)}")
        self._settings = _read(text, self._bot, settings)
        try:
            from gridhouse.adapters import openspiel as adapter
        except ImportError as error:
            raise UsageError(f"{shown(text)}: {error}") from None
        is_hidden = best_search(game) == "pomcp"  # what a side sees cannot be played on from
        if is_hidden and self._bot == MCTS:
            raise UsageError(f"{text}: it has to see everything, which {game} does not allow")
        if game.perfect_information and self._bot == ISMCTS:
            raise UsageError(f"{text}: it is for hidden information, which {game} does not have")
        import pyspiel

        self._adapter, self._pyspiel = adapter, pyspiel
        self._resamples = is_hidden or self._bot == ISMCTS
        parameters = {**game.values, "starts": 1, "open": not self._resamples}
        self._theirs: Any = pyspiel.load_game(adapter.PREFIX + game.name, parameters)
        self._chance = random.Random(0)

    def begin(self, state: State, side: int, number: int) -> None:
        """Seed the bot."""
        del state
        self._chance.seed(2 * number + side)

    def choose(self, state: State, turn: Turn) -> Reply:
        """Search, or draw a move."""
        choose = {MCTS: self._mcts, ISMCTS: self._ismcts, UNIFORM: self._uniform}[self._bot]
        action, value, work = choose(self._seen(state), turn)
        return Reply(state.action_to_string(action), value, work)

    def _seen(self, state: State) -> Any:
        """Return a state of OpenSpiel with what the side to move sees, the rest resampled."""
        theirs = self._theirs.new_initial_state()
        if self._resamples:
            theirs.play = state
            return theirs.resample_from_infostate(state.current_player(), self._chance.random)
        theirs.play = self._adapter.OpenState(state.game, state.observation())
        return theirs

    def _simulations(self, turn: Turn) -> int | None:
        """Return the number of simulations; None for as many as the time allows."""
        limits = limits_of(turn)
        return self._settings.get("simulations") or limits.playouts or limits.nodes

    def _mcts(self, theirs: Any, turn: Turn) -> tuple[int, float | None, int]:
        seed = self._chance.getrandbits(31)
        simulations = self._simulations(turn)
        seconds = -1.0 if simulations else limits_of(turn).seconds
        root = self._searched(theirs, seed, simulations or MOST_SIMULATIONS, seconds)
        if not root.children:  # the time was over too soon, or there was one simulation
            root = self._searched(theirs, seed, LEAST_SIMULATIONS)
        best = root.best_child()
        value = best.total_reward / best.explore_count if best.explore_count else None
        return best.action, value, root.explore_count

    def _searched(
        self, theirs: Any, seed: int, simulations: int, seconds: float | None = -1.0
    ) -> Any:
        """Return the root of a search by simulations; below 0 seconds it has no limit of time."""
        pyspiel = self._pyspiel
        bot = pyspiel.MCTSBot(
            self._theirs,
            pyspiel.RandomRolloutEvaluator(1, seed),
            self._settings.get("uct_c", UCT_C),
            simulations,
            MEMORY,
            False,
            seed,
            False,
            max_wall_clock_time=seconds,
        )
        # Its method step() lets go of Python's lock, and so cannot play a game written in Python.
        return bot.mcts_search(theirs)

    def _ismcts(self, theirs: Any, turn: Turn) -> tuple[int, float | None, int]:
        import numpy as np
        from open_spiel.python.algorithms.ismcts import ISMCTSBot
        from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

        simulations = self._simulations(turn) or SAMPLED_SIMULATIONS
        chance = np.random.RandomState(self._chance.getrandbits(31))
        evaluator = RandomRolloutEvaluator(1, chance)
        uct_c = self._settings.get("uct_c", UCT_C)
        bot = ISMCTSBot(self._theirs, evaluator, uct_c, simulations, random_state=chance)
        bot.set_resampler(
            lambda state, player: state.resample_from_infostate(player, chance.random_sample)
        )
        return int(bot.step(theirs)), None, simulations

    def _uniform(self, theirs: Any, turn: Turn) -> tuple[int, float | None, int]:
        del turn
        seed = self._chance.getrandbits(31)
        bot = self._pyspiel.make_uniform_random_bot(theirs.current_player(), seed)
        return bot.step_with_policy(theirs)[1], None, 0


def _read(text: str, bot: str, listed: str) -> dict[str, Any]:
    """Return the settings of a text, all above 0; raises UsageError."""
    known = SETTINGS[bot]
    settings: dict[str, Any] = {}
    for setting in filter(None, listed.split(",")):
        name, _, value = setting.partition("=")
        if name not in known:
            listing = ", ".join(known) or "none"
            raise UsageError(f"{shown(text)}: there is no setting {shown(name)}: {listing}")
        try:
            settings[name] = known[name](value)
        except ValueError:
            settings[name] = math.nan
        if not 0 < settings[name] <= MOST_SIMULATIONS:
            raise UsageError(f"{shown(text)}: {name} is no number above 0: {shown(value)}")
    return settings
