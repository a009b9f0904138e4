"""The evaluation of Sinks: the game is a race to sink 4 points.

There are two: one by hand, and one whose weights were learned from games that alpha-beta played
against itself with the first one (``benchmarks/learn.py``).  Both count the moves that each piece
and each player needs.  The learned one knows what they are worth together with freezings, pushes
and the stage of the turn.

A set of fields, or of possible anchors of a block in one pose, is two words of five rows each, so
that a breadth-first search of a block's paths moves in all directions at once.
"""

from __future__ import annotations

from pathlib import Path

from gridhouse.games.sinks import rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.sinks.rules import Position

    Cells = tuple[int, int]

# Given the same time, alpha-beta wins most games against Monte-Carlo tree search.  In the latter,
# playouts would consist mostly of bombs, so leaves are evaluated without playouts.
HORIZON = 0
RAVE = 0.0
HAS_TACTICAL = True
BEST = "alphabeta"
BEST_HIDDEN = "alphabeta"

TACTICAL = 100  # the search extends leaves by moves with at least this score

STRIDE = 12  # bits of a row; those beyond the board separate the rows
HALF = 5  # rows of a word
BITS = STRIDE * HALF
WORD = (1 << BITS) - 1
ROW = (1 << STRIDE) - 1

FAR = 9  # the largest distance to a sink that is distinguished
HOPELESS = 30  # moves to four points if they are out of reach

LEARNED = 1  # 0 for the evaluation by hand
WEIGHTS = Path(__file__).with_name("weights.bin").read_bytes()
ZERO = 1 << 15  # a weight has two bytes, the lower one first, and is that much more than it counts
BOUND = 3000  # below certainty

# Weight 0 is that of the move.  Then come the weights of the player to move and those of the other:
# of a piece by its worth, its moves to a sink and whether it is frozen; of the moves to four points
# by those without the piece that is missed most; and of the moves to four points by the enemy's
# freezings, the own pushes and the stage of the turn.  The last are those of the freezings and
# pushes of both, and of their numbers of pieces.
MOVES = 16  # that are distinguished, to four points
STAGES = 3 * 3 * 3  # of freezings, pushes and the turn
COUNTS = 6  # of pieces that are distinguished
MOST_PIECES = 7  # of a player that are planned with: a byte of a number each
SPARE = rules.PIECE_KINDS * (FAR + 1) * 2
READY = SPARE + MOVES * MOVES
PLAYER_WEIGHTS = READY + MOVES * STAGES
SPECIAL = 1 + 2 * PLAYER_WEIGHTS
PIECES = SPECIAL + 3**4
NUM_WEIGHTS = PIECES + COUNTS * COUNTS

# The evaluation by hand.
# The value of a player's chances, in hundredths: the fewer moves to four points, the more each
# counts.  All weights were tuned by some hundred games with 2000 or 4000 nodes a move on four
# boards.  Most of them matter little near these values, but freezings and sink moves must be dear.
STEEP = 1200
SOFT = 3
TEMPO = 1  # moves that the first move of a turn is worth
POINT = 20
NEAR = 2  # for each point of a piece and each move by which it is nearer than FAR
FREEZING = 100
PUSH = 60
WON = 2000  # only a bomb, a block or a freezing can prevent it
LOCK = 200

FREEZE_FAR = 2  # the largest distance to a sink of an enemy piece that is worth freezing
BOMB_NEAR = 2  # the range of distances to a sink of an enemy piece that is worth a bomb
BOMB_FAR = 8


def evaluate(state: Position) -> int:
    """Return the evaluation for Light, in hundredths of a clear advantage."""
    free = free_cells(state)
    sinks = sink_cells(state)
    if LEARNED:
        value = learned_value(state, free, sinks)
        return value if state.turn == 0 else -value
    return player_value(state, 0, free, sinks) - player_value(state, 1, free, sinks)


def weight(index: int) -> int:
    """Return a learned weight, in hundredths."""
    return (WEIGHTS[2 * index + 1] << 8) + WEIGHTS[2 * index] - ZERO


def learned_value(state: Position, free: Cells, sinks: Cells) -> int:
    """Return the learned evaluation for the player to move."""
    me, other = state.turn, 1 - state.turn
    value = weight(0)
    value += learned_chances(state, me, free, sinks, 1)
    value += learned_chances(state, other, free, sinks, 1 + PLAYER_WEIGHTS)
    special = (state.freezings[me] * 3 + state.freezings[other]) * 3 + state.sink_moves[me]
    value += weight(SPECIAL + special * 3 + state.sink_moves[other])
    mine = min(COUNTS - 1, state.num_anchors[me])
    value += weight(PIECES + COUNTS * mine + min(COUNTS - 1, state.num_anchors[other]))
    return max(-BOUND, min(BOUND, value))


