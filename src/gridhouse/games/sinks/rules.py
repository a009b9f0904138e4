"""The rules of Sinks, a three-dimensional board game of a first-year course (Stellenbosch, 2024).

Light (player 0) and Dark (player 1) roll blocks over their edges.  A turn is two moves; a cube
takes both.  A block that lands wholly inside a sink is sunk, and a player who has sunk blocks worth
4 or more wins.  A player who can move neither a block nor a sink loses.  With a limit, that number
of moves without a sunk or lost piece is a draw.  A player may also lay a hidden bomb before the
first move of a turn, freeze enemy blocks and push sinks.

Cell ``row * cols + col`` counts rows from the bottom and columns from the left.  The anchor of a
piece or sink is the bottom-left cell that it covers.  Its kind is stored there, and ``covered``
maps its cells to the anchor.  Action ``6 * cell + verb`` names a piece or a sink by its anchor.
"""

from __future__ import annotations

from enum import IntEnum

from gridhouse.core import chance, position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MIN_SIDE = 8
MAX_SIDE = 10
MARGIN = 3  # sinks start in the outer three rows and columns, pieces inside of them
WORTH_TO_WIN = 4
MAX_LIMIT = 10000
NUM_PLANES = 24
MAX_CELLS = MAX_SIDE * MAX_SIDE

# Kinds of objects: pieces A..D of Light, then of Dark; sinks; a blocked field.
CUBE = 4
PIECE_KINDS = 4
SINK_1 = 9
SINK_2 = 10
BLOCK = 11

UPRIGHT = 0
ACROSS = 1  # lies along a row
AWAY = 2  # lies along a column

LEFT = 0
RIGHT = 1
UP = 2
DOWN = 3
BOMB = 4
FREEZE = 5
NUM_VERBS = 6

SINKS = 2  # the group of the sinks; groups 0 and 1 are the players' pieces
NUM_GROUPS = 3

# Rows are bit masks with EDGE columns off the board on both sides, and EDGE rows above and below.
# No block is longer, so a test for free fields needs no test for the edges of the board.
EDGE = 3
LINES = MAX_SIDE + 2 * EDGE
NO_FIELD = (1 << LINES) - 1

NOWHERE = -1

SOON = 32  # from this number of moves before a draw, keys depend on the number

# Values of ``over`` besides 0.
DECIDED = 1
DRAWN = 2


class Refusal(IntEnum):
    """The reason why an action, or an object of the set-up, is not legal."""

    NONE = 0
    GAME_OVER = 1
    NOT_ANCHOR = 2
    NO_PIECE = 3
    WRONG_PLAYER = 4
    FROZEN = 5
    CUBE_SECOND = 6
    OFF_BOARD = 7
    NOT_FREE = 8
    RETURNED = 9
    NO_SINK_MOVES = 10
    SINKS_TOUCH = 11
    BOMB_AFTER_MOVE = 12
    NO_FREEZINGS = 13
    SINK_POSITION = 14
    PIECE_POSITION = 15


class Position(position.Position):
    """The board, the player to move, both players' remaining special moves, and the end.

    ``quiet`` counts the moves since a piece was sunk or lost; at ``limit`` the game is drawn, and
    without a limit nothing is counted.  The numbers of bombs ``laid`` and of pieces ``blown`` up
    are public.  ``first_cell`` is the present anchor of the piece or sink of the turn's first
    move, ``first_from`` its former anchor; both are NOWHERE without one.

    Three fields exist only for speed: ``inverse`` divides by ``cols``, ``taken`` has a bit for
    every field that is not free, and ``anchors`` has a list in ascending order for each group: the
    pieces of Light, the pieces of Dark, the sinks.
    """

    sinks = position.field("int8")
    rows = position.field("int8")
    cols = position.field("int8")
    inverse = position.field("int16")
    turn = position.field("int8")
    moves = position.field("int8")
    bombed = position.field("int8")
    over = position.field("int8")
    limit = position.field("int16")
    quiet = position.field("int16")
    freezings = position.field("int8", 2)
    sink_moves = position.field("int8", 2)
    sunk = position.field("int8", 2)
    first_cell = position.field("int8")
    first_from = position.field("int8")
    taken = position.field("int32", LINES)
    covered = position.field("int8", MAX_CELLS)  # anchor + 1, 0 for a free cell
    kind = position.field("int8", MAX_CELLS)
    lie = position.field("int8", MAX_CELLS)
    frozen = position.field("int8", MAX_CELLS)
    bomb = position.field("int8", MAX_CELLS)  # the player who laid it + 1
    laid = position.field("int32", 2)
    blown = position.field("int16")
    num_anchors = position.field("int8", NUM_GROUPS)
    anchors = position.field("int8", NUM_GROUPS * MAX_CELLS)


