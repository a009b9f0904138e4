"""A match between two players.

``python benchmarks/duel.py GAME PLAYER PLAYER [GAMES]``: ``GAME`` is as in a position's text,
``tactego(rows=6,cols=4)``; a player is a kind, settings and a limit: ``alphabeta@0.02s``,
``mcts:rave=500@2000p``, ``alphabeta:HORIZON=6@20000n``.  Every opening is played twice, colours
swapped, which ``arena.openings`` finds balanced.  The output is the first player's score with its
interval of 95 % confidence.
"""

from __future__ import annotations

import time

from command_line import Count, Word, start

from gridhouse.arena.openings import openings_for
from gridhouse.core.registry import parse_game
from gridhouse.players import parse_player
from gridhouse.players.match import match


def main(game: Word, first: Word, second: Word, games: Count = 100) -> None:
    """Play the match and print its line."""
    played = parse_game(game)[0]
    contestants = [parse_player(text, played, seed=1) for text in (first, second)]
    for contestant in contestants:  # compiles before the match is timed
        contestant.choose(played.new_initial_state())
    start = time.perf_counter()
    score = match(openings_for(played, games // 2), contestants)
    moves = sum(score.moves) / score.games
    print(f"{played} {first} against {second}: {score}")
    print(f"{moves:.1f} moves a game, {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    start(main)
