"""Make the puzzles of the house: ``python benchmarks/make_puzzles.py [GAME ...]``.

For each game, by default for all, it writes ``puzzles.csv`` into the game's folder: grade, start
and the solution with the opponent's replies, the same file on every machine.  Every puzzle is
proved by ``solution_of``: by a solver, or by trying everything.  The grades 1 to 5 are fifths of
the puzzles of a game, from the easiest to the hardest by ``difficulty``.
"""

from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from command_line import Words, start

import gridhouse
from gridhouse.core.console import UsageError
from gridhouse.core.registry import game_class
from gridhouse.core.solving import solve
from gridhouse.games.sinks import rules as sinks
from gridhouse.games.sliding.rules import DOWN, LEFT, RIGHT, UP
from gridhouse.games.tactego import rules as tactego

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gridhouse.core.game import State

WANTED = 60  # puzzles of a game
GRADES = 5
ROLLOUTS = 100  # random games by which boards of Collapse are graded
BACK = {UP: DOWN, DOWN: UP, LEFT: RIGHT, RIGHT: LEFT}
OWN_MOVES = (2, 3)  # of a forced win in Tactego


class Found(NamedTuple):
    """The proved solution of a position, its moves with the best replies, and how hard it is."""

    line: tuple[str, ...]
    difficulty: float


def moves_of(state: State) -> dict[str, State]:
    """Return the position after each legal move."""
    after = {}
    for action in state.legal_actions():
        after[state.action_to_string(action)] = state.clone()
        after[state.action_to_string(action)].apply_action(action)
    return after


def solve_binary(state: State) -> Found | None:
    """Return the only winning move, None unless there is just one; harder among many moves."""
    found: Any = solve(state, all_moves=True, threads=1, jit=False, proved=False)
    if len(found.moves) != 1:
        return None
    return Found((found.moves[0],), len(state.legal_actions()) + found.nodes / 10**6)


def play_binary(chance: random.Random) -> Iterator[State]:
    """Yield positions of random games on small grids, when few moves are left."""
    side = chance.choice((4, 5, 5, 6))
    state = gridhouse.load("binary", rows=side, cols=side).new_initial_state()
    while not state.is_terminal():
        if 6 <= len(state.legal_actions()) <= 20:
            yield state
        state.apply_action(chance.choice(state.legal_actions()))


def forced(state: State, own: int) -> dict[str, tuple[str, ...]]:
    """Return the moves that win in at most ``own`` moves, whatever the replies, with their lines.

    The reply of a line is one that makes it longest.
    """
    mover = state.current_player()
    winning: dict[str, tuple[str, ...]] = {}
    for move, after in moves_of(state).items():
        if after.winner() == mover:
            winning[move] = (move,)
        elif own > 1 and not after.is_terminal():
            line = longest(after, own - 1)
            if line is not None:
                winning[move] = (move, *line)
    return winning


def longest(state: State, own: int) -> tuple[str, ...] | None:
    """Return the reply and the line after which a loss takes longest, None if it is not forced."""
    lines = []
    for reply, after in moves_of(state).items():
        if after.is_terminal():
            return None
        winning = shortest(after, own)
        if winning is None:
            return None
        lines.append((reply, *winning))
    return max(lines, key=len)


def shortest(state: State, own: int) -> tuple[str, ...] | None:
    """Return the shortest forced win in at most ``own`` moves, None if there is none."""
    for most in range(1, own + 1):
        winning = forced(state, most)
        if winning:
            return min(winning.values(), key=len)
    return None


def solve_tactego(state: State) -> Found | None:
    """Return a win in two or three moves, each of them but the last the only one that is as fast.

    None unless there is one that ends with a captured flag.
    """
    if forced(state, 1):
        return None
    for own in OWN_MOVES:
        winning = forced(state, own)
        if winning:
            break
    if len(winning) != 1:
        return None
    (line,) = winning.values()
    after, left, quiet = state.clone(), own, 0
    for at, move in enumerate(line):
        if at % 2 == 0:
            if left > 1 and len(forced(after, left)) != 1:
                return None
            left -= 1
        pieces = sum(map(bool, after.position.board))
        after.play(move)
        quiet += at % 2 == 0 and pieces == sum(map(bool, after.position.board))
    if len(line) != 2 * own - 1 or tactego.flag_winner(after.position) == tactego.NOBODY:
        return None
    # A win that begins with a capture is seen sooner.
    return Found(line, 100 * own + 20 * quiet + len(state.legal_actions()))


