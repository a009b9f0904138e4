"""Grading of programs for the sliding puzzle's document: its functions and whole sessions."""

from __future__ import annotations

import random
import re
from collections import deque
from functools import lru_cache
from math import isqrt

from gridhouse.core.game import State
from gridhouse.core.notation import parse_integer
from gridhouse.core.sessions import Part, Reason, Session
from gridhouse.games.sliding import rules, texts
from gridhouse.games.sliding.game import DIRECTIONS, SlidingGame, position_of, shuffle
from gridhouse.games.sliding.program import AGAIN, move
from gridhouse.games.sliding.words import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SCRIPT = "a1.py"
CALLS = "a1"  # the module whose functions are called
STATUS = ""
SUPPORT = ("a1_support.py",)  # files of the course that stand beside a submission
_ASKED = {
    "size": texts.BOARD_SIZE_PROMPT,
    "action": texts.DIRECTION_PROMPT,
    "again": texts.PLAY_AGAIN_PROMPT,
}
PROMPTS = {name: re.escape(prompt) for name, prompt in _ASKED.items()}
SETUP: tuple[str, ...] = ()
LOOSE_PROMPTS = {
    "size": r"\n?choose your difficulty[^\n]*\n[^\n?]*\?[^\S\n]?",
    "action": r"please input a direction[^\n:]*:[^\S\n]?",
    "again": r"do you want to play again\?[^\n\]]*\][^\S\n]?",
}
SIDES = range(rules.MIN_SIDE, rules.MAX_SIDE + 1)
LETTERS = "abcdefghijklmnopqrstuvwxyz"
IMPLEMENTATION = "6 Implementation"
STAGES = "4 Game Stages"
MAIN = ("main()",)
FUNCTIONS = {
    "check_win": "check_win tells whether the letters are those of the solution, the blank last",
    "swap_position": "swap_position exchanges the characters at two indices",
    "move": "move returns the puzzle after the move of the blank, None if it would leave the grid",
    "print_grid": "print_grid prints the grid as the examples show it",
}
SEEDS = 10  # with which short games are looked for


def course(lines: list[str]) -> list[str]:
    """Return the lines as they are: the document asks for exact texts."""
    return lines


def _letters(source: random.Random, count: int) -> str:
    """Return letters, some of them often."""
    some = "".join(source.sample(LETTERS, source.choice((2, 5, 26))))
    return "".join(source.choice(some) for _ in range(count))


def _side(source: random.Random) -> int:
    return source.choice((2, 2, 3, 3, 3, 4, 5, 14))


def _puzzle(source: random.Random) -> tuple[str, str]:
    """Return a shuffled puzzle and its solution."""
    solution = _letters(source, _side(source) ** 2)
    puzzle = list(shuffle(solution, source))
    source.shuffle(puzzle)
    return "".join(puzzle), solution


def _calls(*calls: str) -> Session:
    return Session(calls=calls)


def _make_wins(source: random.Random) -> Session:
    puzzle, solution = _puzzle(source)
    solved = solution[:-1] + texts.EMPTY
    at = source.randrange(len(solution))
    elsewhere = solution[:at] + texts.EMPTY + solution[at + 1 :]
    wrong = solved[:-2] + LETTERS[LETTERS.index(solved[-2]) - 1] + texts.EMPTY
    return _calls(
        *(f"check_win({text!r}, {solution!r})" for text in (solved, puzzle, elsewhere, wrong))
    )


def _make_swaps(source: random.Random) -> Session:
    puzzle, _ = _puzzle(source)
    places = [source.sample(range(len(puzzle)), 2) for _ in range(3)]
    places += [[0, len(puzzle) - 1], [1, 1]]
    return _calls(*(f"swap_position({puzzle!r}, {one}, {other})" for one, other in places))


def _make_steps(source: random.Random) -> Session:
    puzzle, solution = _puzzle(source)
    size, side = len(puzzle), isqrt(len(puzzle))
    corners = (0, side - 1, size - side, size - 1)
    at_corners = (solution[:at] + texts.EMPTY + solution[at + 1 :] for at in corners)
    return _calls(
        *(f"print(move({text!r}, {way!r}))" for text in (puzzle, *at_corners) for way in DIRECTIONS)
    )