def start(state: Position, rows: int, cols: int, limit: int) -> None:
    """Turn an all-zero position into an empty board of this size with Light to move."""
    state.limit = limit
    state.rows = rows
    state.cols = cols
    state.inverse = 1024 // cols + 1
    for row in range(LINES):
        state.taken[row] = NO_FIELD
    for row in range(rows):
        state.taken[row + EDGE] -= span(0, cols)
    for player in range(2):
        state.freezings[player] = 2
        state.sink_moves[player] = 2
    state.first_cell = NOWHERE
    state.first_from = NOWHERE


def span(col: int, wide: int) -> int:
    """Return the bits of ``wide`` columns from ``col`` on, which may be off the board by EDGE."""
    return ((1 << wide) - 1) << (col + EDGE)


def row_of(state: Position, cell: int) -> int:
    """Return the row of a cell; a product and a shift are faster than a division."""
    return cell * state.inverse >> 10


def col_of(state: Position, cell: int) -> int:
    """Return the column of a cell."""
    return cell - row_of(state, cell) * state.cols


def is_piece(kind: int) -> bool:
    """Tell whether a kind is a piece of either player."""
    return 0 < kind < SINK_1


def is_sink(kind: int) -> bool:
    """Tell whether a kind is a sink of either size."""
    return SINK_1 <= kind <= SINK_2


def owner(kind: int) -> int:
    """Return the owner of a kind of piece, SINKS for a sink."""
    return (kind - 1) // PIECE_KINDS


def worth(kind: int) -> int:
    """Return the points of a kind of piece, which are also its length, except for the cube."""
    return (kind - 1) % PIECE_KINDS + 1


def is_cube(kind: int) -> bool:
    """Tell whether a kind is a 2x2x2 piece of either player."""
    return kind in (CUBE, CUBE + PIECE_KINDS)


def height(kind: int, lie: int) -> int:
    """Return the number of rows that an object covers."""
    if kind == SINK_2 or is_cube(kind):
        return 2
    return worth(kind) if lie == AWAY else 1


def width(kind: int, lie: int) -> int:
    """Return the number of columns that an object covers."""
    if kind == SINK_2 or is_cube(kind):
        return 2
    return worth(kind) if lie == ACROSS else 1


def landing(state: Position, cell: int, verb: int) -> tuple[int, int, int]:
    """Return the anchor's row and column, and the lie, after a move, on or off the board.

    A block rolls over its edge, so its extent in the direction of the move changes.
    """
    kind = state.kind[cell]
    row = row_of(state, cell)
    col = col_of(state, cell)
    lie = state.lie[cell]
    along = ACROSS if verb in (LEFT, RIGHT) else AWAY
    size = worth(kind)
    rolls = is_piece(kind) & (size > 1) & (size < CUBE)
    falls = rolls & (lie == UPRIGHT)
    rises = rolls & (lie == along)
    before = 2 if is_cube(kind) else size if rises else 1
    after = 2 if is_cube(kind) else size if falls else 1
    lie_after = along if falls else UPRIGHT if rises else lie
    far = before if verb in (RIGHT, UP) else -after
    if along == ACROSS:
        return row, col + far, lie_after
    return row + far, col, lie_after