def learned_chances(state: Position, player: int, free: Cells, sinks: Cells, base: int) -> int:
    """Return what a player's way to four points is worth by the weights from ``base`` on."""
    value = 0
    needs = 0
    for number in range(state.num_anchors[player]):
        cell = rules.anchor_of(state, player, number)
        moves = distance_to_sink(state, cell, free, sinks)
        worth = rules.worth(state.kind[cell])
        frozen = state.frozen[cell]
        value += weight(base + ((worth - 1) * (FAR + 1) + min(FAR, moves)) * 2 + frozen)
        if number < MOST_PIECES:
            needs = (needs << 8) + ((moves + thaw(state, player, cell)) << 3) + worth
    points = max(0, rules.WORTH_TO_WIN - state.sunk[player])
    fewest = moves_to_points(needs, points, MOST_PIECES)
    spare = 0
    for number in range(min(MOST_PIECES, state.num_anchors[player])):
        spare = max(spare, moves_to_points(needs, points, number))
    if state.turn == player and fewest <= 2 - state.moves:
        value += WON
    stage = 2 if state.moves == 1 else state.bombed
    ready = (state.freezings[1 - player] * 3 + state.sink_moves[player]) * 3 + stage
    value += weight(base + SPARE + MOVES * fewest + spare)
    return value + weight(base + READY + STAGES * fewest + ready)


def moves_to_points(needs: int, points: int, left_out: int) -> int:
    """Return the fewest moves to some points without one piece, at most MOVES - 1.

    Each byte of ``needs`` has the moves of a piece and, in its lowest three bits, its worth.
    """
    plan = (0, HOPELESS, HOPELESS, HOPELESS, HOPELESS)
    number = 0
    while needs > 0:
        if number != left_out:
            plan = with_piece(plan, (needs & 255) >> 3, needs & 7)
        needs >>= 8
        number += 1
    return min(MOVES - 1, plan[points])


def thaw(state: Position, player: int, cell: int) -> int:
    """Return for how many of a player's moves a piece stays frozen."""
    if not state.frozen[cell]:
        return 0
    return 2 - state.moves if state.turn == player else 2


def player_value(state: Position, player: int, free: Cells, sinks: Cells) -> int:
    """Return the value of a player's distance to four points and remaining special moves."""
    moves, near = race(state, player, free, sinks)
    value = NEAR * near + POINT * state.sunk[player] - freeze_danger(state, player)
    value += FREEZING * state.freezings[player] + PUSH * state.sink_moves[player]
    if state.turn == player:
        left = 2 - state.moves
        if moves <= left:
            value += WON
        moves = max(0, moves - TEMPO * (left - 1))
    return value + STEEP // (moves + SOFT)


def race(state: Position, player: int, free: Cells, sinks: Cells) -> tuple[int, int]:
    """Return the fewest moves to four points, and the pieces' total nearness to sinks."""
    plan = (0, HOPELESS, HOPELESS, HOPELESS, HOPELESS)
    near = 0
    for number in range(state.num_anchors[player]):
        cell = rules.anchor_of(state, player, number)
        moves = distance_to_sink(state, cell, free, sinks)
        worth = rules.worth(state.kind[cell])
        near += worth * max(0, FAR - moves)
        plan = with_piece(plan, moves + thaw(state, player, cell), worth)
    return plan[max(0, rules.WORTH_TO_WIN - state.sunk[player])], near


def freeze_danger(state: Position, player: int) -> int:
    """Return the penalty for the threat that the opponent freezes all pieces, which wins.

    A player without a movable piece needs two sink moves for a turn.
    """
    pieces = state.num_anchors[player]
    freezings = state.freezings[1 - player]
    pushes = state.sink_moves[player]
    if state.turn != player and pushes < 2 and unfrozen(state, player) <= freezings:
        return WON
    return LOCK if pieces == 0 or freezings // pieces > pushes // 2 else 0


def unfrozen(state: Position, player: int) -> int:
    """Return the number of a player's pieces that are not frozen."""
    count = 0
    for number in range(state.num_anchors[player]):
        count += 1 - state.frozen[rules.anchor_of(state, player, number)]
    return count


