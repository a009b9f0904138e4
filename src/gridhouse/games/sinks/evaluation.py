"""What strong play needs to know of Sinks: it is a race to sink 4 points, and who is ahead in it.

A set of fields, or of the fields where a block in some pose may have its anchor, is two words of
five rows each, so that a block's ways are followed in all directions at once.
"""

from __future__ import annotations

from gridhouse.games.sinks import rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.sinks.rules import Position

    Cells = tuple[int, int]

# Given the same time, alpha-beta wins most games against Monte-Carlo tree search.  In the latter,
# playouts would be mostly bombs, so leaves are evaluated at once.
HORIZON = 0
RAVE = 0.0
HAS_TACTICAL = True
BEST = "alphabeta"
BEST_HIDDEN = "alphabeta"

TACTICAL = 100  # as in the search: what promises so much is played out before a leaf is evaluated

STRIDE = 12  # bits of a row; those beyond the board keep rows apart
HALF = 5  # rows of a word
BITS = STRIDE * HALF
WORD = (1 << BITS) - 1
ROW = (1 << STRIDE) - 1

FAR = 9  # moves to a sink from which on it is all the same
HOPELESS = 30  # moves to four points that a player cannot get any more

# What a player has got, in hundredths: the fewer moves to four points, the more each counts.
# All were chosen by some hundred games with 2000 or 4000 nodes a move on four boards; around these
# values most of them matter little, but freezings and pushes of sinks have to be dear.
STEEP = 1200
SOFT = 3
TEMPO = 1  # moves that it is worth to begin a turn
POINT = 20
NEAR = 2  # for each point of a piece and each move that it is nearer than FAR
FREEZING = 100
PUSH = 60
WON = 2000  # nothing but a bomb, a block or a freezing in between can avert it
LOCK = 200

FREEZE_FAR = 2  # moves to a sink up to which an enemy piece is worth a freezing
BOMB_NEAR = 2  # moves to a sink from which on, and up to which, it is worth a bomb before it
BOMB_FAR = 8


def evaluate(state: Position) -> int:
    """Return how Light stands, in hundredths of a clear advantage."""
    free = free_cells(state)
    sinks = sink_cells(state)
    return standing(state, 0, free, sinks) - standing(state, 1, free, sinks)


def standing(state: Position, player: int, free: Cells, sinks: Cells) -> int:
    """Return what a player has got: a way to four points, and what is left to help."""
    moves, near = race(state, player, free, sinks)
    value = NEAR * near + POINT * state.sunk[player] - peril(state, player)
    value += FREEZING * state.freezings[player] + PUSH * state.sink_moves[player]
    if state.turn == player:
        left = 2 - state.moves
        if moves <= left:
            value += WON
        moves = max(0, moves - TEMPO * (left - 1))
    return value + STEEP // (moves + SOFT)


def race(state: Position, player: int, free: Cells, sinks: Cells) -> tuple[int, int]:
    """Return the fewest moves to four points, and how near the pieces are to sinks in all."""
    plan = (0, HOPELESS, HOPELESS, HOPELESS, HOPELESS)
    near = 0
    for number in range(state.num_anchors[player]):
        cell = rules.anchor_of(state, player, number)
        moves = way(state, cell, free, sinks)
        worth = rules.worth(state.kind[cell])
        near += worth * max(0, FAR - moves)
        if state.frozen[cell]:
            moves += 2 - state.moves if state.turn == player else 2
        plan = with_piece(plan, moves, worth)
    return plan[max(0, rules.WORTH_TO_WIN - state.sunk[player])], near


def peril(state: Position, player: int) -> int:
    """Return how much it counts that the other can freeze all pieces of a player, which wins.

    Without a piece to move, two pushes of sinks are a turn.
    """
    pieces = state.num_anchors[player]
    freezings = state.freezings[1 - player]
    pushes = state.sink_moves[player]
    if state.turn != player and pushes < 2 and unfrozen(state, player) <= freezings:
        return WON
    return LOCK if pieces == 0 or freezings // pieces > pushes // 2 else 0


def unfrozen(state: Position, player: int) -> int:
    """Return how many pieces of a player are not frozen."""
    count = 0
    for number in range(state.num_anchors[player]):
        count += 1 - state.frozen[rules.anchor_of(state, player, number)]
    return count


def with_piece(
    plan: tuple[int, int, int, int, int], moves: int, worth: int
) -> tuple[int, int, int, int, int]:
    """Return the fewest moves to 0, 1, ... 4 points if a piece can be sunk as well."""
    return (
        0,
        min(plan[1], moves),
        min(plan[2], plan[max(0, 2 - worth)] + moves),
        min(plan[3], plan[max(0, 3 - worth)] + moves),
        min(plan[4], plan[max(0, 4 - worth)] + moves),
    )


