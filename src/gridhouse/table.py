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
from gridhouse.core.notation import parse_integer
from gridhouse.core.registry import game_class, games, parse
from gridhouse.core.solving import stopped_after

if TYPE_CHECKING:
    from gridhouse.core.game import Game, State
    from gridhouse.players import Player

PATIENCE = 10.0  # seconds that the machine may think
LONGEST_REASON = 200  # characters of an error that is told
CLEAR_SCREEN = "\033[2J\033[3J\033[H"
LEAVE = ("q", "quit", "exit")
HELP = (
    "rules - moves: what can be played - hint: what the machine would play - "
    "machine LEVEL: play against it, 1 to 8 - undo: take a move back - "
    "save FILE: keep the position - quit"
)


def menu(_: list[str]) -> None:
    """Let the player choose games and play them until enough."""
    print("Gridhouse, a house for grid games.\n")
    names = games()
    choices = {str(number): name for number, name in enumerate(names, 1)}
    choices |= {name: name for name in names}
    while True:
        for number, name in enumerate(names, 1):
            cls = game_class(name)
            print(f"  {number}  {cls.title:20} {cls.summary}")
        answer = read_line("\nWhich game? (its number, or q to leave) ").strip().lower()
        if answer in LEAVE:
            return
        if answer in choices:
            sit_down(game_class(choices[answer]))
        else:
            print(f"There is no game {answer!r}: type a number from 1 to {len(names)}.\n")


def sit_down(cls: type[Game]) -> None:
    """Ask for size and file, then play; a bad answer is explained and asked again."""
    print(f"\n{cls.title}")
    for name, values in cls.presets.items():
        print(f"  {name:10} {', '.join(f'{key}={value}' for key, value in values.items())}")
    print("A name above, or parameters, with commas between them, or q to go back:")
    for parameter in cls.parameters:
        print(f"  {parameter.name}={parameter.default}  {parameter.about}")
    while True:
        try:
            state = start(cls)
        except (GridhouseError, UsageError) as error:
            print(f"That does not work: {error}.")
        else:
            if state is not None:
                play(state)
            return


def start(cls: type[Game]) -> State | None:
    """Ask for a preset or parameters and for a file, and return the start of the game.

    None if the player wants another one.  Raises GridhouseError or UsageError.
    """
    size = read_line("Which? (Enter for the standard) ").strip()
    if size in LEAVE:
        return None
    if size not in cls.presets and size and "=" not in size:
        raise UsageError(f"{size!r} is neither {', '.join(cls.presets)} nor parameters")
    game = cls(**cls.presets[size]) if size in cls.presets else cls.from_text(size)
    name = read_line(f"A file with {cls.file_holds}, or a position? (Enter for none) ").strip()
    if name in LEAVE:
        return None
    seed = random.getrandbits(64)
    if not name:
        return game.new_initial_state(seed)
    position = cls.name + "("
    text = name if name.startswith(position) else read_file(name)
    return parse(text.strip()) if text.startswith(position) else game.start_from_file(text, seed)


def play(state: State) -> None:
    """Play a game to its end, or until the players leave the table.

    From the first secret on, the screen is handed over whenever the turn passes: that it is not
    would tell something as well.
    """
    print()
    say_help(state)
    try:
        is_over = play_on(state)
    except (EOFError, KeyboardInterrupt):
        print()
        say_farewell(state)
        raise
    if is_over:
        print("\n" + state.board())
        print(f"\n{state.game.outcome(state.position)}\n")


def play_on(state: State) -> bool:
    """Let the players move in turn; tell whether the game is over, or they leave before that."""
    viewer = state.current_player()
    is_secret = state.has_had_secrets()
    told: list[str] = []
    seats: dict[int, Player] = {}
    if is_secret:
        uncover(state.game.players[viewer])
    while not state.is_terminal():
        player = state.current_player()
        if player in seats:
            answer(state, seats[player])
            continue
        if player != viewer:
            if is_secret:
                hand_over(state, viewer, player, told)
            told = []
        viewer = player
        show(state, player)
        move = take_turn(state, player, seats)
        if move is None:
            return False
        told.append(move)
        is_secret = is_secret or state.has_secrets()
    return True


def hand_over(state: State, last: int, player: int, told: list[str]) -> None:
    """Show the last player what came of the move, hide it, and wait for the next player.

    The next player is told the moves that everybody may know.
    """
    show(state, last)
    names = state.game.players
    read_line(f"\nPress Enter to hand over to {names[player]}. ")
    uncover(names[player])
    print(f"{names[last]}: {', '.join(told)}")


