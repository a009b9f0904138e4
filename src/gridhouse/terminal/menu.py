"""The menu in the terminal: the list of games, and the set-up of the chosen one."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from gridhouse.core.console import UsageError, read_file, read_line
from gridhouse.core.errors import GridhouseError
from gridhouse.core.registry import game_class, games, parse
from gridhouse.terminal.table import LEAVE, play

if TYPE_CHECKING:
    from gridhouse.core.game import Game, State


def menu(_: list[str]) -> None:
    """Let the player choose and play games until they leave."""
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
            set_up(game_class(choices[answer]))
        else:
            print(f"There is no game {answer!r}: type a number from 1 to {len(names)}.\n")


def set_up(cls: type[Game]) -> None:
    """Ask for parameters and a file, then play; explain a bad answer and ask again."""
    print(f"\n{cls.title}")
    for name, preset in cls.presets.items():
        print(f"  {name:10} {preset.title}: {preset.about}")
    print("A name above, or parameters, with commas between them, or q to go back:")
    for parameter in cls.parameters:
        print(f"  {parameter.name}={parameter.default}  {parameter.about}")
    while True:
        try:
            state = ask_for_start(cls)
        except (GridhouseError, UsageError) as error:
            print(f"That does not work: {error}.")
        else:
            if state is not None:
                play(state)
            return


def ask_for_start(cls: type[Game]) -> State | None:
    """Ask for a preset or parameters and for a file; return the starting position.

    None means that the player goes back.  Raises GridhouseError and UsageError.
    """
    size = read_line("Which? (Enter for these defaults) ").strip()
    if size in LEAVE:
        return None
    if size not in cls.presets and size and "=" not in size:
        raise UsageError(f"{size!r} is neither {', '.join(cls.presets)} nor parameters")
    game = cls.from_preset(size) if size in cls.presets else cls.from_text(size)
    name = read_line(f"A file with {cls.file_holds}, or a position? (Enter for none) ").strip()
    if name in LEAVE:
        return None
    seed = random.getrandbits(64)
    if not name:
        return game.new_initial_state(seed)
    position = cls.name + "("
    text = name if name.startswith(position) else read_file(name)
    return parse(text.strip()) if text.startswith(position) else game.start_from_file(text, seed)
