"""The evaluation of Tactego: safe runs to a flag, material, and distances to the flags.

A piece that slips through to the flag decides most games, often within forty moves.  So the main
term is the *safe run*: a path to a flag on which, after every step, no enemy piece that beats the
runner can reach it, however the enemy moves.  If no enemy can reach the own flag sooner, the run
proves the win, many plies before a search sees it.

The weights were tuned by self-play of alpha-beta at 2000 nodes a move, 270 or 360 games a choice,
from openings that a short search did not decide.  Scores: without safe runs 32 %; without the value
of steps towards the flag 43 %; with a slack of 8 instead of 0 56 %.  Other values of the pieces and
of the nearest piece's steps made no difference.

Where kinds are hidden and all pieces are flags and the lowest numbers, as in the default army, half
of that is added to what each piece is worth by its way to the flag, which was learned from games
that POMCP played against itself (``benchmarks/learn.py``).  Of other pieces nothing useful was
learned (``docs/strength.md``).
"""

from __future__ import annotations

from pathlib import Path

from gridhouse.games.tactego import rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.tactego.rules import Position

# Leaves are evaluated without playouts.  This scores 95 % (6 by 4) and 82 % (8 by 8) against the
# same number of random playouts to the end; six random moves first are slower and not better.
HORIZON = 0
RAVE = 0.0
HAS_TACTICAL = True
BEST = "alphabeta"
BEST_HIDDEN = "pomcp"

TACTICAL = 100  # the search extends leaves by moves with at least this score
BOUND = 99_999
FAR = 1 << 20  # more steps than on any board

LEARNED = 1  # 0 for the formula alone
HAND = 50  # percent of the formula beside the learned weights
WEIGHTS = Path(__file__).with_name("weights.bin").read_bytes()
ZERO = 1 << 15  # a weight has two bytes, the lower one first, and is that much more than it counts
# A weight for each piece of the player to move, then of the other, by its kind and its way.
KINDS = 5  # a flag, and the lowest numbers
WAYS = 8
NUM_WEIGHTS = 2 * KINDS * WAYS

# Piece values.  A number's value depends on its strength and on the part of the enemy's numbers
# that it beats; there is a bonus if none of them beats it.
FLAG = 300
MINE = 40
SAPPER = 60
DEMINES = 20  # for each mine of the enemy
ASSASSIN = 100
NUMBER = 60
STRONGER = 10
BEATS = 60
UNBEATEN = 40

# The value of nearness to the enemy's flag: for every piece each step below REACH; for the nearest
# piece each step; and for every piece each step by which it arrives before a piece that beats it,
# counted from BEHIND steps late up to one step ahead.
REACH = 8
STEP = 4
NEAREST = 5
FARTHEST = 20
SLACK = 8
BEHIND = 3
MAX_SLACK = 4

# The value of a safe run of at most LONGEST steps, which wins if the enemy is not faster.  It stays
# below certainty: tanh(19) is 1 in floating point.
LONGEST = 7
WON = 3000
WON_STEP = 40
DECISIVE = 2000
RUN = 300
RUN_STEP = 15

TEMPO = 8  # for the side to move

# Move scores.
TAKES_FLAG = 600
KIND_GAIN = 8
MAX_GAIN = 240
TRADE = -30
LOSES = -100
FORWARD = 5
DANGER = 30
ESCAPE = 15


def evaluate(state: Position) -> int:
    """Return the evaluation for Red, in hundredths of about a piece."""
    top = highest_kind(state)
    ways = flag_distances(state)
    guards = guard_distances(state, ways, top)
    value = race(state, ways, guards)
    if abs(value) > DECISIVE:
        return value
    counts = piece_counts(state, top)
    value += TEMPO if state.turn == 0 else -TEMPO
    value += pieces_value(state, counts) + nearness(state, ways, guards)
    if LEARNED and state.hidden and has_learned_kinds(counts, top):
        by_hand = abs(value) * HAND // 100
        value = (by_hand if value > 0 else -by_hand) + learned_value(state, ways)
    if state.limit > 0:
        # The side that is ahead should capture before the game is drawn.
        fades = abs(value) * state.quiet // (2 * state.limit)
        value += fades if value < 0 else -fades
    return int(max(-BOUND, min(BOUND, value)))


