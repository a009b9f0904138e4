"""Tests of a game's contract: the laws, and the command ``check-game``.

A law is a function of a state and a random number generator that raises :class:`BrokenLawError` if
it does not hold.  ``tests/games/test_laws.py`` checks the same laws.
"""

from __future__ import annotations

import random
import re
import traceback
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core import arrays, chance
from gridhouse.core.compile_queue import has_compiler
from gridhouse.core.errors import GridhouseError, IllegalMoveError, InvalidMoveError, PlayerError
from gridhouse.core.game import TERMINAL
from gridhouse.core.registry import game_class, parse
from gridhouse.players import KINDS, Limits, player
from gridhouse.search.engine import Engine
from gridhouse.search.playouts import Scratch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gridhouse.core.game import Game, State

    Law = Callable[[State, random.Random], None]

WALKS = 30  # random games for each board; one position of each is checked
LENGTHS = (0, 3, 20, 60)  # moves of these games
TRACES = 3  # random games for each board that are compared interpreted and compiled
TRACE_LIMIT = 300
LIMITS = Limits(nodes=300, playouts=30)
MAX_VALUE = 2**21  # of an observation; 32-bit floats represent it exactly
ATTRIBUTES = (
    "name", "title", "summary", "how_to_play", "players", "parameters", "presets", "move_form",
    "rules", "refusals", "num_actions",
)  # fmt: skip
NOISE = ("Failed in", "During:", "File ")  # starts of uninformative lines of compiler errors


class BrokenLawError(GridhouseError):
    """A game breaks a law; the message names the law and the position."""


class Report(NamedTuple):
    """The checks of a game, and the problems found."""

    tried: list[str]
    problems: list[str]


def require(holds: object, message: str) -> None:
    """Raise BrokenLawError with the message unless a condition holds."""
    if not holds:
        raise BrokenLawError(message)


def text_parses_back(state: State, rng: random.Random) -> None:
    """Require that a position's text is one line and parses back to the same position."""
    del rng
    text = str(state)
    require("\n" not in text, f"the text of a position has more than one line: {text!r}")
    again = parse(text)
    require(again == state, f"'{text}' parses as another position, '{again}'")
    require(again.legal_actions() == state.legal_actions(), f"'{text}' has other legal actions")
    require(again.returns() == state.returns(), f"'{text}' has other returns")


def key_tells_positions_apart(state: State, rng: random.Random) -> None:
    """Require that equal positions have equal keys, and that a move changes the key."""
    key = state.game.rules.key
    before = key(state.position)
    require(key(parse(str(state)).position) == before, "key differs for equal positions")
    if not state.is_terminal():
        after = state.clone()
        after.apply_action(rng.choice(state.legal_actions()))
        require(key(after.position) != before, "key stays the same after a move")


def legal_actions_are_not_refused(state: State, rng: random.Random) -> None:
    """Require that the legal actions are those without a refusal; the game ends without any."""
    del rng
    allowed = [action for action in range(state.game.num_actions) if not state.refusal(action)]
    listed = state.legal_actions()
    require(listed == allowed, f"legal_actions gives {listed}, refusal allows {allowed}")
    require(state.is_terminal() == (not allowed), f"is_terminal with {len(allowed)} legal actions")
    require((state.current_player() == TERMINAL) == state.is_terminal(), "no player is to move")
    mask = state.legal_actions_mask()
    require([action for action, legal in enumerate(mask) if legal] == allowed, "the mask differs")


def refused_actions_change_nothing(state: State, rng: random.Random) -> None:
    """Require that a refused action gives its reason and does not change the position."""
    before = state.clone()
    for _ in range(10):
        action = rng.randrange(state.game.num_actions)
        refusal = state.refusal(action)
        if not refusal:
            continue
        require(refusal in state.game.refusals, f"refusals has no words for {refusal!r}")
        try:
            state.apply_action(action)
        except IllegalMoveError as error:
            require(error.refusal == refusal, f"action {action} was refused for another reason")
            require(state.why_not(refusal) in str(error), f"the error does not say: {refusal!r}")
        require(state == before, f"refused action {action} changed the position")
    for action in (-1, state.game.num_actions):
        try:
            state.apply_action(action)
        except InvalidMoveError:
            continue
        raise BrokenLawError(f"{action} was played, although it is no action")


