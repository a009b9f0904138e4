"""Judges of answers that chance or strength decides: random moves, and searches of later tasks."""

from __future__ import annotations

import math
from collections import Counter

from gridhouse.core.sessions import Mistake, Reason, Session
from gridhouse.games.binary import rules
from gridhouse.games.binary.program import CommandError, execute
from gridhouse.games.binary.program import Session as Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

FALSE_ALARM = 1e-6  # the chance that a right program fails the test of uniform moves
LEGAL = Reason("random", "genmove plays a legal move, or prints resign if there is none", "genmove")
UNIFORM = Reason("uniform", "genmove chooses among all legal moves by chance", "genmove")
SOLVE = Reason("solve", "solve prints the winner, and a winning move if it is to move", "solve")
STRONG = Reason("strong", "from a position that is won genmove keeps the win", "genmove")


def judge_random(session: Session, output: str) -> Mistake | None:
    """Return the first illegal random move, or the bias of many moves from one position.

    Each move from an empty grid has a share that is tested by its exact binomial tails; the
    union bound over the moves of all grids keeps the chance of a false alarm below ``FALSE_ALARM``.
    """
    drawn: dict[tuple[str, ...], Counter[str]] = {}
    played = list(session.lines)
    first = True
    for typed, line, answer, protocol in answers(session, output):
        if line.startswith("game"):
            first = True
        if line != "genmove":
            continue
        legal = legal_moves(protocol)
        if answer not in (legal or ["resign"]):
            return illegal(session, typed, answer, protocol, played)
        if legal:
            played[typed - 1] = "play " + answer
            execute(protocol, played[typed - 1])
        if first:
            drawn.setdefault(tuple(legal), Counter())[answer] += 1
        first = False
    for moves, counts in drawn.items():
        draws = counts.total()
        for move in moves:
            chance = tail(counts[move], draws, len(moves))
            if chance * 2 * len(moves) * len(drawn) < FALSE_ALARM:
                wanted = f"about {draws / len(moves):.0f} of {draws} first moves are {move}"
                printed = f"{counts[move]} of {draws} first moves are {move}"
                return Mistake(len(session.lines), wanted, printed, UNIFORM)
    return None


def illegal(
    session: Session, typed: int, answer: str, protocol: Protocol, played: list[str]
) -> Mistake:
    """Return the mistake of an illegal move; ``played`` has the moves before it as commands."""
    wanted = "a legal move" if legal_moves(protocol) else "resign"
    shorter = session._replace(lines=tuple(played[:typed]))
    return Mistake(typed, wanted, answer, LEGAL, protocol.state(), shorter)


def tail(count: int, draws: int, moves: int) -> float:
    """Return the chance that one of equally likely moves is drawn so rarely, or so often."""
    share = 1 / moves
    reach = range(count + 1) if count < draws * share else range(count, draws + 1)
    return sum(math.comb(draws, k) * share**k * (1 - share) ** (draws - k) for k in reach)


def judge_search(session: Session, output: str) -> Mistake | None:
    """Return the first wrong answer of solve, or the first genmove that gives a win away."""
    for typed, line, answer, protocol in answers(session, output):
        if line not in ("solve", "genmove"):
            continue
        player = (protocol.position.ply & 1) + 1
        winning = winning_moves(protocol)
        legal = legal_moves(protocol)
        if line == "solve":
            right = [f"{player} {move}" for move in winning] or [str(3 - player)]
            if answer not in right:
                return Mistake(typed, " or ".join(right[:2]), answer, SOLVE, protocol.state())
        elif answer not in (legal or ["resign"]):
            return illegal(session, typed, answer, protocol, list(session.lines))
        elif winning and answer not in winning:
            return Mistake(typed, "a move that wins", answer, STRONG, protocol.state())
        elif legal:
            execute(protocol, "play " + answer)
    return None


def answers(session: Session, output: str) -> Iterator[tuple[int, str, str, Protocol]]:
    """Yield each command with the lines typed so far, its answer, and the position before it.

    Commands that have no answer of their own are carried out.  An answer is one line and the
    status, which is left out; whatever else was printed is part of the answer.
    """
    protocol = Protocol()
    printed = iter([line.strip() for line in output.splitlines() if line.strip()])
    for typed, line in enumerate(session.lines, 1):
        texts: list[str] = []
        for text in printed:
            texts.append(text)
            if text.startswith("="):
                break
        if texts[-1:] == ["= 1"]:
            texts.pop()
        else:
            texts.append("no status = 1")
        try:
            if line.startswith(("game", "play")):
                execute(protocol, line)
            protocol.state()
        except CommandError:  # a shortened session may begin without a game
            continue
        yield typed, line, ", then ".join(texts), protocol


def legal_moves(protocol: Protocol) -> list[str]:
    """Return the legal moves as genmove prints them."""
    buffer = [0] * protocol.game.num_actions
    count = rules.legal_actions(protocol.position, buffer)
    return [protocol.game.write_move(protocol.position, action) for action in buffer[:count]]


def winning_moves(protocol: Protocol) -> list[str]:
    """Return the moves after which the other player has lost."""
    from gridhouse.games.binary.solver import solve

    solution = solve(protocol.state(), all_moves=True)
    return [str(move) for move in solution.moves]
