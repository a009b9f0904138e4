"""The house in the terminal: a menu of the games, and a table at which any of them is played.

It knows no game: boards, moves, refusals and ends come from the game itself, and a player is shown
no more than an observation holds.
"""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING

from gridhouse.core.console import UsageError, read_file, read_line
from gridhouse.core.errors import GridhouseError, MoveError
from gridhouse.core.registry import game_class, games, parse

if TYPE_CHECKING:
    from gridhouse.core.game import Game, State

CLEAR_SCREEN = "\033[2J\033[3J\033[H"
LEAVE = ("q", "quit", "exit")
HELP = "moves: what can be played - undo: take a move back - save FILE: keep the game - quit"


def menu(_: list[str]) -> None:
    """Let the player choose games and play them until enough."""
    print("Gridhouse, a house for grid games.\n")
    names = games()
    while True:
        for number, name in enumerate(names, 1):
            cls = game_class(name)
            print(f"  {number}  {cls.title:20} {cls.summary}")
        answer = read_line("\nWhich game? (its number, or q to leave) ").strip().lower()
        if answer in LEAVE:
            return
        if answer in names:
            answer = str(names.index(answer) + 1)
        if answer in map(str, range(1, len(names) + 1)):
            sit_down(game_class(names[int(answer) - 1]))
        else:
            print(f"There is no game {answer!a}: type a number from 1 to {len(names)}.\n")


def sit_down(cls: type[Game]) -> None:
    """Ask for size and file, then play; a bad answer is explained and asked again."""
    print(f"\n{cls.title}")
    for name, values in cls.presets.items():
        print(f"  {name:10} {', '.join(f'{key}={value}' for key, value in values.items())}")
    while True:
        try:
            state = start(cls)
        except (GridhouseError, UsageError) as error:
            print(f"That does not work: {error}.")
        else:
            play(state)
            return


def start(cls: type[Game]) -> State:
    """Ask for a preset or parameters and for a file, and return the start of the game.

    Raises GridhouseError or UsageError.
    """
    known = ", ".join(f"{parameter.name}={parameter.default}" for parameter in cls.parameters)
    print(f"A name above, or parameters such as {known}")
    size = read_line("Which? (Enter for the standard) ").strip()
    game = cls(**cls.presets[size]) if size in cls.presets else cls.from_text(size)
    name = read_line(f"A file with {cls.file_holds}, or a position? (Enter for none) ").strip()
    if not name:
        return game.new_initial_state(random.getrandbits(64))
    if name.startswith(cls.name + "("):
        return parse(name)
    text = read_file(name)
    if text.startswith(cls.name + "("):
        return parse(text.strip())
    return game.start_from_file(text, random.getrandbits(64))


def play(state: State) -> None:
    """Play a game to its end, or until the players leave the table."""
    print()
    say_help(state)
    viewer = state.current_player()
    while not state.is_terminal():
        player = state.current_player()
        if player != viewer and state.observation(player) != state.position:
            hand_over(state.game.players[player])
        viewer = player
        show(state, player)
        try:
            if not take_turn(state, player):
                return
        except EOFError:
            print()
            say_farewell(state)
            raise
    print("\n" + state.board())
    print(f"\n{state.game.outcome(state.position)}\n")


def hand_over(name: str) -> None:
    """Hide what the last player saw until the next one sits at the screen."""
    if sys.stdout.isatty():
        print(CLEAR_SCREEN, end="")
    read_line(f"\n{name}, it is your turn. Press Enter when only you look at the screen. ")


def show(state: State, player: int) -> None:
    """Print what the player sees."""
    seen = state.observation(player)
    print("\n" + "\n".join(state.game.board(seen)))
    status = state.game.status(seen)
    if status:
        print(status)


def take_turn(state: State, player: int) -> bool:
    """Ask for a word or a move until a move is played; return False to leave the table."""
    while True:
        text = read_line(f"\n{state.game.players[player]}> ").strip()
        word, _, rest = text.partition(" ")
        if text in LEAVE:
            say_farewell(state)
            return False
        if text == "moves":
            print("  ".join(state.legal_moves()))
        elif word == "save":
            save(state, rest.strip())
        elif text in ("", "help"):
            say_help(state)
        elif try_move(state, text):
            return True


def try_move(state: State, text: str) -> bool:
    """Play a move or take one back; say why if that cannot be, and return whether it was done."""
    try:
        if text == "undo":
            state.undo()
        else:
            state.play(text)
    except MoveError as error:
        print(f"Not possible: {error.reason}.")
        return False
    return True


def save(state: State, name: str) -> None:
    """Write the position to a file that the menu opens again; say why if that cannot be."""
    try:
        with open(name, "w", encoding="utf-8", errors="surrogateescape") as file:
            print(state, file=file)
    except (OSError, ValueError) as error:
        print(f"Not saved to {name!a}: {error}.")
    else:
        print(f"Saved to {name!a}; give this name when the menu asks for a file.")


def say_help(state: State) -> None:
    """Print what can be typed."""
    print(f"A move is: {state.game.move_form}. Other words: {HELP}.")


def say_farewell(state: State) -> None:
    """Print the line from which the game can be taken up again, unless it would tell secrets."""
    players = range(state.game.num_players)
    if all(state.observation(player) == state.position for player in players):
        print(f"To go on later, give this as the file or position:\n{state}")