def play_tactego(chance: random.Random) -> Iterator[State]:
    """Yield positions of games in which whoever can capture does so most of the time.

    In half of the games those that are won in two moves are left out.
    """
    armies = ("5x1 3x1 2x2 1x2 Fx1", "5x1 4x1 3x1 Sx1 Mx1 Fx1", "6x1 3x2 Ax1 Mx1 Sx1 Fx1")
    game = gridhouse.load("tactego", rows=5, cols=4, pieces=chance.choice(armies))
    state = game.new_initial_state(chance.getrandbits(32))
    most = chance.choice(OWN_MOVES)
    while not state.is_terminal() and len(state.history()) < 40:
        is_short = most > OWN_MOVES[0] and forced(state, OWN_MOVES[0])
        if sum(map(bool, state.position.board)) <= 9 and not is_short:
            yield state
        captures = [action for action in state.legal_actions() if is_capture(state, action)]
        calm = chance.random() < 0.4 or not captures
        state.apply_action(chance.choice(state.legal_actions() if calm else captures))


def is_capture(state: State, action: int) -> bool:
    """Tell whether a move attacks, but not the flag."""
    piece = abs(state.position.board[tactego.target(state.position, action)])
    return piece not in (0, tactego.FLAG)


def turns(state: State) -> Iterator[tuple[tuple[str, ...], State]]:
    """Yield every turn of rolls and pushes with the position after it."""
    mover = state.current_player()
    for action in state.legal_actions():
        if action % sinks.NUM_VERBS not in (sinks.BOMB, sinks.FREEZE):
            after = state.clone()
            after.apply_action(action)
            move = state.action_to_string(action)
            if after.is_terminal() or after.current_player() != mover:
                yield (move,), after
            else:
                yield from (((move, *others), end) for others, end in turns(after))


def solve_sinks(state: State) -> Found | None:
    """Return the only turn that wins, None unless there is just one.

    It is harder if a sink is pushed, if turns that sink too little lead astray, and among many.
    """
    mover = state.current_player()
    before = state.position.sunk[mover]
    count = astray = 0
    winning = []
    for line, after in turns(state):
        count += 1
        if after.winner() == mover and after.position.sunk[mover] >= sinks.WORTH_TO_WIN:
            winning.append(line)
        astray += after.position.sunk[mover] > before
    if len(winning) != 1:
        return None
    (line,) = winning
    pushes = sum(is_push(state, move) for move in line)
    return Found(line, 2 * pushes + 2 * (astray > 1) + 2 * len(line) + count / 1000)


def is_push(state: State, move: str) -> bool:
    """Tell whether a move pushes a sink of the position."""
    row, col, _ = move.split()
    return bool(sinks.is_sink(state.position.kind[int(row) * state.game.cols + int(col)]))


