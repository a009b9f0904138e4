"""Players that look ahead: Monte-Carlo tree search, POMCP, alpha-beta, nested rollouts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from gridhouse.core.errors import PlayerError
from gridhouse.core.game import State
from gridhouse.players.base import NO_LIMIT, Choice, Limits, Player
from gridhouse.search import alphabeta, mcts, montecarlo, nested, pomcp
from gridhouse.search.engine import SEED_BITS

if TYPE_CHECKING:
    from types import ModuleType

    from gridhouse.core.game import Game
    from gridhouse.core.position import Position

N = TypeVar("N", bound=montecarlo.Node)
T = TypeVar("T", bound=montecarlo.Tree)
INTERPRETED_CAPACITY = 1 << 13  # the most nodes or table entries of an interpreted search


def require_players(game: Game, count: int, kind: str) -> None:
    """Raise PlayerError unless the game has this number of players."""
    if game.num_players != count:
        raise PlayerError(f"{kind} is for games of {count}; {game.name} has {game.num_players}")


def require_minimum(kind: str, least: int, **settings: float) -> None:
    """Raise PlayerError for a setting below the minimum."""
    for name, value in settings.items():
        if not value >= least:
            raise PlayerError(f"{kind}: {name}: {value} is not {least} or more")


def expected_result(value: int) -> float:
    """Return the expected result, from -1 to 1, for a value of alpha-beta."""
    if abs(value) >= alphabeta.DECIDED:
        return 1.0 if value > 0 else -1.0
    return math.tanh(value / montecarlo.VALUE_SCALE)


class _TreePlayer(Player, Generic[N, T]):
    """A player that searches a tree of nodes in memory."""

    def _make_memory(self, kernels: ModuleType, node: N, tree: T, work: int, seed: int) -> None:
        """Make the memory of a search whose kernels work on ``work`` positions at once."""
        self._kernels = self.engine.specialize(kernels)
        self._nodes = self.engine.memory(node, tree.capacity)
        self._tree = self.engine.memory(tree)[0]
        self._work = self.engine.memory(self.game.initial_position(0), work)
        self._scratch = self.engine.scratch(seed)

    def _limited(self, capacity: int) -> int:
        """Return the capacity of the tree; an interpreted search has less."""
        if self.engine.jit:
            return capacity
        return max(1 + self.game.num_actions, min(capacity, INTERPRETED_CAPACITY))

    def _run(self, root: Position, limits: Limits) -> int:
        """Search from a root within the limits; return the number of iterations."""
        memory = self.engine.memory(root)
        # The first iteration adds the moves, so it is run without regard to time.
        done = self._iterate(memory, 1)
        with self._stoppable(self._tree, limits.seconds):
            return done + self._iterate(memory, limits.work - done)

    def _iterate(self, root: list[Position], count: int) -> int:
        iterate = self._kernels.iterate
        return int(iterate(root, self._work, self._nodes, self._tree, self._scratch, count))

    def _mean_value(self, child: int) -> float:
        node = self._nodes[child]
        return float(node.total_value / max(1, node.visits))


class MctsPlayer(_TreePlayer[mcts.Node, mcts.Tree]):
    """Monte-Carlo tree search for games of two; see :mod:`gridhouse.search.mcts`.

    ``exploration`` is the constant of PUCT, ``horizon`` the most random moves of a playout before
    the evaluation, ``rave`` the number of visits that a RAVE value is worth.  With hidden
    information it is an information-set search.  The tree is kept between moves.
    """

    def __init__(
        self,
        game: Game,
        *,
        seed: int = 0,
        exploration: float = mcts.EXPLORATION,
        horizon: int | None = None,
        rave: float | None = None,
        capacity: int = 1 << 20,
        **settings: Any,
    ) -> None:
        """Set up for a game; its evaluation has the defaults.  The tree has ``capacity`` nodes."""
        require_players(game, 2, "mcts")
        require_minimum("mcts", 1 + game.num_actions, capacity=capacity)
        require_minimum("mcts", 0, exploration=exploration, horizon=horizon or 0, rave=rave or 0)
        super().__init__(game, seed=seed, **settings)
        tuned = self.engine.evaluation
        actions = game.num_actions
        capacity = self._limited(capacity)
        transpositions = 1 if game.can_repeat else capacity
        tree = mcts.Tree(history=2 * actions, actions=actions, transpositions=transpositions)
        tree.capacity = capacity
        tree.expansion_threshold = 2
        tree.num_actions = actions
        tree.has_transpositions = int(not game.can_repeat)
        tree.exploration = exploration
        tree.horizon = tuned.HORIZON if horizon is None else horizon
        tree.rave = tuned.RAVE if rave is None else rave
        self._make_memory(mcts, mcts.Node(), tree, 1, seed)
        self._spare: list[mcts.Node] | None = None
        self._last: State | None = None

    def _choose(self, state: State, limits: Limits) -> Choice:
        tree = self._tree
        tree.is_hidden = state.has_hidden_information()
        if tree.is_hidden or not self._reuse_tree(state):
            self._kernels.reset(self._nodes, tree, state.current_player())
        # A tree over determinizations has moves that are illegal in the true position.
        self._last = None if tree.is_hidden else state.clone()
        done = self._run(state.position if tree.is_hidden else state.observation(), limits)
        child = self._kernels.best_child(self._nodes, montecarlo.ROOT)
        line = self._line(child)
        return Choice(line[0], self._value(child), line, done)

    def _value(self, child: int) -> float:
        proven = int(self._nodes[child].proven)
        if proven == mcts.UNPROVEN:
            return self._mean_value(child)
        return {mcts.WON: 1.0, mcts.LOST: -1.0, mcts.DRAWN: 0.0}[proven]

    def _line(self, child: int) -> tuple[int, ...]:
        line: list[int] = []
        while child != montecarlo.NONE and len(line) < alphabeta.MAX_PLY:
            line.append(int(self._nodes[child].action))
            child = self._kernels.best_child(self._nodes, child)
        return tuple(line)

    def _reuse_tree(self, state: State) -> bool:
        """Keep the subtree of a state that follows the last one; return whether there is one."""
        last, self._last = self._last, None
        if last is None or not state.follows(last):
            return False
        root = montecarlo.ROOT
        for action in state.history()[len(last.history()) :]:
            root = self._kernels.find_child(self._nodes, root, action)
            if root == montecarlo.NONE:
                return False
        if self._nodes[root].first_child == montecarlo.NONE:
            return False
        self._keep_subtree(root)
        return True

    def _keep_subtree(self, root: int) -> None:
        if self._spare is None:
            capacity = len(self._nodes)
            self._spare = self.engine.memory(mcts.Node(), capacity)
            self._new_index = self.engine.integers(capacity)
        used = self._kernels.copy_subtree(self._nodes, self._spare, self._new_index, root)
        self._nodes, self._spare = self._spare, self._nodes
        self._tree.used = used
        self._kernels.clear_transpositions(self._tree)


class PomcpPlayer(_TreePlayer[pomcp.Node, pomcp.Tree]):
    """POMCP for games of two; see :mod:`gridhouse.search.pomcp`.

    ``exploration`` is the constant of UCB1.
    """

    def __init__(
        self,
        game: Game,
        *,
        seed: int = 0,
        exploration: float = pomcp.EXPLORATION,
        capacity: int = 1 << 20,
        **settings: Any,
    ) -> None:
        """Set up for a game, with ``capacity`` nodes."""
        require_players(game, 2, "pomcp")
        require_minimum("pomcp", 1 + game.num_actions, capacity=capacity)
        require_minimum("pomcp", 0, exploration=exploration)
        super().__init__(game, seed=seed, **settings)
        tree = pomcp.Tree()
        tree.capacity = self._limited(capacity)
        tree.exploration = exploration
        self._make_memory(pomcp, pomcp.Node(), tree, 2, seed)

    def _choose(self, state: State, limits: Limits) -> Choice:
        self._kernels.reset(self._nodes, self._tree, state.current_player())
        done = self._run(state.position, limits)
        child = self._kernels.best_child(self._nodes)
        action = int(self._nodes[child].action)
        return Choice(action, self._mean_value(child), (action,), done)


class AlphaBetaPlayer(Player):
    """Alpha-beta search for games of two; see :mod:`gridhouse.search.alphabeta`.

    With hidden information it searches a number of ``determinizations``, each with its share of
    the limits, and plays the move that most of them choose.
    """

    def __init__(
        self,
        game: Game,
        *,
        seed: int = 0,
        table: int = 1 << 18,
        determinizations: int = 4,
        depth: int = 64,
        **settings: Any,
    ) -> None:
        """Set up for a game, with a number of table entries and a greatest depth."""
        require_players(game, 2, "alphabeta")
        require_minimum("alphabeta", 1, table=table, determinizations=determinizations, depth=depth)
        super().__init__(game, seed=seed, **settings)
        self._kernels = self.engine.specialize(alphabeta)
        self._determinizations = determinizations
        self._depth = depth
        actions = game.num_actions
        self._frames = self.engine.memory(alphabeta.Frame(actions=actions), alphabeta.MAX_PLY)
        table = table if self.engine.jit else min(table, INTERPRETED_CAPACITY)
        self._table = self.engine.memory(alphabeta.Entry(), table)
        control = alphabeta.Control(actions=actions, history=2 * actions)
        control.num_actions = actions
        control.horizon = self.engine.evaluation.HORIZON
        self._control = self.engine.memory(control)[0]
        self._kernels.clear(self._table, self._control)
        self.engine.playouts.chance.seed(self._control, seed & SEED_BITS)
        self._scratch = self.engine.scratch(seed)

    def _choose(self, state: State, limits: Limits) -> Choice:
        self._kernels.age_history(self._frames, self._control)
        if not state.has_hidden_information():
            seen = State(self.game, state.observation())
            return self._search(seen, limits.seconds, limits.work)
        choices = [self._search_sample(state, limits) for _ in range(self._determinizations)]
        votes = [choice.action for choice in choices]
        best = max(votes, key=votes.count)
        values = [choice.value or 0.0 for choice in choices if choice.action == best]
        work = sum(choice.work for choice in choices)
        return Choice(best, sum(values) / len(values), (best,), work)

    def _search_sample(self, state: State, limits: Limits) -> Choice:
        """Search a sample of the hidden information."""
        sample = self.engine.memory(state.position)
        self.engine.rules.resample(sample[0], state.current_player(), self._scratch)
        seconds = None if limits.seconds is None else limits.seconds / self._determinizations
        nodes = max(1, limits.work // self._determinizations)
        return self._search(self.engine.state(sample[0]), seconds, nodes)

    def _search(self, state: State, seconds: float | None, nodes: int) -> Choice:
        positions = self.engine.memory(state.position, alphabeta.MAX_PLY + 1)
        control = self._control
        memory = alphabeta.Memory(positions, self._frames, self._table, control)
        control.nodes = 0
        control.limit = NO_LIMIT
        # Depth 1 is searched without a limit, so that there is a move to play.
        found = self._deepen(memory, 1, Choice(state.legal_actions()[0]))
        control.limit = nodes
        with self._stoppable(self._control, seconds):
            for depth in range(2, self._depth + 1):
                found = self._deepen(memory, depth, found)
                if control.stop or abs(self._frames[0].value) >= alphabeta.DECIDED:
                    break
        return Choice(found.action, found.value, found.line, int(control.nodes))

    def _deepen(self, memory: alphabeta.Memory, depth: int, found: Choice) -> Choice:
        """Search to a depth; return the best choice, also of a stopped search if it has one."""
        window = alphabeta.INFINITE
        value = int(self._kernels.search(memory, depth, -window, window))
        frame = self._frames[0]
        pv = tuple(int(action) for action in frame.pv[: frame.pv_length])
        return Choice(pv[0], expected_result(value), pv) if pv else found


class NestedPlayer(Player):
    """Nested rollout search for games of one; see :mod:`gridhouse.search.nested`.

    It searches at level 1, 2 and so on while there is time, the highest level repeatedly, and
    follows the best sequence of all searches so far.
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
        """Set up for a game; a game is searched for ``horizon`` plies at most."""
        require_players(game, 1, "nested")
        require_minimum("nested", 1, levels=levels, horizon=1 if horizon is None else horizon)
        super().__init__(game, seed=seed, **settings)
        self._kernels = self.engine.specialize(nested)
        self._levels = levels
        tuned = self.engine.evaluation.HORIZON
        plies = min(tuned, game.rows * game.cols * 8) if horizon is None else horizon
        self._best = self.engine.memory(nested.Sequence(plies=plies), levels + 1)
        self._work = self.engine.memory(nested.Level(actions=game.num_actions), levels + 1)
        control = nested.Control()
        control.horizon = plies
        self._control = self.engine.memory(control)[0]
        self._kernels.chance.seed(self._control, seed & SEED_BITS)
        self._plan: tuple[str, int, tuple[int, ...]] = ("", 0, ())

    def _choose(self, state: State, limits: Limits) -> Choice:
        control = self._control
        control.games = 0
        control.limit = limits.work
        text, score, plan = self._plan
        if text != str(state):
            score, plan = nested.WORST, ()
        with self._stoppable(self._control, limits.seconds):
            level = 1
            while True:
                score, plan = max((score, plan), self._search(state, level))
                level = min(level + 1, self._levels)
                if control.stop or len(plan) <= 1:
                    break
        # The plan is empty where the position is better than all that follow; any move will do.
        plan = plan or (state.legal_actions()[0],)
        after = state.clone()
        after.apply_action(plan[0])
        self._plan = (str(after), score, plan[1:])
        return Choice(plan[0], float(score), plan, int(control.games))

    def _search(self, state: State, level: int) -> tuple[int, tuple[int, ...]]:
        positions = self.engine.memory(state.position, self._levels + 1)
        memory = nested.Memory(positions, self._best, self._work, self._control)
        self._kernels.search(memory, level, 0)
        best = self._best[level]
        return int(best.score), tuple(int(action) for action in best.actions[: best.length])


SEARCHES: dict[str, type[Player]] = {
    "alphabeta": AlphaBetaPlayer,
    "mcts": MctsPlayer,
    "nested": NestedPlayer,
    "pomcp": PomcpPlayer,
}