def way(state: Position, cell: int, free: Cells, sinks: Cells) -> int:
    """Return the fewest moves of a piece into a sink if nothing else moves; a cube's count twice.

    A way that is as long as FAR, or none at all, is as good as FAR.
    """
    kind = state.kind[cell]
    lie = state.lie[cell]
    row = rules.row_of(state, cell)
    col = rules.col_of(state, cell)
    own = block(row, col, rules.height(kind, lie), rules.width(kind, lie))
    at = block(row, col, 1, 1)
    if rules.is_cube(kind):
        return 2 * slide(at, room(either(free, own), 2, 2), room(sinks, 2, 2), 2)
    worth = rules.worth(kind)
    if worth == 1:
        return slide(at, free, sinks, 1)
    return roll(at, lie, either(free, own), sinks, worth)


def slide(at: Cells, free: Cells, sinks: Cells, step: int) -> int:
    """Return the fewest moves to a sink of a piece that moves by so many fields as it is."""
    for moves in range(1, FAR):
        sideways = either(right(at, step), left(at, step))
        at = either(sideways, either(above(at, step), below(at, step)))
        if meet(at, sinks):
            return moves
        at = both(at, free)
    return FAR


def roll(at: Cells, lie: int, free: Cells, sinks: Cells, size: int) -> int:
    """Return the fewest moves to a sink of a block that stands on one field or lies on more."""
    nothing = (0, 0)
    upright = at if lie == rules.UPRIGHT else nothing
    across = at if lie == rules.ACROSS else nothing
    away = at if lie == rules.AWAY else nothing
    free_across = room(free, 1, size)
    free_away = room(free, size, 1)
    sinks_across = room(sinks, 1, size)
    sinks_away = room(sinks, size, 1)
    for moves in range(1, FAR):
        tipped = either(right(across, size), left(across, 1))
        to_upright = either(tipped, either(above(away, size), below(away, 1)))
        tipped = either(right(upright, 1), left(upright, size))
        to_across = either(tipped, either(above(across, 1), below(across, 1)))
        tipped = either(above(upright, 1), below(upright, size))
        to_away = either(tipped, either(right(away, 1), left(away, 1)))
        if meet(to_upright, sinks) or meet(to_across, sinks_across) or meet(to_away, sinks_away):
            return moves
        upright = both(to_upright, free)
        across = both(to_across, free_across)
        away = both(to_away, free_away)
    return FAR


def either(one: Cells, other: Cells) -> Cells:
    """Return what is in one or the other set."""
    return one[0] | other[0], one[1] | other[1]


def both(one: Cells, other: Cells) -> Cells:
    """Return what is in both sets."""
    return one[0] & other[0], one[1] & other[1]


def meet(one: Cells, other: Cells) -> bool:
    """Tell whether two sets have a field in common."""
    return (one[0] & other[0] | one[1] & other[1]) != 0


def right(cells: Cells, cols: int) -> Cells:
    """Return the fields so many columns to the right."""
    return (cells[0] << cols) & WORD, (cells[1] << cols) & WORD


def left(cells: Cells, cols: int) -> Cells:
    """Return the fields so many columns to the left."""
    return cells[0] >> cols, cells[1] >> cols


def above(cells: Cells, rows: int) -> Cells:
    """Return the fields so many rows further up."""
    up = STRIDE * rows
    return (cells[0] << up) & WORD, ((cells[1] << up) & WORD) | (cells[0] >> (BITS - up))


def below(cells: Cells, rows: int) -> Cells:
    """Return the fields so many rows further down."""
    down = STRIDE * rows
    return (cells[0] >> down) | ((cells[1] << (BITS - down)) & WORD), cells[1] >> down


def room(cells: Cells, tall: int, wide: int) -> Cells:
    """Return the fields from which so many rows and columns belong to the set."""
    for _ in range(1, wide):
        cells = both(cells, left(cells, 1))
    for _ in range(1, tall):
        cells = both(cells, below(cells, 1))
    return cells


def line(row: int, bits: int) -> Cells:
    """Return the set that has these bits in one row."""
    if row < HALF:
        return bits << (STRIDE * row), 0
    return 0, bits << (STRIDE * (row - HALF))


def block(row: int, col: int, tall: int, wide: int) -> Cells:
    """Return a rectangle of fields."""
    cells = (0, 0)
    for r in range(row, row + tall):
        cells = either(cells, line(r, ((1 << wide) - 1) << col))
    return cells


def free_cells(state: Position) -> Cells:
    """Return the fields on which nothing stands and no bomb is known to lie."""
    cells = (0, 0)
    bombs = state.laid[0] + state.laid[1] > 0
    for row in range(state.rows):
        bits = (~state.taken[row + rules.EDGE] >> rules.EDGE) & ROW
        if bombs:
            for col in range(state.cols):
                if state.bomb[row * state.cols + col] != 0:
                    bits &= ~(1 << col)
        cells = either(cells, line(row, bits))
    return cells


def sink_cells(state: Position) -> Cells:
    """Return the fields of all sinks."""
    cells = (0, 0)
    for number in range(state.num_anchors[rules.SINKS]):
        cell = rules.anchor_of(state, rules.SINKS, number)
        size = rules.height(state.kind[cell], rules.UPRIGHT)
        row = rules.row_of(state, cell)
        cells = either(cells, block(row, rules.col_of(state, cell), size, size))
    return cells