def weight(index: int) -> int:
    """Return a learned weight, in hundredths."""
    return (WEIGHTS[2 * index + 1] << 8) + WEIGHTS[2 * index] - ZERO


def has_learned_kinds(counts: list[int], top: int) -> bool:
    """Tell whether all pieces are of kinds that have weights."""
    others = 0
    for kind in range(rules.NUMBER):
        if kind != rules.FLAG:
            others += counts[kind] + counts[top + 1 + kind]
    return others == 0 and top - rules.NUMBER < KINDS - 1


def learned_value(state: Position, ways: list[int]) -> int:
    """Return what all pieces are worth by their ways to the enemy's flags, for Red."""
    cells = state.rows * state.cols
    value = 0
    for cell in range(cells):
        piece = int(state.board[cell])
        if piece == 0:
            continue
        side = 0 if piece > 0 else 1
        kind = 0 if abs(piece) == rules.FLAG else abs(piece) - rules.NUMBER + 1
        way = min(WAYS - 1, ways[(1 - side) * cells + cell])
        value += weight(((side ^ state.turn) * KINDS + kind) * WAYS + way)
    return value if state.turn == 0 else -value


def highest_kind(state: Position) -> int:
    """Return the highest kind on the board, at least the lowest number."""
    top = int(rules.NUMBER)
    for cell in range(state.rows * state.cols):
        kind = abs(int(state.board[cell]))
        if kind > top:
            top = kind
    return top


def flag_distances(state: Position) -> list[int]:
    """Return for every cell the steps to Red's nearest flag, then those to Blue's."""
    cells = state.rows * state.cols
    ways = [FAR] * (2 * cells)
    for owner in range(2):
        flag = rules.FLAG if owner == 0 else -rules.FLAG
        last = -1
        for cell in range(cells):
            if state.board[cell] == flag:
                ways[owner * cells + cell] = 0
                last = cell
        if state.flags_left[owner] == 1:
            # With a single flag, the usual case, no passes over the neighbours are needed.
            fill(state, ways, owner * cells, last)
        else:
            spread(state, ways, owner * cells)
    return ways


def fill(state: Position, ways: list[int], at: int, flag: int) -> None:
    """Write the steps of all cells to the only flag, from index ``at`` on."""
    rows, cols = int(state.rows), int(state.cols)
    flag_row = flag // cols
    flag_col = flag - flag_row * cols
    for row in range(rows):
        down = abs(row - flag_row)
        for col in range(cols):
            ways[at] = max(down, abs(col - flag_col))
            at += 1


def spread(state: Position, ways: list[int], base: int) -> None:
    """Write the steps of all cells to the nearest cell with 0, from index ``base`` on.

    Two passes suffice, each using the neighbours already passed (Rosenfeld and Pfaltz, 1966).
    """
    rows, cols = int(state.rows), int(state.cols)
    sweep(ways, base, rows, cols, 1)
    sweep(ways, base + rows * cols - 1, rows, cols, -1)


def sweep(ways: list[int], at: int, rows: int, cols: int, sign: int) -> None:
    """Pass over all cells, forwards or with sign -1 backwards, and update the distances."""
    back = sign * cols
    for row in range(rows):
        for col in range(cols):
            best = ways[at] - 1
            if col > 0:
                best = min(best, ways[at - sign])
            if row > 0:
                best = min(best, ways[at - back])
                if col > 0:
                    best = min(best, ways[at - back - sign])
                if col < cols - 1:
                    best = min(best, ways[at - back + sign])
            ways[at] = best + 1
            at += sign


def piece_counts(state: Position, top: int) -> list[int]:
    """Return Red's counts of each kind, then Blue's; those of numbers are cumulative."""
    counts = [0] * (2 * (top + 1))
    for cell in range(state.rows * state.cols):
        piece = int(state.board[cell])
        if piece != 0:
            counts[piece if piece > 0 else top + 1 - piece] += 1
    for kind in range(rules.NUMBER, top + 1):
        counts[kind] += counts[kind - 1]
        counts[top + 1 + kind] += counts[top + kind]
    return counts