def _make_grids(source: random.Random) -> Session:
    puzzle, solution = _puzzle(source)
    return _calls(f"print_grid({puzzle!r})", f"print_grid({solution!r})")


def _words(source: random.Random) -> tuple[tuple[str, str], ...]:
    words = [_letters(source, length) for length in (2, 3, 4, 5, 14) for _ in range(3)]
    return ((texts.WORDS_FILE, "\n".join(words) + "\n"),)


def _start(session: Session) -> random.Random:
    return random.Random(session.seed)


def _make_play(source: random.Random) -> Session:
    """Return a session of one to three games, each solved or given up."""
    lines: list[str] = []
    session = Session(files=_words(source), calls=MAIN, seed=source.randrange(10**6))
    chance = _start(session)
    for number in range(source.randint(1, 3)):
        side = source.choice((2, 2, 2, 3, 3, 4, 14))
        if number:
            lines.append(source.choice(("y", "Y", "")))
        lines.append(str(side))
        puzzle, solution = _drawn(session, side, chance)
        lines += _actions(source, puzzle, solution)
    lines.append(source.choice(("n", "N", "no", "yes", " y")))
    return session._replace(lines=tuple(lines))


def _drawn(session: Session, side: int, chance: random.Random) -> tuple[str, str]:
    """Return the puzzle and the solution that the course's functions draw."""
    words = words_of(dict(session.files)[texts.WORDS_FILE], side)
    solution = "".join(chance.choices(words, k=side))
    return shuffle(solution, chance), solution


def _has_words(session: Session, side: int) -> bool:
    return side in SIDES and bool(words_of(dict(session.files)[texts.WORDS_FILE], side))


def _actions(source: random.Random, puzzle: str, solution: str) -> list[str]:
    """Return actions from a puzzle to its end."""
    goal = solution[:-1] + texts.EMPTY
    typed: list[str] = []
    for _ in range(source.randint(0, 8)):
        if puzzle == goal:
            return typed
        text = source.choice((*DIRECTIONS, *DIRECTIONS, "H", "u", "UU", "", "gu", "X"))
        typed.append(text)
        puzzle = (move(puzzle, text) if text in DIRECTIONS else None) or puzzle
    if len(puzzle) == 4:
        return typed + _way(puzzle, goal)
    return typed if puzzle == goal else [*typed, texts.GIVE_UP]


def _way(puzzle: str, goal: str) -> list[str]:
    """Return the shortest solution of a 2x2 puzzle."""
    ways: dict[str, list[str]] = {puzzle: []}
    queue = deque([puzzle])
    while goal not in ways:
        here = queue.popleft()
        for way in DIRECTIONS:
            there = move(here, way)
            if there is not None and there not in ways:
                ways[there] = [*ways[here], way]
                queue.append(there)
    return ways[goal]


PARTS = {
    "check_win": Part(1, "check_win", _make_wins),
    "swap_position": Part(1, "swap_position", _make_swaps),
    "move": Part(1, "move", _make_steps),
    "print_grid": Part(1, "print_grid", _make_grids),
    "main": Part(2, "main: whole sessions", _make_play, 3),
}


PLAY_AGAIN = Reason(
    "again", "Y, y or nothing starts a new game, anything else ends the program", f"{STAGES}: 4.3"
)
WELCOME = Reason("welcome", "the welcome, then the difficulty is asked for", STAGES)


@lru_cache(maxsize=16)
def _replays(session: Session) -> list[tuple[tuple[str, str] | None, bool]]:
    """Return puzzle and solution after 0, 1, ... lines, None where no game is played.

    The second value tells whether a difficulty is asked for next.
    """
    chance = _start(session)
    game: tuple[str, str] | None = None
    waits_for_size = True
    games = [(game, waits_for_size)]
    for line in session.lines:
        if game is None and waits_for_size:
            size = parse_integer(line.strip())
            if size is not None and _has_words(session, size):
                game = _drawn(session, size, chance)
                waits_for_size = False
        elif game is None:
            waits_for_size = line in AGAIN
        elif line == texts.GIVE_UP:
            game = None
        else:
            puzzle, solution = game
            game = (move(puzzle, line) if line in DIRECTIONS else None) or puzzle, solution
        if game is not None and game[0] == game[1][:-1] + texts.EMPTY:
            game = None
        games.append((game, waits_for_size))
    return games