def with_piece(
    plan: tuple[int, int, int, int, int], moves: int, worth: int
) -> tuple[int, int, int, int, int]:
    """Return the fewest moves to 0, 1, ... 4 points with one more piece."""
    return (
        0,
        min(plan[1], moves),
        min(plan[2], plan[max(0, 2 - worth)] + moves),
        min(plan[3], plan[max(0, 3 - worth)] + moves),
        min(plan[4], plan[max(0, 4 - worth)] + moves),
    )


def distance_to_sink(state: Position, cell: int, free: Cells, sinks: Cells) -> int:
    """Return the fewest moves of a piece into a sink if nothing else moves, at most FAR.

    A cube's moves count twice.
    """
    kind = state.kind[cell]
    lie = state.lie[cell]
    row = rules.row_of(state, cell)
    col = rules.col_of(state, cell)
    own = block(row, col, rules.height(kind, lie), rules.width(kind, lie))
    at = block(row, col, 1, 1)
    if rules.is_cube(kind):
        return 2 * slide(at, anchors_in(union(free, own), 2, 2), anchors_in(sinks, 2, 2), 2)
    worth = rules.worth(kind)
    if worth == 1:
        return slide(at, free, sinks, 1)
    return roll(at, lie, union(free, own), sinks, worth)


def slide(at: Cells, free: Cells, sinks: Cells, step: int) -> int:
    """Return the fewest moves to a sink of a piece that slides by ``step`` fields."""
    for moves in range(1, FAR):
        sideways = union(right(at, step), left(at, step))
        at = union(sideways, union(above(at, step), below(at, step)))
        if intersects(at, sinks):
            return moves
        at = intersection(at, free)
    return FAR


def roll(at: Cells, lie: int, free: Cells, sinks: Cells, size: int) -> int:
    """Return the fewest moves to a sink of a rolling block of length ``size``."""
    nothing = (0, 0)
    upright = at if lie == rules.UPRIGHT else nothing
    across = at if lie == rules.ACROSS else nothing
    away = at if lie == rules.AWAY else nothing
    free_across = anchors_in(free, 1, size)
    free_away = anchors_in(free, size, 1)
    sinks_across = anchors_in(sinks, 1, size)
    sinks_away = anchors_in(sinks, size, 1)
    for moves in range(1, FAR):
        tipped = union(right(across, size), left(across, 1))
        to_upright = union(tipped, union(above(away, size), below(away, 1)))
        tipped = union(right(upright, 1), left(upright, size))
        to_across = union(tipped, union(above(across, 1), below(across, 1)))
        tipped = union(above(upright, 1), below(upright, size))
        to_away = union(tipped, union(right(away, 1), left(away, 1)))
        if (
            intersects(to_upright, sinks)
            or intersects(to_across, sinks_across)
            or intersects(to_away, sinks_away)
        ):
            return moves
        upright = intersection(to_upright, free)
        across = intersection(to_across, free_across)
        away = intersection(to_away, free_away)
    return FAR


def union(one: Cells, other: Cells) -> Cells:
    """Return the union of two sets."""
    return one[0] | other[0], one[1] | other[1]


def intersection(one: Cells, other: Cells) -> Cells:
    """Return the intersection of two sets."""
    return one[0] & other[0], one[1] & other[1]


def intersects(one: Cells, other: Cells) -> bool:
    """Tell whether two sets have a field in common."""
    return (one[0] & other[0] | one[1] & other[1]) != 0


def right(cells: Cells, cols: int) -> Cells:
    """Return a set shifted to the right."""
    return (cells[0] << cols) & WORD, (cells[1] << cols) & WORD


def left(cells: Cells, cols: int) -> Cells:
    """Return a set shifted to the left."""
    return cells[0] >> cols, cells[1] >> cols


def above(cells: Cells, rows: int) -> Cells:
    """Return a set shifted up."""
    up = STRIDE * rows
    return (cells[0] << up) & WORD, ((cells[1] << up) & WORD) | (cells[0] >> (BITS - up))


def below(cells: Cells, rows: int) -> Cells:
    """Return a set shifted down."""
    down = STRIDE * rows
    return (cells[0] >> down) | ((cells[1] << (BITS - down)) & WORD), cells[1] >> down


def anchors_in(cells: Cells, tall: int, wide: int) -> Cells:
    """Return the bottom-left fields of the rectangles that lie completely in the set."""
    for _ in range(1, wide):
        cells = intersection(cells, left(cells, 1))
    for _ in range(1, tall):
        cells = intersection(cells, below(cells, 1))
    return cells