def guard_distances(state: Position, ways: list[int], top: int) -> list[int]:
    """Return for each kind the steps to Red's flags of Red's nearest beater, then for Blue."""
    cells = state.rows * state.cols
    guards = [FAR] * (2 * (top + 1))
    for cell in range(cells):
        piece = int(state.board[cell])
        if piece != 0 and abs(piece) not in rules.IMMOVABLE:
            way = ways[cell] if piece > 0 else ways[cells + cell]
            at = piece if piece > 0 else top + 1 - piece
            guards[at] = min(guards[at], way)
    for base in (0, top + 1):
        assassin = guards[base + rules.ASSASSIN]
        sapper = guards[base + rules.SAPPER]
        for kind in range(top - 1, 0, -1):
            guards[base + kind] = min(guards[base + kind], guards[base + kind + 1])
        # Everything that moves beats an assassin, and an assassin everything.
        guards[base + rules.ASSASSIN] = guards[base + rules.SAPPER]
        for kind in range(rules.ZERO, top + 1):
            guards[base + kind] = min(guards[base + kind], assassin)
        guards[base + rules.ZERO] = min(guards[base + rules.ZERO], sapper)
    return guards


def pieces_value(state: Position, counts: list[int]) -> int:
    """Return the value of Red's pieces less that of Blue's."""
    half = len(counts) // 2
    value = 0
    for cell in range(state.rows * state.cols):
        piece = int(state.board[cell])
        if piece > 0:
            value += piece_value(piece, counts, half)
        elif piece < 0:
            value -= piece_value(-piece, counts, 0)
    return value


