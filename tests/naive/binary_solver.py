"""Who wins the Binary Game and its nimbers, by plain recursion over a second implementation.

Every way to play is followed to its end: no table, no symmetry, nothing known of the game.
"""

from __future__ import annotations

from naive.binary import Binary

Move = tuple[int, int, int]


def nimber(game: Binary) -> int:
    """Return the least number that no move leads to."""
    reached = set()
    for x, y, digit in game.legal():
        game.play(x, y, digit)
        reached.add(nimber(game))
        game.grid[y][x] = "."
    least = 0
    while least in reached:
        least += 1
    return least


def winning_moves(game: Binary) -> list[Move]:
    """Return the moves after which the other player loses."""
    moves = []
    for x, y, digit in game.legal():
        game.play(x, y, digit)
        if nimber(game) == 0:
            moves.append((x, y, digit))
        game.grid[y][x] = "."
    return moves


def all_nimbers(width: int, height: int) -> dict[str, int]:
    """Return the nimber of every position that play can reach on a board, by its rows.

    Each position is reckoned once, from those with one digit more, which come before it.
    """
    layers = [{text(Binary(width, height))}]
    while layers[-1]:
        layers.append({after for before in layers[-1] for after in moves_of(before)})
    known: dict[str, int] = {}
    for layer in reversed(layers):
        for before in layer:
            reached = {known[after] for after in moves_of(before)}
            known[before] = min(set(range(len(reached) + 1)) - reached)
    return known


def text(game: Binary) -> str:
    """Return the rows of a game."""
    return "/".join("".join(row) for row in game.grid)


def moves_of(rows: str) -> dict[str, Move]:
    """Return what every legal move makes of a position, with the move."""
    grid = [list(row) for row in rows.split("/")]
    game = Binary(len(grid[0]), len(grid))
    game.grid = grid
    made = {}
    for x, y, digit in game.legal():
        game.play(x, y, digit)
        made[text(game)] = (x, y, digit)
        game.grid[y][x] = "."
    return made
