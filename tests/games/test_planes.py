"""Observations as numbers: one tensor of every game, written out by hand."""

from __future__ import annotations

import pytest

import gridhouse


def planes(text: str, player: int) -> dict[int, list[str]]:
    """Return the planes of an observation that are not all zero, as rows of numbers."""
    state = gridhouse.parse(text)
    _, rows, cols = state.game.observation_tensor_shape
    tensor = state.observation_tensor(player)
    found = {}
    for number, at in enumerate(range(0, len(tensor), rows * cols)):
        plane = tensor[at : at + rows * cols]
        if any(plane):
            found[number] = [
                " ".join(f"{value:g}" for value in plane[row * cols : (row + 1) * cols])
                for row in range(rows)
            ]
    return found


def sparse(text: str, player: int) -> dict[int, dict[tuple[int, int], float]]:
    """Return the same planes as numbers by row and column, zeros left out."""
    return {
        number: {
            (row, col): float(value)
            for row, line in enumerate(lines)
            for col, value in enumerate(line.split())
            if float(value)
        }
        for number, lines in planes(text, player).items()
    }


def test_binary() -> None:
    assert planes("binary(rows=2,cols=3) 0.1/.1.", 0) == {
        0: ["1 0 0", "0 0 0"],
        1: ["0 0 1", "0 1 0"],
        2: ["0 1 0", "1 0 1"],
    }


def test_collapse() -> None:
    assert planes("collapse(rows=2,cols=3,digits=5) 0 .4./240", 0) == {
        0: ["0 0 0", "0 0 1"],
        2: ["0 0 0", "1 0 0"],
        4: ["0 1 0", "0 1 0"],
    }


def test_sliding() -> None:
    # Letters are their code points over 128: @ is 64, space 32 would be the empty cell.
    assert planes("sliding(rows=2,cols=2) `@ 0/@`0@", 0) == {
        0: ["0.75 0.5", "0 0.375"],
        1: ["0.5 0.75", "0.375 0.5"],
        2: ["0 0", "1 0"],
        3: ["1 1", "1 0"],
    }


def test_tactego() -> None:
    game = "tactego(rows=2,cols=3,pieces=Fx1 2x1 7x1,hidden=True)"
    position = f"{game} R 0 RF,R7',/B2!,B7',BF"
    rank = 1 / 64
    assert sparse(position, 0) == {
        1: {(0, 0): 1},
        5: {(0, 1): 1},
        6: {(0, 1): round(2 * rank, 5)},
        7: {(0, 1): 0.5},
        8: {(1, 1): 1, (1, 2): 1},
        13: {(1, 0): 1},
        14: {(1, 0): round(rank, 6)},
        15: {(1, 0): 1, (1, 1): 0.5},
        16: dict.fromkeys([(row, col) for row in range(2) for col in range(3)], 1),
        17: dict.fromkeys([(row, col) for row in range(2) for col in range(3)], 1),
    }
    seen_by_blue = sparse(position, 1)
    assert seen_by_blue[1] == {(1, 2): 1}
    assert seen_by_blue[8] == {(0, 0): 1, (0, 1): 1}
    assert 16 not in seen_by_blue
    assert 18 not in seen_by_blue
    quiet = "tactego(rows=1,cols=2,pieces=Fx1,limit=8) R 2 RF,BF"
    for player in (0, 1):
        assert sparse(quiet, player)[18] == {(0, 0): 0.25, (0, 1): 0.25}
    assert 18 not in sparse(quiet.replace("=8) R 2", "=0) R 0"), 0)
    special = "tactego(rows=2,cols=3,pieces=Fx1 Ax1 Sx1) R 0 RF,RA,RS/,,"
    assert sparse(special, 0)[3] == {(0, 2): 1}
    assert sparse(special, 0)[4] == {(0, 1): 1}
    mine = "tactego(rows=2,cols=3,pieces=Fx1 Mx1) R 0 RF,RM,/,,BM"
    assert sparse(mine, 0)[2] == {(0, 1): 1}
    assert sparse(mine, 0)[10] == {(1, 2): 1}


SINKS = (
    "sinks(rows=8,cols=8,limit=50) d 1 b 1/2 0/1 3/2 56<55 quiet=10 "
    "s100 s222 x70 la56 lb05- lc44| db50* dd66 bl11 bd12"
)


@pytest.mark.parametrize("player", [0, 1])
def test_sinks(player: int) -> None:
    everywhere = [(row, col) for row in range(8) for col in range(8)]
    light, dark = (0, 4) if player == 0 else (4, 0)
    first, second = (0, 1) if player == 0 else (1, 0)
    freezings, sink_moves, sunk = [0.5, 1], [0, 0.5], [0.75, 0.5]
    expected: dict[int, dict[tuple[int, int], float]] = {
        light + 0: {(5, 6): 1},
        light + 1: {(0, 5): 1, (0, 6): 1},
        light + 2: {(4, 4): 1, (5, 4): 1, (6, 4): 1},
        dark + 1: {(5, 0): 1},
        dark + 3: {(6, 6): 1, (6, 7): 1, (7, 6): 1, (7, 7): 1},
        8: {(0, 5): 1, (0, 6): 1},
        9: {(4, 4): 1, (5, 4): 1, (6, 4): 1},
        10: {(0, 0): 1, (2, 2): 1, (2, 3): 1, (3, 2): 1, (3, 3): 1},
        11: {(7, 0): 1},
        12: {(1, 1 + player): 1},
        13: {(5, 0): 1},
        14: dict.fromkeys(everywhere, player),
        15: dict.fromkeys(everywhere, 1),
        16: dict.fromkeys(everywhere, 1),
        17: dict.fromkeys(everywhere, freezings[first]),
        18: dict.fromkeys(everywhere, freezings[second]),
        19: dict.fromkeys(everywhere, sink_moves[first]),
        20: dict.fromkeys(everywhere, sink_moves[second]),
        21: dict.fromkeys(everywhere, sunk[first]),
        22: dict.fromkeys(everywhere, sunk[second]),
        23: dict.fromkeys(everywhere, 0.2),
    }
    assert sparse(SINKS, player) == {
        plane: {at: value for at, value in cells.items() if value}
        for plane, cells in expected.items()
        if any(cells.values())
    }
