"""Armies that are arranged before the first move: a player's fields, and ready-made set-ups.

An army is the kinds of its pieces, one for each field of :func:`home`, in that order.
"""

from __future__ import annotations

from gridhouse.core.errors import ParameterError
from gridhouse.core.game import State
from gridhouse.core.notation import shown
from gridhouse.games.tactego import rules
from gridhouse.games.tactego.game import LETTERS, SIDE_NAMES, by_strength
from gridhouse.games.tactego.rules import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from gridhouse.games.tactego.game import TactegoGame
    from gridhouse.games.tactego.rules import Position

SETUPS = {
    "balanced": "strong and weak pieces side by side",
    "attack": "the strongest in front",
    "defence": "the strongest around the flag",
    "random": "anything anywhere",
}
USUAL = "balanced"


def home(game: TactegoGame, player: int) -> list[int]:
    """Return the fields of a player's army, row by row from the top of the board."""
    pieces = game.initial_position(0).board
    return [cell for cell, piece in enumerate(pieces) if (piece < 0 if player else piece > 0)]


def read(game: TactegoGame, player: int, text: str, chance: random.Random) -> list[str]:
    """Return the army of a text: the name of a set-up, or all pieces with blanks between them.

    Raises ParameterError for a text that is neither.
    """
    if text in SETUPS:
        return ready(game, player, text, chance)
    army = text.split()
    if sorted(army) != sorted(_kinds(game)):
        raise ParameterError(
            f"army: {shown(text)} is neither {', '.join(SETUPS)} nor the pieces of this game"
        )
    return army


def ready(game: TactegoGame, player: int, setup: str, chance: random.Random) -> list[str]:
    """Return an army in a ready-made set-up, whose details are drawn by chance.

    Flags stand in the last row, with mines around them or, in an attack, anywhere behind the front.
    """
    cells = home(game, player)
    kinds = _kinds(game)
    if setup == "random":
        return chance.sample(kinds, len(kinds))
    rows = sorted({cell // game.cols for cell in cells}, reverse=player == 0)  # from the front
    depth = {cell: rows.index(cell // game.cols) for cell in cells}
    free = sorted(cells, key=lambda cell: (depth[cell], chance.random()))
    placed: dict[int, str] = {}

    def put(kind: str, cell: int) -> None:
        placed[cell] = kind
        free.remove(cell)

    for _ in range(kinds.count("F")):
        put("F", free[-1])
    flag = next(cell for cell, kind in placed.items() if kind == "F")

    def distance(cell: int) -> int:
        return max(
            abs(cell // game.cols - flag // game.cols), abs(cell % game.cols - flag % game.cols)
        )

    for _ in range(kinds.count("M")):
        behind = [cell for cell in free if depth[cell]] or free
        if setup == "attack":
            put("M", chance.choice(behind))
        else:  # but never along the whole front, where nothing could leave
            put("M", min(free if len(free) - len(behind) > 1 else behind, key=distance))
    if setup == "defence":
        free.sort(key=lambda cell: (-distance(cell), chance.random()))
    for kind, cell in zip(_order(kinds, setup), list(free)):
        put(kind, cell)
    return [placed[cell] for cell in cells]


def _order(kinds: list[str], setup: str) -> list[str]:
    """Return the pieces that move, those first that a set-up wants in front."""
    ranks = sorted((kind for kind in kinds if kind not in LETTERS), key=by_strength)
    assassins = [kind for kind in kinds if kind == "A"]
    sappers = [kind for kind in kinds if kind == "S"]
    if setup == "attack":
        return [*ranks[:-2:-1], *assassins, *ranks[-2::-1], *sappers]
    if setup == "defence":
        return [*ranks, *assassins, *sappers]
    ends = [ranks.pop(0 if at % 2 else -1) for at in range(len(ranks))]
    return [*ends, *assassins, *sappers]


def _kinds(game: TactegoGame) -> list[str]:
    """Return the kinds of an army's pieces, each as often as it occurs."""
    return [kind for kind, count in game.army for _ in range(count)]


def start(game: TactegoGame, armies: Sequence[Sequence[str]]) -> State:
    """Return the start with Red's and Blue's armies; raises ParameterError if one is stuck."""
    position = game.initial_position(0)
    for player, army in enumerate(armies):
        _place(game, position, player, army)
    for player in (1, 0):
        position.turn = player
        if rules.is_terminal(position):
            raise ParameterError(f"army: {SIDE_NAMES[player]} could not move")
    return State(game, position)


def half(game: TactegoGame, player: int, army: Sequence[str]) -> State:
    """Return a start that shows a player's army, and the backs of the other one."""
    position = game.initial_position(0)
    for cell in home(game, 1 - player):
        position.board[cell] = UNKNOWN if player else -UNKNOWN
    _place(game, position, player, army)
    return State(game, position)


def _place(game: TactegoGame, position: Position, player: int, army: Sequence[str]) -> None:
    for cell, kind in zip(home(game, player), army):
        position.board[cell] = -game.kinds[kind] if player else game.kinds[kind]
