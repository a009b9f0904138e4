"""What strong play needs to know of Tactego: worth of pieces, ways to the flags, captures."""

from __future__ import annotations

from gridhouse.games.tactego import rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.tactego.rules import Position

EXPLORE = 1.4
HORIZON = 0
RAVE = 0.0
HAS_LOUD = True

LOUD = 100  # as in the search: what promises so much is played out before a leaf is evaluated
BOUND = 99_999
FAR = 1 << 20

FLAG = 300
MINE = 40
SAPPER = 60
DEMINES = 20
ASSASSIN = 100
BASE = 60
STEP = 10
BEATS = 60
TOP = 40

NEAR = 8
NEAREST = 5
LONGEST = 10
WON = 3000
DECISIVE = 2000
WON_STEP = 40
RUN = 150
RUN_STEP = 15
RACE = 150
TEMPO = 8
FADE = 1

WINS_FLAG = 1000
TAKES_FLAG = 600
GAIN = 4
TRADE = -30
LOSES = -100
FORWARD = 5
DANGER = 30
ESCAPE = 15


def evaluate(state: Position) -> int:
    """Return how Red stands in hundredths of about a piece."""
    top = highest_kind(state)
    ways = flag_ways(state)
    value = race(state, ways, guard_ways(state, ways, top))
    if abs(value) > DECISIVE:
        return value
    value += TEMPO if state.turn == 0 else -TEMPO
    value += pieces_value(state, ways, census(state, top))
    if state.limit > 0:
        fades = FADE * abs(value) * state.quiet // (2 * state.limit)
        value += fades if value < 0 else -fades
    return max(-BOUND, min(BOUND, value))


def highest_kind(state: Position) -> int:
    """Return the highest kind on the board, at least that of the lowest number."""
    top = int(rules.NUMBER)
    for cell in range(state.rows * state.cols):
        kind = abs(int(state.board[cell]))
        if kind > top:
            top = kind
    return top


def flag_ways(state: Position) -> list[int]:
    """Return for every cell its steps to Red's nearest flag, then so for Blue's."""
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
            # A single flag is the usual case, and saves the passes over the neighbours.
            fill(state, ways, owner * cells, last)
        else:
            spread(state, ways, owner * cells)
    return ways


def fill(state: Position, ways: list[int], at: int, flag: int) -> None:
    """Give all cells, which begin at a place, their steps to the one flag."""
    rows, cols = int(state.rows), int(state.cols)
    flag_row = flag // cols
    flag_col = flag - flag_row * cols
    for row in range(rows):
        down = abs(row - flag_row)
        for col in range(cols):
            ways[at] = max(down, abs(col - flag_col))
            at += 1


def spread(state: Position, ways: list[int], base: int) -> None:
    """Give all cells, which begin at base, their steps to the nearest that has 0.

    Two passes do, each looking at the neighbours that it has passed (Rosenfeld and Pfaltz, 1966).
    """
    rows, cols = int(state.rows), int(state.cols)
    sweep(ways, base, rows, cols, 1)
    sweep(ways, base + rows * cols - 1, rows, cols, -1)


def sweep(ways: list[int], at: int, rows: int, cols: int, sign: int) -> None:
    """Pass over all cells, from the first or with sign -1 from the last, with what is before."""
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


def census(state: Position, top: int) -> list[int]:
    """Return how many of each kind Red has, then Blue; numbers count all up to them."""
    counts = [0] * (2 * (top + 1))
    for cell in range(state.rows * state.cols):
        piece = int(state.board[cell])
        if piece != 0:
            counts[piece if piece > 0 else top + 1 - piece] += 1
    for kind in range(rules.NUMBER + 1, top + 1):
        counts[kind] += counts[kind - 1]
        counts[top + 1 + kind] += counts[top + kind]
    return counts


def guard_ways(state: Position, ways: list[int], top: int) -> list[int]:
    """Return by kind the fewest steps to Red's flags of a Red piece that beats it, then Blue."""
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
        for kind in range(top - 1, 0, -1):
            guards[base + kind] = min(guards[base + kind], guards[base + kind + 1])
        guards[base + rules.ASSASSIN] = guards[base + rules.SAPPER]
        for kind in range(rules.NUMBER, top + 1):
            guards[base + kind] = min(guards[base + kind], assassin)
    return guards


def pieces_value(state: Position, ways: list[int], counts: list[int]) -> int:
    """Return the worth of Red's pieces less that of Blue's."""
    cells = state.rows * state.cols
    half = len(counts) // 2
    value = 0
    nearest = [20, 20]
    for cell in range(cells):
        piece = int(state.board[cell])
        if piece == 0:
            continue
        kind = abs(piece)
        side = 0 if piece > 0 else 1
        worth = piece_worth(kind, counts, half - side * half)
        if kind not in rules.IMMOVABLE:
            way = ways[cells - side * cells + cell]
            worth += max(0, 8 - way) * NEAR // 4
            nearest[side] = min(nearest[side], way)
        value += worth if side == 0 else -worth
    return value + NEAREST * (nearest[1] - nearest[0])