def moves_parse_back(state: State, rng: random.Random) -> None:
    """Require that every legal action has a short, unique text that parses back."""
    del rng
    actions = state.legal_actions()
    moves = state.legal_moves()
    require(len(set(moves)) == len(moves), f"two legal actions have the same text: {moves}")
    for action, move in zip(actions, moves, strict=True):
        require(
            move.isascii() and len(move) < 20, f"the text {move!r} of a move is not short ASCII"
        )
        require(state.string_to_action(move) == action, f"{move!r} parses as another action")


def returns_add_up(state: State, rng: random.Random) -> None:
    """Require that returns are at most max_return, and add up to 0 in games for two."""
    del rng
    returns = state.returns()
    require(len(returns) == state.game.num_players, f"there are {len(returns)} returns")
    require(max(returns) <= state.game.max_return, f"returns {returns} are above max_return")
    if state.game.num_players == 2:
        require(sum(returns) == 0, f"returns {returns} do not add up to 0")
        require(state.is_terminal() or not any(returns), f"returns {returns} before the end")


def observations_have_their_shape(state: State, rng: random.Random) -> None:
    """Require that observations have the size of their shape, and small numbers."""
    del rng
    planes, rows, cols = state.game.observation_tensor_shape
    for viewer in range(state.game.num_players):
        tensor = state.observation_tensor(viewer)
        require(len(tensor) == planes * rows * cols, f"an observation has {len(tensor)} numbers")
        require(
            all(-1 <= value <= MAX_VALUE for value in tensor), "an observation has large numbers"
        )


def hidden_information_stays_hidden(state: State, rng: random.Random) -> None:
    """Require that hidden information has no effect on a player's view."""
    rules, game = state.game.rules, state.game
    for viewer in range(game.num_players):
        world = state.clone()
        rules.resample(world.position, viewer, random_source(rng.getrandbits(32)))
        seen = state.observation(viewer)
        require(
            world.observation(viewer) == seen,
            f"resample changes the observation of player {viewer}",
        )
        require(world.is_terminal() == state.is_terminal(), "resample ends the game")
        hides = rules.has_hidden_information(state.position, viewer)
        require(
            hides == rules.has_hidden_information(world.position, viewer),
            f"has_hidden_information reveals hidden information to player {viewer}",
        )
        require(
            hides or seen == state.position,
            f"redact hides from player {viewer}, against has_hidden_information",
        )
        if state.current_player() == viewer:
            require(
                world.legal_actions() == state.legal_actions(),
                "legal actions reveal hidden information",
            )
        seed = rng.getrandbits(32)
        again = state.position.copy()
        rules.resample(again, viewer, random_source(seed))
        rules.resample(world.position, viewer, random_source(seed))
        require(
            again == world.position, f"resample for player {viewer} depends on hidden information"
        )
    require(not (game.perfect_information and state.has_secrets()), "perfect_information is wrong")


LAWS: tuple[Law, ...] = (
    text_parses_back,
    key_tells_positions_apart,
    legal_actions_are_not_refused,
    refused_actions_change_nothing,
    moves_parse_back,
    returns_add_up,
    observations_have_their_shape,
    hidden_information_stays_hidden,
)


def random_source(seed: int) -> Scratch:
    """Return a random number generator for the rules."""
    made = Scratch(actions=1, players=1)
    chance.seed(made, seed)
    return made


def random_walk(game: Game, seed: int) -> State:
    """Return a position after some random moves from a start."""
    rng = random.Random(seed)
    state = game.new_initial_state(seed)
    for _ in range(rng.choice(LENGTHS)):
        if state.is_terminal():
            break
        state.apply_action(rng.choice(state.legal_actions()))
    return state