def play_sinks(chance: random.Random) -> Iterator[State]:
    """Yield the beginnings of turns in games without bombs and freezings, where much is sunk."""
    game = gridhouse.load("sinks", rows=8, cols=8, setup=chance.choice(("standard", "corners")))
    if chance.random() < 0.4:
        game = gridhouse.load("sinks", rows=10, cols=10)
    state = game.new_initial_state()
    while not state.is_terminal() and len(state.history()) < 60:
        if state.position.moves == 0 and max(state.position.sunk) > 0:
            yield state
        actions = [a for a in state.legal_actions() if a % sinks.NUM_VERBS < sinks.BOMB]
        rolls = [a for a in actions if sinks.is_piece(state.position.kind[a // sinks.NUM_VERBS])]
        sunk = [a for a in rolls if is_sunk(state, a)]
        if not rolls or chance.random() < 0.1:
            state.apply_action(chance.choice(actions))
        else:
            state.apply_action(chance.choice(sunk or rolls))


def is_sunk(state: State, action: int) -> bool:
    """Tell whether a roll sinks its block."""
    after = state.clone()
    after.apply_action(action)
    return bool(sum(after.position.sunk) > sum(state.position.sunk))


def solve_collapse(state: State) -> Found | None:
    """Return the picks of the highest score; harder if random games reach little of it.

    None if it is not proved, or if more than a few random games reach it.
    """
    found: Any = solve(state, seconds=None, threads=1, jit=True)
    chance = random.Random(1)
    scores = [state.game.result(random_end(state, chance)) for _ in range(ROLLOUTS)]
    if found.score < found.bound or scores.count(found.score) > ROLLOUTS // 2:
        return None
    line = tuple(f"{row} {col}" for row, col in found.picks)
    reached = sum(scores) / ROLLOUTS / found.score
    return Found(line, len(line) / 10 - reached - scores.count(found.score) / ROLLOUTS)


def random_end(state: State, chance: random.Random) -> State:
    """Return the end of a random game."""
    end = state.clone()
    while not end.is_terminal():
        end.apply_action(chance.choice(end.legal_actions()))
    return end


def play_collapse(chance: random.Random) -> Iterator[State]:
    """Yield a small board; on half of them everything can be cleared."""
    rows, cols, digits = chance.choice(((3, 4, 4), (4, 4, 4), (4, 5, 4), (5, 5, 4)))
    game = gridhouse.load("collapse", rows=rows, cols=cols, digits=digits)
    yield game.new_initial_state(chance.getrandbits(32))


def solve_sliding(state: State) -> Found | None:
    """Return a shortest solution, None for a solved puzzle; harder if it is longer."""
    found: Any = solve(state, optimal=True, threads=1, jit=False)
    if not found.moves or not found.optimal:
        return None
    return Found(tuple(found.moves), len(found.moves))


def play_sliding(chance: random.Random) -> Iterator[State]:
    """Yield a puzzle that some random moves have made from a solved one."""
    rows, cols, most = chance.choice(((2, 3, 16), (3, 3, 12), (3, 3, 20), (3, 4, 16)))
    game = gridhouse.load("sliding", rows=rows, cols=cols)
    words = game.new_initial_state(chance.getrandbits(32)).position.goal
    letters = "".join(map(chr, words))
    state = game.parse(f"{letters[:-1]} /{letters}")
    last = UP
    game.rules.apply_action(state.position, last)  # a solved puzzle refuses all moves
    for _ in range(chance.randint(2, most)):
        actions = [action for action in state.legal_actions() if action != BACK[last]]
        if actions:
            last = chance.choice(actions)
            state.apply_action(last)
    yield state


MAKERS: dict[
    str,
    tuple[Callable[[random.Random], Iterator[State]], Callable[[State], Found | None]],
] = {
    "binary": (play_binary, solve_binary),
    "collapse": (play_collapse, solve_collapse),
    "sinks": (play_sinks, solve_sinks),
    "sliding": (play_sliding, solve_sliding),
    "tactego": (play_tactego, solve_tactego),
}


def solution_of(state: State) -> Found | None:
    """Return the proved solution of a position, None if it is no puzzle."""
    return MAKERS[state.game.name][1](state)


def make(name: str, wanted: int) -> list[tuple[int, str, str]]:
    """Return the rows of a game's file: grade, start and line, of all grades in turn."""
    play = MAKERS[name][0]
    found: dict[str, Found] = {}
    seed = 0
    while len(found) < wanted:
        seed += 1
        for state in play(random.Random(f"{name} {seed}")):
            start = gridhouse.parse(str(state))  # without the moves before it
            solution = solution_of(start)
            if solution is not None:
                found[str(start)] = solution
                break
    ordered = sorted(found, key=lambda start: (found[start].difficulty, start))[:wanted]
    rows = [
        (1 + GRADES * at // wanted, start, ",".join(found[start].line))
        for at, start in enumerate(ordered)
    ]
    random.Random(name).shuffle(rows)
    return rows


def main(names: Words = None) -> None:
    """Write the files of these games."""
    for name in names or MAKERS:
        if name not in MAKERS:
            raise UsageError(f"there are no puzzles of {name}: {', '.join(MAKERS)}")
        path = Path(str(game_class(name).rules.__file__)).with_name("puzzles.csv")
        rows = make(name, WANTED)
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("grade", "start", "line"))
            writer.writerows(rows)
        print(f"{path}: {WANTED} puzzles, {path.stat().st_size} bytes")


if __name__ == "__main__":
    start(main)
