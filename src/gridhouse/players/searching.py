"""Players that look ahead: Monte-Carlo tree search, POMCP, alpha-beta, nested rollouts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gridhouse.core.errors import PlayerError
from gridhouse.core.game import State
from gridhouse.players.base import NO_LIMIT, Choice, Limits, Player
from gridhouse.search import alphabeta, mcts, nested, pomcp
from gridhouse.search.engine import SEED_BITS

if TYPE_CHECKING:
    from gridhouse.core.game import Game

PLAIN = 1 << 13  # nodes, or positions of a table, of a search that runs interpreted


def need_players(game: Game, count: int, kind: str) -> None:
    """Raise PlayerError unless the game has so many players."""
    if game.num_players != count:
        raise PlayerError(f"{kind} is for games of {count}; {game.name} has {game.num_players}")


def need_least(kind: str, least: int, **settings: float) -> None:
    """Raise PlayerError for a setting that is less than it has to be."""
    for name, value in settings.items():
        if not value >= least:
            raise PlayerError(f"{kind}: {name}: {value} is not {least} or more")


def squashed(value: int) -> float:
    """Return an evaluation as what is to be expected, from -1 to 1."""
    if abs(value) >= alphabeta.DECIDED:
        return 1.0 if value > 0 else -1.0
    return math.tanh(value / mcts.STEEPNESS)


class MctsPlayer(Player):
    """Monte-Carlo tree search for games of two; see :mod:`gridhouse.search.mcts`.

    ``horizon`` is how many random moves a playout has before the evaluation decides, ``explore``
    the constant of PUCT, ``rave`` how many visits the credit of moves played later is worth.
    Where something is hidden it is an information-set search.  The tree is kept between moves.
    """

    def __init__(
        self,
        game: Game,
        *,
        seed: int = 0,
        explore: float = mcts.EXPLORE,
        horizon: int | None = None,
        rave: float | None = None,
        room: int = 1 << 20,
        **settings: Any,
    ) -> None:
        """Sit down to a game; settings that are not given are the game's own."""
        need_players(game, 2, "mcts")
        need_least("mcts", 1 + game.num_actions, room=room)
        need_least("mcts", 0, explore=explore, horizon=horizon or 0, rave=rave or 0)
        super().__init__(game, seed=seed, **settings)
        tuned = self.engine.evaluation
        self._kernels: Any = self.engine.bind(mcts)
        room = self._room = room if self.engine.jit else max(1 + game.num_actions, min(room, PLAIN))
        self._nodes = self.engine.memory(mcts.Node(), room)
        self._spare: Any = None
        actions = game.num_actions
        tree = mcts.Tree(played=2 * actions, actions=actions, shared=1 if game.can_repeat else room)
        tree.room = room
        tree.ripe = 2
        tree.num_actions = actions
        tree.shares = int(not game.can_repeat)
        tree.explore = explore
        tree.horizon = tuned.HORIZON if horizon is None else horizon
        tree.rave = tuned.RAVE if rave is None else rave
        self._tree = self.engine.memory(tree)
        self._scratch = self.engine.scratch(seed)
        self._last: State | None = None

    def _choose(self, state: State, limits: Limits) -> Choice:
        tree = self._tree[0]
        tree.hidden = state.has_hidden_information()
        if tree.hidden or not self._follow(state):
            self._kernels.plant(self._nodes, tree, state.current_player())
        # A tree of guessed worlds has moves that the true one lacks: it is not to be followed.
        self._last = None if tree.hidden else state.clone()
        root = self.engine.memory(state.position if tree.hidden else state.observation())
        # The first iteration finds the moves: it is run even when there is no time at all.
        done = self._iterate(root, 1)
        with self._clock(self._tree, limits.seconds):
            done += self._iterate(root, limits.work - done)
        child = self._kernels.best_child(self._nodes, mcts.ROOT)
        line = self._line(child)
        return Choice(line[0], self._value(child), line, done)

    def _iterate(self, root: Any, count: int) -> int:
        work = self.engine.memory(self.game.initial_position(0))
        kernels, tree = self._kernels, self._tree[0]
        return int(kernels.iterate(root, work, self._nodes, tree, self._scratch, count))

    def _value(self, child: int) -> float:
        node = self._nodes[child]
        if node.proven != mcts.UNPROVEN:
            return {mcts.WON: 1.0, mcts.LOST: -1.0, mcts.DRAWN: 0.0}[int(node.proven)]
        return float(node.total / max(1, node.visits))

    def _line(self, child: int) -> tuple[int, ...]:
        line: list[int] = []
        while child != mcts.NONE and len(line) < alphabeta.MAX_PLY:
            line.append(int(self._nodes[child].action))
            child = self._kernels.best_child(self._nodes, child)
        return tuple(line)

    def _follow(self, state: State) -> bool:
        """Move the root of the tree to the state, if it comes after the last one."""
        last, self._last = self._last, None
        if last is None or not state.follows(last):
            return False
        at = mcts.ROOT
        for action in state.history()[len(last.history()) :]:
            at = self._kernels.child_of(self._nodes, at, action)
            if at == mcts.NONE:
                return False
        if self._nodes[at].first == mcts.NONE:
            return False
        self._move_root(at)
        return True

    def _move_root(self, at: int) -> None:
        if self._spare is None:
            self._spare = self.engine.memory(mcts.Node(), self._room)
            self._moved = self.engine.table(self._room)
        used = self._kernels.move_root(self._nodes, self._spare, self._moved, at)
        self._nodes, self._spare = self._spare, self._nodes
        self._tree[0].used = used
        self._kernels.forget_shared(self._tree[0])