def check_game(name: str) -> Report:
    """Check all laws, compiled code and players on a game's presets; return a report.

    Raises UnknownGameError, or RulesError for rules without a required function.
    """
    cls = game_class(name)
    report = Report([], [])
    for label in cls.presets:
        with _noted(report, f"preset {label}"):
            game = cls.from_preset(label)
            missing = [each for each in ATTRIBUTES if not hasattr(game, each)]
            require(not missing, f"{cls.__name__} does not define {', '.join(missing)}")
            if _check_laws(report, game):
                done = [f"{WALKS} positions keep {len(LAWS)} laws", *_check_compiled(report, game)]
                done += _check_players(report, game)
                report.tried.append(f"preset {label}: {'; '.join(done)}")
    return report


@contextmanager
def _noted(report: Report, what: str) -> Iterator[None]:
    """Add an exception within the block to the report."""
    try:
        yield
    except Exception as error:  # an unfinished game may raise anything
        report.problems.append(f"{what}: {_described(error)}")


def _described(error: Exception) -> str:
    """Return an error in one line, with its place in the game's folder."""
    if isinstance(error, GridhouseError):
        return str(error)
    text = str(error)
    compiled = re.search(r'File "(?:[^"]*[/\\])?(\w+\.py)", line (\d+)', text)
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).name in ("rules.py", "game.py", "evaluation.py")
        and Path(frame.filename).parent.name != "core"
    ]
    lines = (line.strip() for line in text.splitlines())
    reason = next((line for line in lines if line and not line.startswith(NOISE)), text)
    if compiled:
        return f"{compiled[1]}:{compiled[2]} cannot be compiled: {reason}"
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}: " if frames else ""
    return f"{place}{type(error).__name__}: {reason}"


def _check_laws(report: Report, game: Game) -> bool:
    """Check the laws in random positions; return whether all hold."""
    for seed in range(WALKS):
        for law in LAWS:
            before = len(report.problems)
            broken = f"{game}#{seed} breaks the law '{law.__name__.replace('_', ' ')}'"
            with _noted(report, broken):
                state = random_walk(game, seed)
                law(state, random.Random(seed))
            if len(report.problems) > before:
                return False
    return True


def _check_compiled(report: Report, game: Game) -> list[str]:
    """Compare interpreted and compiled rules; return the checks."""
    if not has_compiler():
        return ["not compiled, because there is no compiler"]
    with _noted(report, f"{game}, compiled"):
        plain, compiled = Engine(game, jit=False), Engine(game)
        for seed in range(TRACES):
            start = game.new_initial_state(seed).position
            sums = [each.trace(start, seed=seed, limit=TRACE_LIMIT) for each in (plain, compiled)]
            require(sums[0] == sums[1], f"a random game is not the same, seed {seed}")
            _compare_views(plain, compiled, random_walk(game, seed))
    return [f"{TRACES} random games are the same compiled"]


def _compare_views(plain: Engine, compiled: Engine, state: State) -> None:
    """Compare observations and resampled positions, interpreted and compiled."""
    size = len(state.observation_tensor(0))
    for viewer in range(state.game.num_players):
        seen, worlds = [], []
        for engine in (plain, compiled):
            record = engine.memory(state.position)[0]
            engine.rules.resample(record, viewer, engine.scratch(viewer))
            worlds.append(engine.state(record))
            engine.rules.redact(record, viewer)
            planes = arrays.zeros(size, "f8") if engine.jit else [0.0] * size
            engine.rules.observation_planes(record, viewer, planes)
            seen.append((engine.state(record).position, list(planes)))
        require(worlds[0] == worlds[1], f"resample differs for player {viewer}")
        require(seen[0] == seen[1], f"redact or observation_planes differ for player {viewer}")


def _check_players(report: Report, game: Game) -> list[str]:
    """Let every applicable kind of player move; return the checks."""
    kinds = []
    for kind in KINDS:
        with _noted(report, f"{game}, player {kind}"):
            state = game.new_initial_state(0)
            try:
                mover = player(kind, game, jit=False, **({"level": 1} if kind == "level" else {}))
                choice = mover.choose(state, LIMITS)
            except PlayerError:
                continue  # this kind does not play such games
            state.apply_action(choice.action)
            kinds.append(kind)
    return [f"players {', '.join(kinds)} move"]