def state_at(session: Session, typed: int) -> State | None:
    """Return the puzzle after `typed` lines, None between games."""
    game, _ = _replays(session)[typed] if session.lines else (None, True)
    if game is None:
        return None
    puzzle, solution = game
    side = rules.MIN_SIDE
    while side * side < len(puzzle):
        side += 1
    return State(SlidingGame(rows=side, cols=side), position_of(puzzle, solution, side, side))


def explain(session: Session, typed: int, line: str) -> Reason:
    """Return why the program prints a line after `typed` lines."""
    if not session.lines:
        return _function_reason(session.calls[0])
    last = session.lines[typed - 1] if typed else ""
    if typed == 0:
        return WELCOME
    before, waits_for_size = _replays(session)[typed - 1]
    after, _ = _replays(session)[typed]
    if before is None:
        return _start_reason(last) if waits_for_size else PLAY_AGAIN
    if last == texts.HELP:
        return Reason("help", "H displays the help message, then both grids", f"{STAGES}: 4.2")
    if last == texts.GIVE_UP:
        return Reason("give up", "GU stops the game", f"{STAGES}: 4.2")
    if last not in DIRECTIONS:
        return Reason("invalid", f"{last!r} is none of the actions", f"{STAGES}: 4.2")
    if move(before[0], last) is None:
        text = f"the empty tile cannot move {last}: it would leave the grid"
        return Reason("impossible", text, f"{STAGES}: 4.2")
    if after is None:
        return Reason("won", "the grid shows the solution, so the game is won", f"{STAGES}: 4.3")
    return Reason("step", f"the empty tile moves {last}", f"{STAGES}: 4.2")


def _function_reason(call: str) -> Reason:
    """Return why a function prints or returns what it does."""
    for name, text in FUNCTIONS.items():
        if f"{name}(" in call:
            return Reason(name, text, IMPLEMENTATION)
    return WELCOME


def _start_reason(size: str) -> Reason:
    if not size.isdigit():
        return Reason("difficulty", "the document says nothing of a wrong difficulty", "")
    return Reason("game", "a new game shows its solution and its puzzle", f"{STAGES}: 4.1")


def legal(session: Session) -> Session:
    """Return the session as it is: a refused line ends no game."""
    return session


def simpler(session: Session) -> Iterator[Session]:
    """Yield the session with shorter games, fewer calls, and the words of its sizes alone."""
    yield from _small(session)
    yield from _given_up(session)
    sizes = {int(line) for line in session.lines if line.isdigit()}
    for name, text in session.files:
        words = "".join(word + "\n" for word in text.split() if len(word) in sizes)
        if words != text:
            yield session._replace(files=((name, words),))
    for at in range(len(session.calls)):
        if len(session.calls) > 1:
            yield session._replace(calls=session.calls[:at] + session.calls[at + 1 :])


def _given_up(session: Session) -> Iterator[Session]:
    """Yield the session with one of its games given up at once."""
    games = [game for game, _ in _replays(session)] if session.lines else []
    for start in range(1, len(games)):
        if games[start] is not None and games[start - 1] is None:
            end = next((at for at in range(start, len(games)) if games[at] is None), None)
            if end is not None and end > start + 1:
                lines = session.lines
                yield session._replace(lines=(*lines[:start], texts.GIVE_UP, *lines[end:]))


def _small(session: Session) -> Iterator[Session]:
    """Yield the last lines typed in a smallest puzzle, or its solution, with other seeds."""
    side = rules.MIN_SIDE
    if session.lines and _has_words(session, side):
        for seed in range(SEEDS):
            puzzle, solution = _drawn(session, side, random.Random(seed))
            way = _way(puzzle, solution[:-1] + texts.EMPTY)
            for actions in (session.lines[-1:], session.lines[-2:], way):
                if len(actions) + 1 < len(session.lines):
                    yield session._replace(lines=(str(side), *actions), seed=seed)