def line(row: int, bits: int) -> Cells:
    """Return the set with these bits in one row."""
    if row < HALF:
        return bits << (STRIDE * row), 0
    return 0, bits << (STRIDE * (row - HALF))


def block(row: int, col: int, tall: int, wide: int) -> Cells:
    """Return a rectangle of fields."""
    cells = (0, 0)
    for r in range(row, row + tall):
        cells = union(cells, line(r, ((1 << wide) - 1) << col))
    return cells


def free_cells(state: Position) -> Cells:
    """Return the fields without an object or a known bomb."""
    cells = (0, 0)
    bombs = state.laid[0] + state.laid[1] > 0
    for row in range(state.rows):
        bits = (~state.taken[row + rules.EDGE] >> rules.EDGE) & ROW
        if bombs:
            for col in range(state.cols):
                if state.bomb[row * state.cols + col] != 0:
                    bits &= ~(1 << col)
        cells = union(cells, line(row, bits))
    return cells


def sink_cells(state: Position) -> Cells:
    """Return the fields of all sinks."""
    cells = (0, 0)
    for number in range(state.num_anchors[rules.SINKS]):
        cell = rules.anchor_of(state, rules.SINKS, number)
        size = rules.height(state.kind[cell], rules.UPRIGHT)
        row = rules.row_of(state, cell)
        cells = union(cells, block(row, rules.col_of(state, cell), size, size))
    return cells


def move_score(state: Position, action: int) -> int:
    """Return the ordering score of a legal action; the search extends those from TACTICAL on."""
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
    """Return the ordering score of pushing a sink, which may swallow pieces of either player."""
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
    """Return the distance in fields from an anchor to the nearest sink that can take the piece."""
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
    """Write the promising legal actions; return their number, 0 if the game is over.

    A bomb costs no move, so promising bombs come before everything else.
    """
    if state.over:
        return 0
    free = free_cells(state)
    sinks = sink_cells(state)
    if rules.may_lay(state):
        bombs = add_bombs(state, out, free, sinks)
        if bombs > 0:
            return bombs
    count = add_moves(state, state.turn, out, 0)
    if state.sink_moves[state.turn] > 0:
        count = add_moves(state, rules.SINKS, out, count)
    return add_freezings(state, out, count, free, sinks)


def add_moves(state: Position, group: int, out: list[int], count: int) -> int:
    """Append the legal moves of a group; return the new number of actions."""
    for number in range(state.num_anchors[group]):
        cell = rules.anchor_of(state, group, number)
        if rules.mover_refusal(state, cell) == rules.Refusal.NONE:
            for verb in range(rules.BOMB):
                if rules.way_refusal(state, cell, verb) == rules.Refusal.NONE:
                    out[count] = rules.NUM_VERBS * cell + verb
                    count += 1
    return count


def add_freezings(state: Position, out: list[int], count: int, free: Cells, sinks: Cells) -> int:
    """Append freezings of pieces that threaten to sink, or of all if enough are left."""
    enemy = 1 - state.turn
    if state.freezings[state.turn] == 0:
        return count
    can_freeze_all = unfrozen(state, enemy) <= state.freezings[state.turn]
    for number in range(state.num_anchors[enemy]):
        cell = rules.anchor_of(state, enemy, number)
        if state.frozen[cell]:
            continue
        if can_freeze_all or distance_to_sink(state, cell, free, sinks) <= FREEZE_FAR:
            out[count] = rules.NUM_VERBS * cell + rules.FREEZE
            count += 1
    return count


def add_bombs(state: Position, out: list[int], free: Cells, sinks: Cells) -> int:
    """Write the bombs on fields that enemy pieces can reach next; return their number."""
    enemy = 1 - state.turn
    count = 0
    for number in range(state.num_anchors[enemy]):
        cell = rules.anchor_of(state, enemy, number)
        if BOMB_NEAR <= distance_to_sink(state, cell, free, sinks) <= BOMB_FAR:
            for verb in range(rules.BOMB):
                count = add_bomb(state, cell, verb, out, count)
    return count


def add_bomb(state: Position, cell: int, verb: int, out: list[int], count: int) -> int:
    """Append the bomb at the anchor that a piece could reach; return the new number."""
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
    """Tell whether an action is among the first ``count`` in the list."""
    index = 0
    while index < count and out[index] != action:
        index += 1
    return index < count
