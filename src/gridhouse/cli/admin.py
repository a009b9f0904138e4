"""Commands for whoever runs a house; they work beside it, on the same database."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  # typer looks the types up
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gridhouse.cli.app import GROUP, TOOLS, Commands, app
from gridhouse.core.console import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

admin = Commands(name="admin", help="Run a house: its tables, people and database.", **GROUP)
app.add_typer(admin, rich_help_panel=TOOLS)

MOST = 10_000  # tables that are listed: SQLite takes no more names at once than some ten thousands
TableArgument = Annotated[str, typer.Argument(help="The table's name, from its address.")]
WhoArgument = Annotated[
    str, typer.Argument(help="An address, a network (10.0.0.0/24), or a visitor's id.")
]
YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


def _server() -> tuple[Any, Any]:
    """Return the modules of the server that work on the database; raises UsageError."""
    try:
        from gridhouse.server import admin as house
        from gridhouse.server import upkeep
    except ModuleNotFoundError as error:
        raise UsageError(f"{error.name} is missing; the house needs the extra web") from None
    return house, upkeep


def _print(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from gridhouse.reporting.text import harmless

    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, column in enumerate(columns):  # what is to be copied is never cut off
        table.add_column(column, overflow="fold", no_wrap=number == 0)
    for row in rows:
        table.add_row(*(Text(harmless(str(cell))) for cell in row))
    Console(highlight=False).print(table)


def _minute(time: datetime | None) -> str:
    """Return a time as it is listed, in words if it cannot be read."""
    return "cannot be read" if time is None else f"{time:%Y-%m-%d %H:%M}"


def _done(done: object, what: str, otherwise: str) -> None:
    """Say what was done; raises UsageError if nothing was."""
    if not done:
        raise UsageError(otherwise)
    print(what)


@admin.command()
def tables(
    game: Annotated[str, typer.Option("--game", help="Those of one game.")] = "",
    over: Annotated[
        bool | None, typer.Option("--over/--unfinished", help="Those that are over, or are not.")
    ] = None,
    listed: Annotated[bool, typer.Option("--listed", help="Those of the lobby.")] = False,
    visitor: Annotated[str, typer.Option("--visitor", help="Those of a visitor.")] = "",
    most: Annotated[int, typer.Option("--most", help="So many at most.", min=1, max=MOST)] = 50,
) -> None:
    """List tables, the latest change first."""
    house, _ = _server()
    with house.opened() as store:
        found = house.tables(store, game=game, over=over, listed=listed, visitor=visitor, most=most)
    columns = (
        "table",
        "game",
        "with",
        "moves",
        "state",
        "lobby",
        "changed",
        "visitors",
        "names",
    )
    rows = (
        (
            line.id,
            line.game,
            line.opponent,
            line.moves,
            line.ended or "unfinished",
            "yes" if line.listed else "",
            _minute(line.changed),
            " ".join(visitor[:12] for visitor in line.visitors),
            ", ".join(line.names),
        )
        for line in found
    )
    _print(columns, rows)


@admin.command()
def remove(table: TableArgument) -> None:
    """Remove a table with all its moves."""
    house, upkeep = _server()
    with house.opened() as store, store.engine.begin() as connection:
        count = upkeep.remove(connection, [table])
    _done(count, f"{table}: removed", f"{table}: no such table")


@admin.command()
def unlist(table: TableArgument) -> None:
    """Take a table from the lobby; its players go on."""
    house, upkeep = _server()
    with house.opened() as store, store.engine.begin() as connection:
        gone = upkeep.unlist(connection, table)
    _done(gone, f"{table}: taken from the lobby", f"{table}: not in the lobby")


@admin.command()
def evenings() -> None:
    """List the evenings that are going on."""
    house, _ = _server()
    with house.opened() as store:
        found = house.evenings(store)
    rows = (
        (line.id, line.name, line.host[:12], line.game, line.minutes or "", line.players)
        for line in found
    )
    _print(("evening", "name", "host", "game", "minutes left", "players"), rows)


@admin.command("end-evening")
def end_evening(
    evening: Annotated[str, typer.Argument(help="The evening's name, from its address.")],
) -> None:
    """End an evening: no new game begins, and those in play still count."""
    house, upkeep = _server()
    with house.opened() as store, store.engine.begin() as connection:
        is_over = upkeep.end_evening(connection, evening)
    _done(is_over, f"{evening}: over", f"{evening}: no such evening is going on")


@admin.command()
def block(who: WhoArgument) -> None:
    """Refuse an address, a network or a visitor, within seconds."""
    house, upkeep = _server()
    with house.opened() as store:
        name = house.who_is(store, who)
        with store.engine.begin() as connection:
            is_new = upkeep.block(connection, name)
    _done(is_new, f"{name}: blocked", f"{name}: blocked already")


@admin.command()
def unblock(who: WhoArgument) -> None:
    """Refuse somebody no longer."""
    house, upkeep = _server()
    with house.opened() as store:
        name = house.blocked_as(store, who)
        with store.engine.begin() as connection:
            is_free = upkeep.unblock(connection, name)
    _done(is_free, f"{name}: free", f"{name}: not blocked")


@admin.command()
def blocked() -> None:
    """List who is blocked."""
    house, upkeep = _server()
    with house.opened() as store, store.engine.connect() as connection:
        rows = upkeep.blocks(connection)
    _print(("who", "since"), ((who, _minute(since)) for who, since in rows))


@admin.command("renew-secret")
def renew_secret(yes: YesOption = False) -> None:
    """Make all cookies and invitations void, for instance after a backup was stolen."""
    if not yes:
        typer.confirm("Everybody loses their seats, unless they have a link. Go on?", abort=True)

    house, upkeep = _server()
    with house.opened() as store, store.engine.begin() as connection:
        upkeep.new_secret(connection)
    print("The secret is a new one; the house takes it up within seconds.")


@admin.command()
def prune(
    days: Annotated[
        int | None, typer.Option("--days", help="Else GRIDHOUSE_PRUNE_DAYS, or 180.", min=1)
    ] = None,
) -> None:
    """Remove unfinished tables that nobody touched for so many days, and evenings as old."""
    house, upkeep = _server()
    wanted = house.days_to_prune(days)
    with house.opened() as store:
        count = upkeep.prune(store.engine, wanted)
    print(f"Removed: {count}")


@admin.command()
def backup(
    file: Annotated[Path, typer.Argument(help="The file to write.")],
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """Copy the SQLite database of an open house into a file."""
    house, _ = _server()
    size = house.backup(house.Settings().database, file, force=force)
    print(f"{file}: {size:,} bytes, checked")


@admin.command()
def restore(file: Annotated[Path, typer.Argument(help="The backup.")]) -> None:
    """Put a backup in the place of the database; the house has to be closed."""
    house, _ = _server()
    before = house.restore(house.Settings().database, file)
    print(f"Restored from {file}" + (f"; before: {before}" if before.exists() else ""))


@admin.command()
def copy(
    url: Annotated[str, typer.Argument(help="The other database: postgresql://… or sqlite:///…")],
) -> None:
    """Copy everything into an empty database of another kind; the house has to be closed."""
    house, _ = _server()
    with house.opened() as source, house.opened(url) as target:
        counts = house.copy(source, target)
    _print(("table of the database", "rows"), counts.items())


@admin.command()
def stats() -> None:
    """Say what the database holds."""
    house, _ = _server()
    with house.opened() as store:
        found = house.stats(store)
    _print(("what", "number"), found)