def on_board(state: Position, row: int, col: int, kind: int, lie: int) -> bool:
    """Tell whether all cells that an object would cover are on the board."""
    return (
        row >= 0
        and col >= 0
        and row + height(kind, lie) <= state.rows
        and col + width(kind, lie) <= state.cols
    )


def inside_sink(state: Position, row: int, col: int, kind: int, lie: int) -> bool:
    """Tell whether all cells that a piece would cover belong to one sink."""
    sink = state.covered[row * state.cols + col]
    if sink == 0 or not is_sink(state.kind[sink - 1]):
        return False
    for r in range(row, row + height(kind, lie)):
        for c in range(col, col + width(kind, lie)):
            if state.covered[r * state.cols + c] != sink:
                return False
    return True


def swallows(state: Position, row: int, col: int, sink: int, cell: int) -> bool:
    """Tell whether a sink at this row and column would contain the piece that covers a cell."""
    anchor = state.covered[cell] - 1
    kind = state.kind[anchor]
    if not is_piece(kind):
        return False
    size = height(sink, UPRIGHT)
    r = row_of(state, anchor)
    c = col_of(state, anchor)
    return (
        r >= row
        and c >= col
        and r + height(kind, state.lie[anchor]) <= row + size
        and c + width(kind, state.lie[anchor]) <= col + size
    )


def is_free(state: Position, row: int, col: int, tall: int, wide: int) -> bool:
    """Tell whether a rectangle is on the board and free."""
    columns = span(col, wide)
    for r in range(row + EDGE, row + EDGE + tall):
        if state.taken[r] & columns:
            return False
    return True


def first_taken(state: Position, row: int, col: int, kind: int, lie: int, moved: int) -> int:
    """Return the lowest, then leftmost cell that is not free for an object, or NOWHERE.

    ``moved`` is the anchor of a sink that is being pushed, else NOWHERE.  For such a sink its own
    cells count as free, and so do pieces that it would swallow.
    """
    for r in range(row, row + height(kind, lie)):
        for c in range(col, col + width(kind, lie)):
            cell = r * state.cols + c
            if state.covered[cell] != 0 and (
                moved == NOWHERE
                or (state.covered[cell] != moved + 1 and not swallows(state, row, col, kind, cell))
            ):
                return cell
    return NOWHERE


def first_taken_on_way(state: Position, cell: int, verb: int) -> int:
    """Return the lowest, then leftmost cell that blocks a move, or NOWHERE."""
    kind = state.kind[cell]
    row, col, lie = landing(state, cell, verb)
    return first_taken(state, row, col, kind, lie, NOWHERE if is_piece(kind) else cell)


def touches_sink(state: Position, row: int, col: int, sink: int, moved: int) -> bool:
    """Tell whether a sink at this row and column would share an edge with another sink."""
    size = height(sink, UPRIGHT)
    for number in range(state.num_anchors[SINKS]):
        other = anchor_of(state, SINKS, number)
        if other != moved:
            beyond = height(state.kind[other], UPRIGHT)
            up = row_of(state, other) - row
            right = col_of(state, other) - col
            in_row = -beyond < up < size
            in_col = -beyond < right < size
            if (in_row and -beyond <= right <= size) or (in_col and -beyond <= up <= size):
                return True
    return False


def is_outer(state: Position, row: int, col: int) -> bool:
    """Tell whether a field lies in the outer three rows or columns."""
    return row < MARGIN or col < MARGIN or row >= state.rows - MARGIN or col >= state.cols - MARGIN


