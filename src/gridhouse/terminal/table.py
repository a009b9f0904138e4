"""The table in the terminal: any game, played by typed moves and commands.

It knows no game: boards, moves, refusals and results come from the game, and a player sees only the
observation.
"""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING

from gridhouse.core.console import read_line
from gridhouse.core.errors import GridhouseError, MoveError
from gridhouse.core.notation import parse_integer
from gridhouse.core.solving import stopped_after

if TYPE_CHECKING:
    from gridhouse.core.game import State
    from gridhouse.players import Player

THINKING_TIME = 10.0  # seconds
MAX_REASON = 200  # characters of an error that are printed
CLEAR_SCREEN = "\033[2J\033[3J\033[H"
LEAVE = ("q", "quit", "exit")
HELP = (
    "rules - moves: the legal moves - hint: the machine's move - "
    "machine LEVEL: play against it, 1 to 8 - undo: take a move back - "
    "save FILE: keep the position - quit"
)


def play(state: State) -> None:
    """Play a game to its end, or until the players leave the table.

    Once a player has hidden information, every change of turn hands the screen over, because an
    exception would itself reveal information.
    """
    print()
    print_help(state)
    try:
        is_over = play_moves(state)
    except (EOFError, KeyboardInterrupt):
        print()
        print_position(state)
        raise
    if is_over:
        print("\n" + state.board())
        print(f"\n{state.game.outcome(state.position)}\n")


def play_moves(state: State) -> bool:
    """Let the players move in turn; return False if they leave before the end."""
    viewer = state.current_player()
    is_secret = state.has_had_secrets()
    public_moves: list[str] = []
    machines: dict[int, Player] = {}
    if is_secret:
        reveal(state.game.players[viewer])
    while not state.is_terminal():
        player = state.current_player()
        if player in machines:
            play_machine(state, machines[player])
            continue
        if player != viewer:
            if is_secret:
                hand_over(state, viewer, player, public_moves)
            public_moves = []
        viewer = player
        show(state, player)
        move = ask_for_move(state, player, machines)
        if move is None:
            return False
        public_moves.append(move)
        is_secret = is_secret or state.has_secrets()
    return True


def hand_over(state: State, last: int, player: int, public_moves: list[str]) -> None:
    """Show the position to the last player, hide it, and give the screen to the next player.

    The next player reads the public part of the moves.
    """
    show(state, last)
    names = state.game.players
    read_line(f"\nPress Enter to hand over to {names[player]}. ")
    reveal(names[player])
    print(f"{names[last]}: {', '.join(public_moves)}")


def reveal(name: str) -> None:
    """Clear the screen and wait until the player is alone with it."""
    if sys.stdout.isatty():
        print(CLEAR_SCREEN, end="")
    read_line(f"\n{name}, it is your turn. Press Enter when nobody else looks. ")


def show(state: State, player: int) -> None:
    """Print the board and the status as the player sees them."""
    seen = state.observation(player)
    print("\n" + "\n".join(state.game.board(seen)))
    status = state.game.status(seen)
    if status:
        print(status)


def ask_for_move(state: State, player: int, machines: dict[int, Player]) -> str | None:
    """Ask for words or moves until a move is played or taken back; return its public text.

    None means that the player leaves the table.
    """
    while True:
        text = read_line(f"\n{state.game.players[player]}> ").strip()
        word, _, rest = text.partition(" ")
        if text in LEAVE:
            print_position(state)
            return None
        if text == "moves":
            print("  ".join(state.legal_moves()))
        elif text == "rules":
            print(state.game.how_to_play)
        elif word == "save":
            save(state, rest.strip())
        elif word == "machine":
            seat_machine(state, player, machines, rest.strip())
        elif text == "hint":
            print(f"The machine would play {state.action_to_string(hint(state))}")
        elif text in ("", "help"):
            print_help(state)
        else:
            done = undo(state, machines) if text == "undo" else try_move(state, text)
            if done:
                return done


def machine(state: State, level: int) -> Player:
    """Return the machine's player at a level; raises GridhouseError for an unknown one."""
    from gridhouse.players import player

    return player("level", state.game, level=level, seed=random.getrandbits(32))


def think(mover: Player, state: State) -> int:
    """Return the machine's action, with dots on a screen meanwhile.

    If the search fails, report it and return a random legal action, so that the game goes on.
    """
    if sys.stdout.isatty():
        print("... ", end="", flush=True)
    try:
        with stopped_after(THINKING_TIME, mover.stop):
            return mover.choose(state).action
    except Exception as error:  # an error in a game's rules or evaluation
        reason = " ".join(str(error).split())[:MAX_REASON]
        print(f"\nThe machine failed and makes a random move: {type(error).__name__}: {reason}")
        return random.choice(state.legal_actions())


def hint(state: State) -> int:
    """Return the strongest player's action."""
    from gridhouse.players import strongest

    return think(strongest(state.game, seed=random.getrandbits(32)), state)


def seat_machine(state: State, player: int, machines: dict[int, Player], level: str) -> None:
    """Let the machine play the other side from now on, or print why that is impossible."""
    if state.game.num_players == 1:
        print("Not possible: this is a game for one; ask for a hint.")
        return
    number = parse_integer(level)
    if number is None:
        print("Not possible: machine needs a level from 1 to 8.")
        return
    try:
        machines[1 - player] = machine(state, number)
    except GridhouseError as error:
        print(f"Not possible: {error}.")
    else:
        print(f"The machine plays {state.game.players[1 - player]}.")


def play_machine(state: State, mover: Player) -> None:
    """Play the machine's move and print its public part."""
    name = state.game.players[state.current_player()]
    action = think(mover, state)
    print(f"\n{name} (the machine): {state.game.public_move(state.position, action)}")
    state.apply_action(action)


def try_move(state: State, text: str) -> str:
    """Play a move and return its public text, or print its refusal and return ""."""
    try:
        action = state.string_to_action(text)
    except MoveError as error:
        print(f"Not possible: {error.reason}.")
        return ""
    text = state.game.public_move(state.position, action)
    state.apply_action(action)
    return text


def undo(state: State, machines: dict[int, Player]) -> str:
    """Take a move back, with the machine's answers, or print why that is impossible.

    Moves cannot be taken back once hidden information may have been revealed.
    """
    before = state.clone()
    try:
        before.undo()
        while before.current_player() in machines:
            before.undo()
    except MoveError as error:
        print(f"Not possible: {error.reason}.")
        return ""
    if state.has_had_secrets():
        print("Not possible: moves that may have revealed hidden information cannot be taken back.")
        return ""
    while len(state.history()) > len(before.history()):
        state.undo()
    return "a move is taken back"


def save(state: State, name: str) -> None:
    """Write the position to a new file for the menu, or print the error."""
    try:
        with open(name, "x", encoding="utf-8", errors="surrogateescape") as file:
            print(state, file=file)
    except OSError as error:
        print(f"Not saved to {name!r}: {error.strerror}.")
    except ValueError as error:
        print(f"Not saved to {name!r}: {error}.")
    else:
        print(f"Saved to {name!r}; give this name when the menu asks for a file.")


def print_help(state: State) -> None:
    """Print the notation of a move and the other commands."""
    print(f"A move is: {state.game.move_form}. Other words: {HELP}.")


def print_position(state: State) -> None:
    """Print the position for a later continuation, unless it has hidden information."""
    if not state.has_had_secrets():
        print(f"To go on later, give this as the file or position:\n{state}")