class PomcpPlayer(Player):
    """Planning over what is seen, for games of two; see :mod:`gridhouse.search.pomcp`.

    ``explore`` is the constant of UCB1.
    """

    def __init__(
        self,
        game: Game,
        *,
        seed: int = 0,
        explore: float = pomcp.EXPLORE,
        room: int = 1 << 20,
        **settings: Any,
    ) -> None:
        """Sit down to a game, with room for so many nodes."""
        need_players(game, 2, "pomcp")
        need_least("pomcp", 1 + game.num_actions, room=room)
        need_least("pomcp", 0, explore=explore)
        super().__init__(game, seed=seed, **settings)
        self._kernels: Any = self.engine.bind(pomcp)
        room = room if self.engine.jit else max(1 + game.num_actions, min(room, PLAIN))
        self._nodes = self.engine.memory(pomcp.Node(), room)
        tree = pomcp.Tree()
        tree.room = room
        tree.explore = explore
        self._tree = self.engine.memory(tree)
        self._scratch = self.engine.scratch(seed)

    def _choose(self, state: State, limits: Limits) -> Choice:
        self._kernels.plant(self._nodes, self._tree[0], state.current_player())
        root = self.engine.memory(state.position)
        # The first iteration finds the moves: it is run even when there is no time at all.
        done = self._iterate(root, 1)
        with self._clock(self._tree, limits.seconds):
            done += self._iterate(root, limits.work - done)
        child = self._nodes[self._kernels.best_child(self._nodes)]
        action = int(child.action)
        return Choice(action, float(child.total / max(1, child.visits)), (action,), done)

    def _iterate(self, root: Any, count: int) -> int:
        work = self.engine.memory(self.game.initial_position(0), 2)
        iterate = self._kernels.iterate
        return int(iterate(root, work, self._nodes, self._tree[0], self._scratch, count))