def setup_refusal(state: Position, cell: int, kind: int) -> int:
    """Return 0 if an object may be placed at an anchor during the set-up, else the reason."""
    row = row_of(state, cell)
    col = col_of(state, cell)
    if kind != BLOCK:
        fits = on_board(state, row, col, kind, UPRIGHT)
        outer = 0
        for r in range(row, row + height(kind, UPRIGHT)):
            for c in range(col, col + width(kind, UPRIGHT)):
                if is_outer(state, r, c):
                    outer += 1
        size = height(kind, UPRIGHT) * width(kind, UPRIGHT)
        if is_piece(kind) and outer > 0:
            return Refusal.PIECE_POSITION
        if not is_piece(kind) and (not fits or outer < size):
            return Refusal.SINK_POSITION
    if first_taken(state, row, col, kind, UPRIGHT, NOWHERE) != NOWHERE:
        return Refusal.NOT_FREE
    if is_sink(kind) and touches_sink(state, row, col, kind, NOWHERE):
        return Refusal.SINKS_TOUCH
    return Refusal.NONE


def anchor_of(state: Position, group: int, number: int) -> int:
    """Return the anchor with this number in the ascending list of a group."""
    return int(state.anchors[MAX_CELLS * group + number])


def add_anchor(state: Position, group: int, cell: int) -> None:
    """Insert an anchor into the list of its group."""
    at = MAX_CELLS * group + state.num_anchors[group]
    while at > MAX_CELLS * group and state.anchors[at - 1] > cell:
        state.anchors[at] = state.anchors[at - 1]
        at -= 1
    state.anchors[at] = cell
    state.num_anchors[group] += 1


def remove_anchor(state: Position, group: int, cell: int) -> None:
    """Remove an anchor from the list of its group; unused entries are zero."""
    state.num_anchors[group] -= 1
    at = MAX_CELLS * group + state.num_anchors[group]
    after = 0
    while state.anchors[at] != cell:
        state.anchors[at], after = after, state.anchors[at]
        at -= 1
    state.anchors[at] = after


def cover(state: Position, cell: int, kind: int, lie: int, value: int) -> None:
    """Occupy or free the cells of an object, and set ``covered`` there to ``value``."""
    row = row_of(state, cell)
    col = col_of(state, cell)
    wide = width(kind, lie)
    for r in range(row, row + height(kind, lie)):
        state.taken[r + EDGE] ^= span(col, wide)
        for c in range(col, col + wide):
            state.covered[r * state.cols + c] = value


def put(state: Position, cell: int, kind: int, lie: int) -> None:
    """Put an object on the board with its anchor on a cell."""
    if kind != BLOCK:
        add_anchor(state, owner(kind), cell)
    state.kind[cell] = kind
    state.lie[cell] = lie
    cover(state, cell, kind, lie, cell + 1)


def lift(state: Position, cell: int) -> None:
    """Take a piece or sink off the board."""
    kind = state.kind[cell]
    lie = state.lie[cell]
    remove_anchor(state, owner(kind), cell)
    cover(state, cell, kind, lie, 0)
    state.kind[cell] = 0
    state.lie[cell] = UPRIGHT
    state.frozen[cell] = 0


def named(state: Position, cell: int) -> int:
    """Return the anchor of the object on a cell, or the cell itself if it is free."""
    return state.covered[cell] - 1 if state.covered[cell] != 0 else cell


def is_return(state: Position, cell: int, row: int, col: int) -> bool:
    """Tell whether a second move would undo the first.

    Every move changes the anchor along its own axis.  So only the opposite move restores the first
    anchor, and it restores the lie as well: comparing anchors is enough.
    """
    return cell == state.first_cell and row * state.cols + col == state.first_from


def mover_refusal(state: Position, cell: int) -> int:
    """Return 0 if the player may move the object at an anchor, wherever to, else the reason."""
    kind = state.kind[cell]
    if is_piece(kind):
        if owner(kind) != state.turn:
            return Refusal.WRONG_PLAYER
        if state.frozen[cell]:
            return Refusal.FROZEN
        return Refusal.CUBE_SECOND if is_cube(kind) and state.moves == 1 else Refusal.NONE
    if is_sink(kind):
        return Refusal.NO_SINK_MOVES if state.sink_moves[state.turn] == 0 else Refusal.NONE
    return Refusal.NO_PIECE