def uncover(name: str) -> None:
    """Clear the screen and wait until only the player looks at it."""
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


def take_turn(state: State, player: int, seats: dict[int, Player]) -> str | None:
    """Ask for a word or a move until something is played or taken back.

    ``seats`` are those of the machine.  Returns what everybody may know of it, or None if the
    player leaves the table.
    """
    while True:
        text = read_line(f"\n{state.game.players[player]}> ").strip()
        word, _, rest = text.partition(" ")
        if text in LEAVE:
            say_farewell(state)
            return None
        if text == "moves":
            print("  ".join(state.legal_moves()))
        elif text == "rules":
            print(state.game.how_to_play)
        elif word == "save":
            save(state, rest.strip())
        elif word == "machine":
            seat_machine(state, player, seats, rest.strip())
        elif text == "hint":
            print("Perhaps " + state.action_to_string(hint(state)))
        elif text in ("", "help"):
            say_help(state)
        else:
            done = undo(state, seats) if text == "undo" else try_move(state, text)
            if done:
                return done


def machine(state: State, level: int) -> Player:
    """Return the machine at a level; raises GridhouseError for one that there is not."""
    from gridhouse.players import player

    return player("level", state.game, level=level, seed=random.getrandbits(32))


def think(mover: Player, state: State) -> int:
    """Return what the machine plays, and say that it thinks where that may take a while.

    Where the search fails, say so and return any legal action, so that the game can go on.
    """
    if sys.stdout.isatty():
        print("... ", end="", flush=True)
    try:
        with stopped_after(PATIENCE, mover.stop):
            return mover.choose(state).action
    except Exception as error:  # an error in a game's rules or evaluation
        reason = " ".join(str(error).split())[:LONGEST_REASON]
        print(f"\nThe machine has failed and moves at random: {type(error).__name__}: {reason}")
        return random.choice(state.legal_actions())


def hint(state: State) -> int:
    """Return what the best player there is would play."""
    from gridhouse.players import strongest

    return think(strongest(state.game, seed=random.getrandbits(32)), state)


def seat_machine(state: State, player: int, seats: dict[int, Player], level: str) -> None:
    """Let the machine take the other side from now on; say why if that cannot be."""
    if state.game.num_players == 1:
        print("Not possible: this is a game for one; ask for a hint.")
        return
    number = parse_integer(level)
    if number is None:
        print("Not possible: after machine comes a level, from 1 to 8.")
        return
    try:
        seats[1 - player] = machine(state, number)
    except GridhouseError as error:
        print(f"Not possible: {error}.")
    else:
        print(f"The machine plays {state.game.players[1 - player]}.")


def answer(state: State, mover: Player) -> None:
    """Play the machine's move and tell what everybody may know of it."""
    name = state.game.players[state.current_player()]
    action = think(mover, state)
    print(f"\n{name} (the machine): {state.game.public_move(state.position, action)}")
    state.apply_action(action)


def try_move(state: State, text: str) -> str:
    """Play a move and return what everybody may know of it; say why if it cannot be played."""
    try:
        action = state.string_to_action(text)
    except MoveError as error:
        print(f"Not possible: {error.reason}.")
        return ""
    told = state.game.public_move(state.position, action)
    state.apply_action(action)
    return told


def undo(state: State, seats: dict[int, Player]) -> str:
    """Take a move back unless it may have told a secret; say why if that cannot be.

    What the machine has answered is taken back as well.
    """
    before = state.clone()
    try:
        before.undo()
        while before.current_player() in seats:
            before.undo()
    except MoveError as error:
        print(f"Not possible: {error.reason}.")
        return ""
    if state.has_had_secrets():
        print("Not possible: a move that may have told a secret stands.")
        return ""
    while len(state.history()) > len(before.history()):
        state.undo()
    return "a move is taken back"


def save(state: State, name: str) -> None:
    """Write the position to a new file that the menu opens again; say why if that cannot be."""
    try:
        with open(name, "x", encoding="utf-8", errors="surrogateescape") as file:
            print(state, file=file)
    except OSError as error:
        print(f"Not saved to {name!r}: {error.strerror}.")
    except ValueError as error:
        print(f"Not saved to {name!r}: {error}.")
    else:
        print(f"Saved to {name!r}; give this name when the menu asks for a file.")


def say_help(state: State) -> None:
    """Print what can be typed."""
    print(f"A move is: {state.game.move_form}. Other words: {HELP}.")


def say_farewell(state: State) -> None:
    """Print the line from which the game can be taken up again, unless it would tell secrets."""
    if not state.has_had_secrets():
        print(f"To go on later, give this as the file or position:\n{state}")
