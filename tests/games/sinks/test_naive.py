"""Sinks against a second implementation, on random set-ups and random games."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from gridhouse.core.console import Tokens
from gridhouse.core.game import State
from gridhouse.games.sinks import document, program, rules
from gridhouse.games.sinks.game import SinksGame
from gridhouse.games.sinks.notation import PIECE_TYPES, SIDES
from harness import run_here
from naive.sinks import Sinks, session

SEEDS = st.integers(0, 2**64)


def random_object(chance: random.Random, rows: int, cols: int) -> list[str]:
    """Draw a line of a set-up; most can be placed, some cannot."""
    kind = chance.choice("sslldddx")
    where = [str(chance.randrange(-1, rows + 1)), str(chance.randrange(-1, cols + 1))]
    if chance.random() < 0.7 and kind in "ld":
        where = [str(chance.randrange(3, rows - 3)), str(chance.randrange(3, cols - 3))]
    if kind == "x":
        return [kind, *where]
    return [kind, chance.choice("12" if kind == "s" else "aaabbbcccd"), *where]


def place_all(
    chance: random.Random, rows: int, cols: int, count: int, limit: int = 0
) -> tuple[State, Sinks]:
    """Offer both implementations the same random objects, which they take or refuse alike."""
    game = SinksGame(rows=rows, cols=cols, limit=limit)
    naive = Sinks(rows, cols, limit)
    position = document.read_setup(game.rows, game.cols, game.limit, Tokens(iter(["#"])))
    for _ in range(count):
        tokens = random_object(chance, rows, cols)
        error = naive.place(tokens)
        words = Tokens(iter([" ".join(tokens)]))
        try:
            kind = document.read_object_kind(words)
            assert kind is not None
            document.place(
                position, document.parse_field(position, words.next(), words.next()), kind
            )
        except document.SinksError as refused:
            assert f"ERROR: {refused}" == error
        else:
            assert error is None
    naive.start()
    rules.note_end(position)
    return State(game, position), naive


def facts(state: State) -> dict[str, object]:
    """Return what the naive implementation tells of itself, read off our position."""
    position = state.position
    assert isinstance(state.game, SinksGame)
    anchors = [cell for cell, kind in enumerate(position.kind) if kind]

    def field(cell: int) -> tuple[int, int]:
        row, col = divmod(cell, position.cols)
        return row, col

    pieces = []
    for cell in anchors:
        kind = position.kind[cell]
        if rules.is_piece(kind):
            covers = [field(at) for at, where in enumerate(position.covered) if where == cell + 1]
            name = PIECE_TYPES[rules.worth(kind) - 1]
            pieces.append((*field(cell), SIDES[rules.owner(kind)], name, covers))
    return {
        "player": SIDES[position.turn],
        "moves": position.moves,
        "quiet": position.quiet,
        "laid": tuple(position.laid),
        "blown": position.blown,
        "bombed": bool(position.bombed),
        "freezings": tuple(position.freezings),
        "sink_moves": tuple(position.sink_moves),
        "sunk": tuple(position.sunk),
        "bombs": {field(cell): SIDES[who - 1] for cell, who in enumerate(position.bomb) if who},
        "frozen": [field(cell) for cell in anchors if position.frozen[cell]],
        "pieces": pieces,
        "sinks": [
            (*field(cell), position.kind[cell] - rules.SINK_1 + 1)
            for cell in anchors
            if position.kind[cell] in (rules.SINK_1, rules.SINK_2)
        ],
    }


def random_words(chance: random.Random, state: State) -> tuple[str, str, str]:
    """Draw a move: mostly a legal one, sometimes any field with any verb, or a bombed field."""
    moves = state.legal_moves()
    bombed = [cell for cell, who in enumerate(state.position.bomb) if who]
    if bombed and chance.random() < 0.1:
        row, col = divmod(chance.choice(bombed), state.position.cols)
        return str(row), str(col), "b"
    rolls = [move for move in moves if move[-1] in "lrud"]
    if chance.random() < 0.6:
        row, col, verb = chance.choice(rolls or moves).split()
        return row, col, verb
    if chance.random() < 0.4:
        row, col, verb = chance.choice(moves).split()
        return row, col, verb
    return str(chance.randrange(-1, 11)), str(chance.randrange(-1, 11)), chance.choice("lrudbfq")


def same_now(state: State, naive: Sinks) -> None:
    """Compare all that both implementations tell of the position."""
    assert "".join(line + "\n" for line in state.game.board(state.position)) == naive.board()
    assert sorted(state.legal_moves()) == sorted(naive.legal())
    outcome = state.game.outcome(state.position) if state.is_terminal() else None
    assert outcome == naive.result()
    if outcome is None:
        assert facts(state) == naive.facts()


@given(SEEDS)
def test_games_are_the_same(seed: int) -> None:
    chance = random.Random(seed)
    rows, cols = chance.randint(8, 10), chance.randint(8, 10)
    limit = chance.choice((0, 1, 5, 20))
    state, naive = place_all(chance, rows, cols, chance.randint(0, 40), limit)
    same_now(state, naive)
    for _ in range(60):
        if state.is_terminal():
            break
        words = random_words(chance, state)
        before = state.position.copy()
        error = naive.act(*words)
        try:
            program.act(state.position, *words)
        except document.SinksError as refused:
            assert f"ERROR: {refused}" == error
            assert state.position == before
        else:
            assert error is None
        same_now(state, naive)


@given(SEEDS)
def test_sessions_are_the_same(seed: int) -> None:
    chance = random.Random(seed)
    rows, cols = chance.randint(8, 10), chance.randint(8, 10)
    state, _ = place_all(chance, rows, cols, 0)
    tokens = []
    game, position = state.game, state.position
    assert isinstance(game, SinksGame)
    for _ in range(chance.randint(0, 30)):
        words = random_object(chance, rows, cols)
        try:
            word_source = Tokens(iter([" ".join(words)]))
            kind = document.read_object_kind(word_source)
            assert kind is not None
            cell = document.parse_field(position, word_source.next(), word_source.next())
            document.place(position, cell, kind)
        except document.SinksError:
            if chance.random() < 0.98:
                continue
        tokens += words
    tokens.append("#")
    rules.note_end(position)
    for _ in range(chance.randint(0, 40)):
        if state.is_terminal():
            break
        words = list(random_words(chance, state))
        try:
            program.act(position, *words)
        except document.SinksError:
            if chance.random() < 0.9:
                continue
        tokens += words
    text = chance.choice(" \n\t").join(tokens[: len(tokens) - chance.choice((0, 0, 1, 2))])
    typed = text + chance.choice(("", "\n", "\r\n"))
    run = run_here(program.main, str(rows), str(cols), "0", typed=typed)
    assert run == (session(rows, cols, typed), "", 0)