def move_score(state: Position, action: int) -> int:
    """Return how good a legal action looks; from TACTICAL on it is played out before a leaf."""
    cell = action // rules.NUM_VERBS
    verb = action % rules.NUM_VERBS
    if verb >= rules.BOMB:
        return 10 if verb == rules.BOMB else 20
    kind = state.kind[cell]
    row, col, lie = rules.landing(state, cell, verb)
    if rules.is_sink(kind):
        return push_score(state, cell, row, col)
    if rules.inside_sink(state, row, col, kind, lie):
        return TACTICAL + 10 * rules.worth(kind)
    here = gap(state, rules.row_of(state, cell), rules.col_of(state, cell), kind)
    return 4 * (here - gap(state, row, col, kind))


def push_score(state: Position, cell: int, row: int, col: int) -> int:
    """Return how good it looks to push a sink: it may swallow pieces, of either player."""
    gain = 0
    size = rules.height(state.kind[cell], rules.UPRIGHT)
    for r in range(row, row + size):
        for c in range(col, col + size):
            taken = state.covered[r * state.cols + c]
            if taken != 0 and taken != cell + 1:
                kind = state.kind[taken - 1]
                worth = rules.worth(kind)
                gain += worth if rules.owner(kind) == state.turn else -worth
    return TACTICAL + 8 * gain if gain > 0 else 20 * gain - 5


def gap(state: Position, row: int, col: int, kind: int) -> int:
    """Return how many fields lie between an anchor and the nearest sink that can take the piece."""
    best = 2 * rules.MAX_SIDE
    for number in range(state.num_anchors[rules.SINKS]):
        sink = rules.anchor_of(state, rules.SINKS, number)
        size = rules.height(state.kind[sink], rules.UPRIGHT)
        reach = size - (2 if rules.is_cube(kind) else 1)
        if reach >= 0:
            up = rules.row_of(state, sink) - row
            across = rules.col_of(state, sink) - col
            rows = max(0, up, -up - reach)
            cols = max(0, across, -across - reach)
            best = min(best, rows + cols)
    return best


def candidates(state: Position, out: list[int]) -> int:
    """Write the legal actions that are worth a look; return how many, none if the game is over.

    A bomb costs no move, so where one is worth a look, it is laid before all else.
    """
    if state.over:
        return 0
    free = free_cells(state)
    sinks = sink_cells(state)
    if rules.may_lay(state):
        bombs = list_bombs(state, out, free, sinks)
        if bombs > 0:
            return bombs
    count = list_moves(state, state.turn, out, 0)
    if state.sink_moves[state.turn] > 0:
        count = list_moves(state, rules.SINKS, out, count)
    return list_freezings(state, out, count, free, sinks)


def list_moves(state: Position, group: int, out: list[int], count: int) -> int:
    """Write the legal moves of a group; return how many actions are listed now."""
    for number in range(state.num_anchors[group]):
        cell = rules.anchor_of(state, group, number)
        if rules.mover_refusal(state, cell) == rules.Refusal.NONE:
            for verb in range(rules.BOMB):
                if rules.way_refusal(state, cell, verb) == rules.Refusal.NONE:
                    out[count] = rules.NUM_VERBS * cell + verb
                    count += 1
    return count


def list_freezings(state: Position, out: list[int], count: int, free: Cells, sinks: Cells) -> int:
    """Write freezings of pieces that threaten to sink, or of all if that many are left."""
    enemy = 1 - state.turn
    if state.freezings[state.turn] == 0:
        return count
    can_freeze_all = unfrozen(state, enemy) <= state.freezings[state.turn]
    for number in range(state.num_anchors[enemy]):
        cell = rules.anchor_of(state, enemy, number)
        if state.frozen[cell]:
            continue
        if can_freeze_all or way(state, cell, free, sinks) <= FREEZE_FAR:
            out[count] = rules.NUM_VERBS * cell + rules.FREEZE
            count += 1
    return count


def list_bombs(state: Position, out: list[int], free: Cells, sinks: Cells) -> int:
    """Write bombs where enemy pieces can roll next, each once; return how many there are."""
    enemy = 1 - state.turn
    count = 0
    for number in range(state.num_anchors[enemy]):
        cell = rules.anchor_of(state, enemy, number)
        if BOMB_NEAR <= way(state, cell, free, sinks) <= BOMB_FAR:
            for verb in range(rules.BOMB):
                count = list_bomb(state, cell, verb, out, count)
    return count


def list_bomb(state: Position, cell: int, verb: int, out: list[int], count: int) -> int:
    """Write the bomb at the anchor to which a piece could roll; return how many there are now."""
    if rules.piece_way_refusal(state, cell, verb) != rules.Refusal.NONE:
        return count
    row, col, _ = rules.landing(state, cell, verb)
    at = row * state.cols + col
    action = rules.NUM_VERBS * at + rules.BOMB
    if not rules.is_bare(state, at) or is_listed(out, count, action):
        return count
    out[count] = action
    return count + 1


def is_listed(out: list[int], count: int, action: int) -> bool:
    """Tell whether an action is among the first so many that are listed."""
    index = 0
    while index < count and out[index] != action:
        index += 1
    return index < count