def piece_value(kind: int, counts: list[int], enemy: int) -> int:
    """Return the value of a piece against the enemy whose counts begin at ``enemy``."""
    if kind == rules.FLAG:
        return FLAG
    if kind == rules.MINE:
        return MINE
    if kind == rules.SAPPER:
        return SAPPER + DEMINES * counts[enemy + rules.MINE]
    if kind == rules.ASSASSIN:
        return ASSASSIN
    numbers = counts[enemy + len(counts) // 2 - 1]
    worth = NUMBER + STRONGER * (kind - rules.NUMBER)
    if numbers > 0:
        worth += BEATS * counts[enemy + kind] // numbers
    weaker = counts[enemy + kind - 1] if kind > rules.ZERO else 0
    return worth + UNBEATEN if weaker == numbers else worth


def nearness(state: Position, ways: list[int], guards: list[int]) -> int:
    """Return the value of Red's nearness to Blue's flags less that of Blue's to Red's."""
    cells = state.rows * state.cols
    half = len(guards) // 2
    value = 0
    nearest = [FARTHEST, FARTHEST]
    for cell in range(cells):
        piece = int(state.board[cell])
        if piece == 0 or abs(piece) in rules.IMMOVABLE:
            continue
        side = 0 if piece > 0 else 1
        way = ways[(1 - side) * cells + cell]
        slack = guards[(1 - side) * half + abs(piece)] - way + BEHIND
        near = STEP * max(0, REACH - way) + SLACK * max(0, min(MAX_SLACK, slack))
        nearest[side] = min(nearest[side], way)
        value += near if side == 0 else -near
    return value + NEAREST * (nearest[1] - nearest[0])


def race(state: Position, ways: list[int], guards: list[int]) -> int:
    """Return the value of safe runs to the flags for Red."""
    red = quickest_run(state, ways, guards, 0)
    blue = quickest_run(state, ways, guards, 1)
    if red == FAR and blue == FAR:
        return 0
    turn = int(state.turn)
    if red + turn <= blue:
        return run_value(state, ways, 0, red)
    return -run_value(state, ways, 1, blue)


def run_value(state: Position, ways: list[int], side: int, steps: int) -> int:
    """Return the value of a safe run for a side; it wins if the enemy is slower."""
    other = FAR
    cells = state.rows * state.cols
    for cell in range(cells):
        piece = int(state.board[cell])
        if rules.belongs_to(piece, 1 - side) and abs(piece) not in rules.IMMOVABLE:
            other = min(other, ways[side * cells + cell])
    if steps + (1 if state.turn != side else 0) <= other and state.flags_left[1 - side] == 1:
        return WON - WON_STEP * steps
    return RUN - RUN_STEP * steps


def quickest_run(state: Position, ways: list[int], guards: list[int], side: int) -> int:
    """Return the fewest steps of a side's safe run, FAR if there is none."""
    cells = state.rows * state.cols
    half = len(guards) // 2
    late = 0 if state.turn == side else 1
    best = FAR
    for cell in range(cells):
        piece = int(state.board[cell])
        if not rules.belongs_to(piece, side) or abs(piece) in rules.IMMOVABLE:
            continue
        way = ways[(1 - side) * cells + cell]
        guard = guards[(1 - side) * half + abs(piece)]
        # Next to the flag, the runner must be out of reach of a guard after as many steps.
        if way < best and way <= LONGEST and guard >= way - 1 + late:
            longest = min(best - 1, LONGEST)
            best = min(best, safe_run(state, ways, cell, late, longest))
    return best


def safe_run(state: Position, ways: list[int], start: int, late: int, longest: int) -> int:
    """Return the fewest steps of a piece's safe run to a flag, FAR above ``longest``.

    ``late`` is 1 if the enemy is to move.
    """
    cells = state.rows * state.cols
    piece = int(state.board[start])
    flags = cells if piece > 0 else 0
    dangers = danger_distances(state, abs(piece), 1 if piece > 0 else 0)
    steps = [FAR] * cells
    steps[start] = 0 if dangers[start] > late else FAR
    queue = [start]
    done = 0
    while done < len(queue):
        made = steps[queue[done]] + 1
        for direction in range(rules.NUM_DIRECTIONS):
            near = rules.target(state, rules.NUM_DIRECTIONS * queue[done] + direction)
            if near < 0 or steps[near] <= made or made + ways[flags + near] > longest:
                continue
            if ways[flags + near] == 0:
                return made
            if dangers[near] > made + late and enters(piece, int(state.board[near])):
                steps[near] = made
                queue.append(near)
        done += 1
    return FAR


def danger_distances(state: Position, kind: int, owner: int) -> list[int]:
    """Return for every cell the steps to the owner's nearest piece that beats a kind."""
    cells = state.rows * state.cols
    ways = [FAR] * cells
    for cell in range(cells):
        piece = int(state.board[cell])
        if rules.belongs_to(piece, owner) and beats(abs(piece), kind):
            ways[cell] = 0
    spread(state, ways, 0)
    return ways


def enters(piece: int, other: int) -> bool:
    """Tell whether a piece survives entering a cell with ``other``, 0 for an empty cell."""
    if other == 0:
        return True
    if (piece > 0) == (other > 0):
        return False
    return bool(rules.combat(abs(piece), abs(other)) == rules.ATTACKER_WINS)


def move_score(state: Position, action: int) -> int:
    """Return the ordering score of a legal action; winning captures have TACTICAL or more."""
    start = action // rules.NUM_DIRECTIONS
    end = rules.target(state, action)
    attacker = abs(int(state.board[start]))
    defender = abs(int(state.board[end]))
    if defender != 0:
        return capture_score(attacker, defender)
    value = FORWARD * (end // state.cols - start // state.cols)
    if state.turn == 1:
        value = -value
    if is_attacked(state, start, attacker, state.turn):
        value += ESCAPE
    if is_attacked(state, end, attacker, state.turn):
        value -= DANGER
    return value


def capture_score(attacker: int, defender: int) -> int:
    """Return the ordering score of an attack of one kind on another."""
    result = rules.combat(attacker, defender)
    if result == rules.ATTACKER_WINS:
        if defender == rules.FLAG:
            return TAKES_FLAG
        return TACTICAL + min(KIND_GAIN * defender, MAX_GAIN)
    return TRADE if result == rules.BOTH_LOST else LOSES


def is_attacked(state: Position, cell: int, kind: int, player: int) -> bool:
    """Tell whether an enemy piece next to a cell beats this kind."""
    rows, cols = int(state.rows), int(state.cols)
    row = cell // cols
    col = cell - row * cols
    for near_row in range(max(0, row - 1), min(rows, row + 2)):
        for near_col in range(max(0, col - 1), min(cols, col + 2)):
            piece = int(state.board[near_row * cols + near_col])
            if rules.belongs_to(piece, 1 - player) and beats(abs(piece), kind):
                return True
    return False


def beats(attacker: int, defender: int) -> bool:
    """Tell whether a piece of one kind can move and wins an attack on another."""
    if attacker in rules.IMMOVABLE:
        return False
    return bool(rules.combat(attacker, defender) == rules.ATTACKER_WINS)


def candidates(state: Position, out: list[int]) -> int:
    """Write the legal actions; return their number, 0 if the game is over."""
    return int(rules.legal_actions(state, out))