def piece_way_refusal(state: Position, cell: int, verb: int) -> int:
    """Return 0 if a movable piece can move in a direction, else the reason."""
    kind = state.kind[cell]
    row, col, lie = landing(state, cell, verb)
    if is_free(state, row, col, height(kind, lie), width(kind, lie)):
        return Refusal.RETURNED if is_return(state, cell, row, col) else Refusal.NONE
    if not on_board(state, row, col, kind, lie):
        return Refusal.OFF_BOARD
    return Refusal.NONE if inside_sink(state, row, col, kind, lie) else Refusal.NOT_FREE


def sink_way_refusal(state: Position, cell: int, verb: int) -> int:
    """Return 0 if a movable sink can be pushed in a direction, else the reason."""
    kind = state.kind[cell]
    row, col, lie = landing(state, cell, verb)
    if not on_board(state, row, col, kind, lie):
        return Refusal.OFF_BOARD
    if first_taken(state, row, col, kind, lie, cell) != NOWHERE:
        return Refusal.NOT_FREE
    if touches_sink(state, row, col, kind, cell):
        return Refusal.SINKS_TOUCH
    return Refusal.RETURNED if is_return(state, cell, row, col) else Refusal.NONE


def way_refusal(state: Position, cell: int, verb: int) -> int:
    """Return 0 if a movable object can move in a direction, else the reason."""
    if is_piece(state.kind[cell]):
        return piece_way_refusal(state, cell, verb)
    return sink_way_refusal(state, cell, verb)


def move_refusal(state: Position, cell: int, verb: int) -> int:
    """Return 0 if the object at an anchor may be moved in a direction, else the reason."""
    reason = mover_refusal(state, cell)
    return reason if reason != Refusal.NONE else way_refusal(state, cell, verb)


def may_lay(state: Position) -> bool:
    """Tell whether a bomb may be laid now on the free fields."""
    return state.moves == 0 and not state.bombed


def bomb_refusal(state: Position, cell: int) -> int:
    """Return 0 if a bomb may be laid on a cell, else the reason."""
    if state.covered[cell] != 0:
        return Refusal.NOT_FREE
    return Refusal.NONE if may_lay(state) else Refusal.BOMB_AFTER_MOVE


def freeze_refusal(state: Position, cell: int) -> int:
    """Return 0 if the piece at an anchor may be frozen, else the reason."""
    if not is_piece(state.kind[cell]):
        return Refusal.NO_PIECE
    if state.freezings[state.turn] == 0:
        return Refusal.NO_FREEZINGS
    if owner(state.kind[cell]) == state.turn:
        return Refusal.WRONG_PLAYER
    return Refusal.NONE


def verb_refusal(state: Position, cell: int, verb: int) -> int:
    """Return 0 if an action is legal in a game that is not over, else the reason."""
    if verb == BOMB:
        return bomb_refusal(state, cell)
    if named(state, cell) != cell:
        return Refusal.NOT_ANCHOR
    if verb == FREEZE:
        return freeze_refusal(state, cell)
    return move_refusal(state, cell, verb)