class AlphaBetaPlayer(Player):
    """Alpha-beta search for games of two; see :mod:`gridhouse.search.alphabeta`.

    Where something is hidden, it searches so many ``worlds`` guessed at random, each with its
    share of the limits, and plays what is best in most of them.
    """

    def __init__(
        self,
        game: Game,
        *,
        seed: int = 0,
        table: int = 1 << 18,
        worlds: int = 4,
        depth: int = 64,
        **settings: Any,
    ) -> None:
        """Sit down to a game, with a table of so many positions and a greatest depth."""
        need_players(game, 2, "alphabeta")
        need_least("alphabeta", 1, table=table, worlds=worlds, depth=depth)
        super().__init__(game, seed=seed, **settings)
        self._kernels: Any = self.engine.bind(alphabeta)
        self._worlds = worlds
        self._depth = depth
        actions = game.num_actions
        self._frames = self.engine.memory(alphabeta.Frame(actions=actions), alphabeta.MAX_PLY)
        table = table if self.engine.jit else min(table, PLAIN)
        self._table = self.engine.memory(alphabeta.Entry(), table)
        control = alphabeta.Control(actions=actions, history=2 * actions)
        control.num_actions = actions
        control.horizon = self.engine.evaluation.HORIZON
        self._memory = self.engine.memory(control)
        self._kernels.clear(self._table, self._memory[0])
        self.engine.playouts.chance.seed(self._memory[0], seed & SEED_BITS)
        self._source = self.engine.scratch(seed)

    def _choose(self, state: State, limits: Limits) -> Choice:
        self._kernels.relax(self._frames, self._memory[0])
        if not state.has_hidden_information():
            seen = State(self.game, state.observation())
            return self._search(seen, limits.seconds, limits.work)
        choices = [self._in_a_world(state, limits) for _ in range(self._worlds)]
        votes = [choice.action for choice in choices]
        best = max(votes, key=votes.count)
        values = [choice.value or 0.0 for choice in choices if choice.action == best]
        work = sum(choice.work for choice in choices)
        return Choice(best, sum(values) / len(values), (best,), work)

    def _in_a_world(self, state: State, limits: Limits) -> Choice:
        """Search a world in which what is hidden has been guessed."""
        world = self.engine.memory(state.position)
        self.engine.rules.resample(world[0], state.current_player(), self._source)
        seconds = None if limits.seconds is None else limits.seconds / self._worlds
        nodes = max(1, limits.work // self._worlds)
        return self._search(self.engine.state(world[0]), seconds, nodes)

    def _search(self, state: State, seconds: float | None, nodes: int) -> Choice:
        line = self.engine.memory(state.position, alphabeta.MAX_PLY + 1)
        self._memory[0].nodes = 0
        self._memory[0].limit = NO_LIMIT
        # Depth 1 is searched in any case, so that there is a move to play.
        found = self._deepen(line, 1, Choice(state.legal_actions()[0]))
        self._memory[0].limit = nodes
        with self._clock(self._memory, seconds):
            for depth in range(2, self._depth + 1):
                found = self._deepen(line, depth, found)
                if self._memory[0].stop or abs(self._frames[0].value) >= alphabeta.DECIDED:
                    break
        return Choice(found.action, found.value, found.line, int(self._memory[0].nodes))

    def _deepen(self, line: Any, depth: int, found: Choice) -> Choice:
        """Search to a depth; return what is best now, of which a stopped search may know enough."""
        window = alphabeta.INFINITE
        value = int(
            self._kernels.search(
                line, self._frames, self._table, self._memory[0], depth, -window, window
            )
        )
        frame = self._frames[0]
        best = tuple(int(action) for action in frame.line[: frame.line_length])
        if not best:
            return found
        return Choice(best[0], squashed(value), best)


class NestedPlayer(Player):
    """Nested rollout search for games of one; see :mod:`gridhouse.search.nested`.

    It searches at level 1, 2 and so on while there is time, the highest again and again, and
    follows the best game it has ever seen.
    """

    def __init__(
        self,
        game: Game,
        *,
        seed: int = 0,
        levels: int = 3,
        horizon: int | None = None,
        **settings: Any,
    ) -> None:
        """Sit down to a game; a game is searched for ``horizon`` plies at most."""
        need_players(game, 1, "nested")
        need_least("nested", 1, levels=levels, horizon=1 if horizon is None else horizon)
        super().__init__(game, seed=seed, **settings)
        self._kernels: Any = self.engine.bind(nested)
        self._levels = levels
        tuned = self.engine.evaluation.HORIZON
        plies = min(tuned, game.rows * game.cols * 8) if horizon is None else horizon
        self._games = self.engine.memory(nested.Game(plies=plies), levels + 1)
        self._work = self.engine.memory(nested.Level(actions=game.num_actions), levels + 1)
        control = nested.Control()
        control.horizon = plies
        self._memory = self.engine.memory(control)
        self._kernels.chance.seed(self._memory[0], seed & SEED_BITS)
        self._plan: tuple[str, int, tuple[int, ...]] = ("", 0, ())

    def _choose(self, state: State, limits: Limits) -> Choice:
        self._memory[0].played = 0
        self._memory[0].limit = limits.work
        text, worth, plan = self._plan
        if text != str(state):
            worth, plan = nested.WORST, ()
        with self._clock(self._memory, limits.seconds):
            level = 1
            while True:
                worth, plan = max((worth, plan), self._search(state, level))
                level = min(level + 1, self._levels)
                if self._memory[0].stop or len(plan) <= 1:
                    break
        # A position may be better than all that can come of it; some move has to be made.
        plan = plan or (state.legal_actions()[0],)
        after = state.clone()
        after.apply_action(plan[0])
        self._plan = (str(after), worth, plan[1:])
        return Choice(plan[0], float(worth), plan, int(self._memory[0].played))

    def _search(self, state: State, level: int) -> tuple[int, tuple[int, ...]]:
        line = self.engine.memory(state.position, self._levels + 1)
        self._kernels.search(line, self._games, self._work, self._memory[0], level, 0)
        best = self._games[level]
        return int(best.worth), tuple(int(action) for action in best.actions[: best.length])


SEARCHES: dict[str, type[Player]] = {
    "alphabeta": AlphaBetaPlayer,
    "mcts": MctsPlayer,
    "nested": NestedPlayer,
    "pomcp": PomcpPlayer,
}