def piece_worth(kind: int, counts: list[int], enemy: int) -> int:
    """Return what a piece is worth against the enemy whose counts begin there."""
    if kind == rules.FLAG:
        return FLAG
    if kind == rules.MINE:
        return MINE
    if kind == rules.SAPPER:
        return SAPPER + DEMINES * counts[enemy + rules.MINE]
    if kind == rules.ASSASSIN:
        return ASSASSIN
    last = enemy + len(counts) // 2 - 1
    numbers = counts[last]
    worth = BASE + STEP * (kind - rules.NUMBER)
    if numbers > 0:
        worth += BEATS * counts[enemy + kind] // numbers
    if counts[enemy + kind - (1 if kind > rules.NUMBER else 0)] >= numbers:
        worth += TOP
    return worth


def race(state: Position, ways: list[int], guards: list[int]) -> int:
    """Return what safe runs to the flags are worth to Red."""
    red = quickest_run(state, ways, guards, 0)
    blue = quickest_run(state, ways, guards, 1)
    if red == FAR and blue == FAR:
        return 0
    turn = int(state.turn)
    if red + turn <= blue:
        return run_worth(state, ways, 0, red)
    return -run_worth(state, ways, 1, blue)


def run_worth(state: Position, ways: list[int], side: int, steps: int) -> int:
    """Return what a safe run of so many steps is worth to a side; it wins if the enemy is late."""
    other = FAR
    cells = state.rows * state.cols
    for cell in range(cells):
        piece = int(state.board[cell])
        if rules.belongs_to(piece, 1 - side) and abs(piece) not in rules.IMMOVABLE:
            other = min(other, ways[side * cells + cell])
    if steps + (1 if state.turn != side else 0) <= other and state.flags_left[1 - side] == 1:
        return WON - WON_STEP * steps
    return RUN + RACE - RUN_STEP * steps


def quickest_run(state: Position, ways: list[int], guards: list[int], side: int) -> int:
    """Return the fewest steps of a side's piece to an enemy flag that nothing can stop."""
    cells = state.rows * state.cols
    half = len(guards) // 2
    late = 0 if state.turn == side else 1
    best = FAR
    for cell in range(cells):
        piece = int(state.board[cell])
        if not rules.belongs_to(piece, side) or abs(piece) in rules.IMMOVABLE:
            continue
        way = ways[cells - side * cells + cell]
        guard = guards[half - side * half + abs(piece)]
        # Next to the flag, it has to be out of reach of a guard that has made as many steps.
        if way < best and way <= LONGEST and guard >= way - 1 + late:
            longest = min(best - 1, LONGEST)
            best = min(best, safe_run(state, ways, cell, late, longest))
    return best


def safe_run(state: Position, ways: list[int], start: int, late: int, longest: int) -> int:
    """Return the fewest steps of a piece to an enemy flag, always out of reach of what beats it.

    FAR if it needs more than the longest.  ``late`` is 1 if the enemy is to move.
    """
    cells = state.rows * state.cols
    piece = int(state.board[start])
    flags = cells if piece > 0 else 0
    dangers = danger_ways(state, abs(piece), 1 if piece > 0 else 0)
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


def danger_ways(state: Position, kind: int, owner: int) -> list[int]:
    """Return for every cell its steps to the nearest of the owner's pieces that beats a kind."""
    cells = state.rows * state.cols
    ways = [FAR] * cells
    for cell in range(cells):
        piece = int(state.board[cell])
        if rules.belongs_to(piece, owner) and beats(abs(piece), kind):
            ways[cell] = 0
    spread(state, ways, 0)
    return ways


def enters(piece: int, other: int) -> bool:
    """Tell whether a piece survives entering a cell where nothing or another piece stands."""
    if other == 0:
        return True
    if (piece > 0) == (other > 0):
        return False
    return bool(rules.combat(abs(piece), abs(other)) == rules.ATTACKER_WINS)


def promise(state: Position, action: int) -> int:
    """Return how good a legal action looks: captures that win something are LOUD or more."""
    start = action // rules.NUM_DIRECTIONS
    end = rules.target(state, action)
    attacker = abs(int(state.board[start]))
    defender = abs(int(state.board[end]))
    if defender != 0:
        return capture_promise(attacker, defender)
    value = FORWARD * (end // state.cols - start // state.cols)
    if state.turn == 1:
        value = -value
    if is_attacked(state, start, attacker, state.turn):
        value += ESCAPE
    if is_attacked(state, end, attacker, state.turn):
        value -= DANGER
    return value


def capture_promise(attacker: int, defender: int) -> int:
    """Return how good it looks that one kind attacks another."""
    result = rules.combat(attacker, defender)
    if result == rules.ATTACKER_WINS:
        if defender == rules.FLAG:
            return TAKES_FLAG
        return LOUD + GAIN * min(2 * defender, 60)
    return TRADE if result == rules.BOTH_LOST else LOSES


def is_attacked(state: Position, cell: int, kind: int, player: int) -> bool:
    """Tell whether an enemy of the player stands next to a cell and beats the kind there."""
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
    """Write the legal actions; return how many, none if the game is over."""
    return int(rules.legal_actions(state, out))