def refusal(state: Position, action: int) -> int:
    """Return 0 if the action is legal, else the reason."""
    if state.over:
        return Refusal.GAME_OVER
    return verb_refusal(state, action // NUM_VERBS, action % NUM_VERBS)


def any_moves(state: Position, group: int) -> bool:
    """Tell whether the player to move can move any object of a group."""
    for number in range(state.num_anchors[group]):
        cell = anchor_of(state, group, number)
        if mover_refusal(state, cell) == Refusal.NONE:
            for verb in range(BOMB):
                if way_refusal(state, cell, verb) == Refusal.NONE:
                    return True
    return False


def can_move(state: Position) -> bool:
    """Tell whether the player to move can move a piece or a sink."""
    return any_moves(state, state.turn) or any_moves(state, SINKS)


def winner(state: Position) -> int:
    """Return the player who has sunk enough, or NOWHERE; of two, the last mover wins."""
    mover = state.turn if state.moves == 1 else 1 - state.turn
    if state.sunk[mover] >= WORTH_TO_WIN:
        return mover
    if state.sunk[1 - mover] >= WORTH_TO_WIN:
        return 1 - mover
    return NOWHERE


def list_actions_at(state: Position, cell: int, out: list[int], count: int) -> int:
    """Append the legal actions at an anchor; return the new number of actions."""
    if mover_refusal(state, cell) == Refusal.NONE:
        for verb in range(BOMB):
            if way_refusal(state, cell, verb) == Refusal.NONE:
                out[count] = NUM_VERBS * cell + verb
                count += 1
    if freeze_refusal(state, cell) == Refusal.NONE:
        out[count] = NUM_VERBS * cell + FREEZE
        count += 1
    return count


def legal_actions(state: Position, out: list[int]) -> int:
    """Write the legal actions in ascending order; return their number."""
    count = 0
    cells = 0 if state.over else state.rows * state.cols
    bombs = may_lay(state)
    for cell in range(cells):
        taken = state.covered[cell]
        if taken == 0:
            if bombs:
                out[count] = NUM_VERBS * cell + BOMB
                count += 1
        elif taken == cell + 1:
            count = list_actions_at(state, cell, out, count)
    return count


def sample_candidate(state: Position, rng: Any) -> int:
    """Return a random action, such that all legal actions have the same probability.

    It draws from moves of own pieces and sinks, freezings and bombs.  Two in five of these are
    legal, against one in thirty of all actions if no bomb can be laid.
    """
    me = state.turn
    own = BOMB * state.num_anchors[me]
    sinks = BOMB * state.num_anchors[SINKS] if state.sink_moves[me] > 0 else 0
    enemies = state.num_anchors[1 - me] if state.freezings[me] > 0 else 0
    cells = state.rows * state.cols if may_lay(state) else 0
    number = chance.randbelow(rng, own + sinks + enemies + cells)
    if number < own:
        return NUM_VERBS * anchor_of(state, me, number // BOMB) + number % BOMB
    number -= own
    if number < sinks:
        return NUM_VERBS * anchor_of(state, SINKS, number // BOMB) + number % BOMB
    number -= sinks
    if number < enemies:
        return NUM_VERBS * anchor_of(state, 1 - me, number) + FREEZE
    return NUM_VERBS * (number - enemies) + BOMB


def sink_piece(state: Position, cell: int) -> None:
    """Take a piece off the board and credit its owner."""
    kind = state.kind[cell]
    lift(state, cell)
    state.sunk[owner(kind)] += worth(kind)


def push_sink(state: Position, cell: int, row: int, col: int) -> None:
    """Move a sink to a row and column; it swallows pieces there and removes bombs."""
    kind = state.kind[cell]
    lift(state, cell)
    for r in range(row, row + height(kind, UPRIGHT)):
        for c in range(col, col + width(kind, UPRIGHT)):
            at = r * state.cols + c
            state.bomb[at] = 0
            if state.covered[at] != 0:
                sink_piece(state, state.covered[at] - 1)
    put(state, row * state.cols + col, kind, UPRIGHT)
    state.sink_moves[state.turn] -= 1


def roll_piece(state: Position, cell: int, row: int, col: int, lie: int) -> bool:
    """Roll a piece to a row and column; return whether it is still on the board."""
    kind = state.kind[cell]
    if inside_sink(state, row, col, kind, lie):
        sink_piece(state, cell)
        return False
    lift(state, cell)
    set_off = False
    for r in range(row, row + height(kind, lie)):
        for c in range(col, col + width(kind, lie)):
            at = r * state.cols + c
            if state.bomb[at] != 0:
                state.bomb[at] = 0
                set_off = True
    if set_off:
        state.blown += 1
    else:
        put(state, row * state.cols + col, kind, lie)
    return not set_off


def end_turn(state: Position) -> None:
    """Pass the turn to the other player, and release the pieces frozen for this turn."""
    if state.freezings[1 - state.turn] < 2:
        for number in range(state.num_anchors[state.turn]):
            state.frozen[anchor_of(state, state.turn, number)] = 0
    state.turn = 1 - state.turn
    state.moves = 0
    state.bombed = 0
    state.first_cell = NOWHERE
    state.first_from = NOWHERE


def num_pieces(state: Position) -> int:
    """Return the number of both players' pieces on the board."""
    return state.num_anchors[0] + state.num_anchors[1]


def apply_move(state: Position, cell: int, verb: int) -> None:
    """Roll a piece or push a sink, and count the move."""
    kind = state.kind[cell]
    pieces = num_pieces(state)
    row, col, lie = landing(state, cell, verb)
    stands = True
    if is_piece(kind):
        stands = roll_piece(state, cell, row, col, lie)
    else:
        push_sink(state, cell, row, col)
    if state.limit > 0:
        state.quiet = state.quiet + 1 if num_pieces(state) == pieces else 0
    state.moves += 2 if is_cube(kind) else 1
    if state.moves >= 2:
        end_turn(state)
    elif stands:
        state.first_cell = row * state.cols + col
        state.first_from = cell
    note_end(state)


def apply_action(state: Position, action: int) -> None:
    """Play a legal action."""
    cell = action // NUM_VERBS
    verb = action % NUM_VERBS
    if verb == BOMB:
        state.bomb[cell] = 0 if state.bomb[cell] != 0 else state.turn + 1
        state.bombed = 1
        state.laid[state.turn] += 1
    elif verb == FREEZE:
        state.frozen[cell] = 1
        state.freezings[state.turn] -= 1
    else:
        apply_move(state, cell, verb)


def key(state: Position) -> int:
    """Return a hash of the objects, the bombs, and both players' remaining special moves.

    The number of quiet moves is included only near the draw, where a search can see it.
    """
    counts = 0
    for player in range(2):
        counts = counts * 3 + state.freezings[player]
        counts = counts * 3 + state.sink_moves[player]
        counts = counts * 128 + state.sunk[player]
    counts = (counts * 2 + state.turn) * 4 + 2 * state.moves + state.bombed
    counts = (counts * 128 + state.first_cell + 1) * 128 + state.first_from + 1
    result = chance.zobrist(counts)
    left = state.limit - state.quiet
    if state.limit and left < SOON:
        result ^= chance.zobrist(-2 - left)
    for cell in range(state.rows * state.cols):
        if state.kind[cell] != 0:
            pose = 2 * state.lie[cell] + state.frozen[cell]
            result ^= chance.zobrist((state.kind[cell] * 8 + pose) * 256 + 2 * cell + (1 << 50))
        if state.bomb[cell] != 0:
            result ^= chance.zobrist((state.bomb[cell] * 256) + 2 * cell + 1 + (1 << 50))
    return result


def current_player(state: Position) -> int:
    """Return the player to move."""
    return state.turn


def note_end(state: Position) -> None:
    """Set ``over``: a player has sunk enough, the player to move cannot move, or it is a draw.

    Only moves of pieces and sinks change this; call it once after building a position.
    """
    state.over = 0
    if winner(state) != NOWHERE or not can_move(state):
        state.over = DECIDED
    elif state.limit > 0 and state.quiet >= state.limit:
        state.over = DRAWN


def is_terminal(state: Position) -> bool:
    """Tell whether the game is over."""
    return state.over != 0


def returns(state: Position, out: list[float]) -> None:
    """Write 1 for the winner and -1 for the loser, 0 for a draw and before the end."""
    out[0] = 0
    out[1] = 0
    if state.over == DECIDED:
        best = winner(state)
        if best == NOWHERE:
            best = 1 - state.turn
        out[best] = 1
        out[1 - best] = -1


def redact(state: Position, player: int) -> None:
    """Remove the opponent's bombs, which the player may not see."""
    for cell in range(state.rows * state.cols):
        if state.bomb[cell] != player + 1:
            state.bomb[cell] = 0


def num_bombs(state: Position, player: int) -> int:
    """Return the number of a player's bombs on the board."""
    count = 0
    for cell in range(state.rows * state.cols):
        if state.bomb[cell] == player + 1:
            count += 1
    return count


def believed_bombs(state: Position, player: int) -> int:
    """Return the number of the opponent's bombs on the board, as the player can infer it.

    The player's own missing bombs are taken to have blown up pieces, and the opponent's bombs to
    have blown up the remaining ones.
    """
    own_gone = state.laid[player] - num_bombs(state, player)
    return max(0, state.laid[1 - player] - max(0, state.blown - own_gone))


def is_bare(state: Position, cell: int) -> bool:
    """Tell whether a cell has neither an object nor a bomb."""
    return state.covered[cell] == 0 and state.bomb[cell] == 0


def has_hidden_information(state: Position, player: int) -> bool:
    """Tell whether the opponent may have bombs on the board."""
    return believed_bombs(state, player) > 0


def resample(state: Position, player: int, rng: Any) -> None:
    """Place the opponent's bombs at random on fields without an object or a bomb.

    One pass over the fields draws them uniformly (Knuth, selection sampling).
    """
    redact(state, player)
    fields = 0
    for cell in range(state.rows * state.cols):
        if is_bare(state, cell):
            fields += 1
    bombs = believed_bombs(state, player)
    for cell in range(state.rows * state.cols):
        if is_bare(state, cell):
            if chance.randbelow(rng, fields) < bombs:
                state.bomb[cell] = 2 - player
                bombs -= 1
            fields -= 1


def observation_planes(state: Position, player: int, out: list[float]) -> None:
    """Write the observation planes of a player, own objects before the opponent's.

    0..7 pieces a to d, own and other; 8 across, 9 away; 10 sinks; 11 blocked; 12 own bombs;
    13 frozen.  Then constant planes: 14 own turn, 15 first move made, 16 bomb laid, 17..18
    freezings left / 2, 19..20 sink moves left / 2, 21..22 points sunk / 4, own and other; 23 quiet
    moves / limit.
    """
    cells = state.rows * state.cols
    quiet = state.quiet / max(1, state.limit)
    for cell in range(cells):
        if state.covered[cell] != 0:
            anchor = state.covered[cell] - 1
            kind = state.kind[anchor]
            if is_piece(kind):
                side = 0 if owner(kind) == player else PIECE_KINDS
                out[(side + worth(kind) - 1) * cells + cell] = 1
                if state.lie[anchor] != UPRIGHT:
                    out[(7 + state.lie[anchor]) * cells + cell] = 1
                out[13 * cells + cell] = state.frozen[anchor]
            elif kind == BLOCK:
                out[11 * cells + cell] = 1
            else:
                out[10 * cells + cell] = 1
        out[12 * cells + cell] = 1 if state.bomb[cell] != 0 else 0
        out[14 * cells + cell] = 1 if state.turn == player else 0
        out[15 * cells + cell] = state.moves
        out[16 * cells + cell] = state.bombed
        out[23 * cells + cell] = quiet
        for side in range(2):
            who = player if side == 0 else 1 - player
            out[(17 + side) * cells + cell] = state.freezings[who] / 2
            out[(19 + side) * cells + cell] = state.sink_moves[who] / 2
            out[(21 + side) * cells + cell] = state.sunk[who] / WORTH_TO_WIN
