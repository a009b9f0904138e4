"""The stored part of visitors: their names and pictures, and the links to their other devices."""

from __future__ import annotations

import hashlib
import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from gridhouse.server.storage.records import is_number
from gridhouse.server.storage.store import inserting, metadata

if TYPE_CHECKING:
    from collections.abc import Iterable

VISITORS = sa.Table(
    "visitors",
    metadata,
    sa.Column("visitor", sa.String(64), primary_key=True),
    sa.Column("name", sa.String(30), nullable=False),
    sa.Column("picture", sa.Integer, nullable=False),
)
# A link is stored as its hash, so the database does not open anybody's games.
LINKS = sa.Table(
    "links",
    metadata,
    sa.Column("visitor", sa.String(64), primary_key=True),
    sa.Column("hash", sa.String(64), nullable=False, unique=True),
    sa.Column("created", sa.DateTime(timezone=True), nullable=False),
)


class Profile(NamedTuple):
    """What a visitor shows to others: a name, "" without one, and the number of a picture."""

    name: str = ""
    picture: int = 0


def profile_of(name: object, picture: object = 0) -> Profile:
    """Return the profile of what was read, without what cannot be; SQLite stores anything."""
    return Profile(
        name if isinstance(name, str) else "",
        picture if is_number(picture) else 0,
    )


class Visitors:
    """The part of the database that knows visitors."""

    def __init__(self, engine: sa.Engine) -> None:
        """Use a database whose schema is up to date."""
        self._engine = engine

    def profiles(self, visitors: Iterable[str]) -> dict[str, Profile]:
        """Return the profiles of those visitors who have one."""
        wanted = sa.select(VISITORS).where(VISITORS.c.visitor.in_(set(visitors)))
        with self._engine.connect() as connection:
            rows = connection.execute(wanted).all()
        return {row.visitor: profile_of(row.name, row.picture) for row in rows}

    def profile(self, visitor: str | None) -> Profile:
        """Return a visitor's profile, an empty one for a visitor without."""
        return self.profiles([visitor] if visitor else []).get(visitor or "", Profile())

    def set_profile(self, visitor: str, profile: Profile) -> None:
        """Set a visitor's name and picture, everywhere and in earlier games as well."""
        self._put(VISITORS, {"visitor": visitor, **profile._asdict()})

    def new_link(self, visitor: str) -> str:
        """Return a new token that opens a visitor's games elsewhere; an older one is void."""
        token = secrets.token_urlsafe(32)
        row = {"visitor": visitor, "hash": digest(token), "created": datetime.now(UTC)}
        self._put(LINKS, row)
        return token

    def _put(self, rows: sa.Table, row: dict[str, Any]) -> None:
        """Write a visitor's only row; of two at the same time the second one stays."""
        with self._engine.begin() as connection:
            new = inserting(connection, rows).values(row)
            connection.execute(new.on_conflict_do_update(index_elements=["visitor"], set_=row))

    def remove_link(self, visitor: str) -> None:
        """Make a visitor's link void."""
        with self._engine.begin() as connection:
            connection.execute(LINKS.delete().where(LINKS.c.visitor == visitor))

    def link_day(self, visitor: str | None) -> datetime | None:
        """Return when a visitor's link was made, None without one that can be read."""
        wanted = sa.select(LINKS.c.created).where(LINKS.c.visitor == visitor)
        with self._engine.connect() as connection:
            try:
                found: datetime | None = connection.scalar(wanted)
            except (TypeError, ValueError):  # SQLite stores anything anywhere
                return None
        return found

    def linked(self, token: str) -> str | None:
        """Return the visitor of a link's token, None if it is void."""
        wanted = sa.select(LINKS.c.visitor).where(LINKS.c.hash == digest(token))
        with self._engine.connect() as connection:
            found: str | None = connection.scalar(wanted)
        return found if self.link_day(found) else None  # else its page would say there is none


def digest(token: str) -> str:
    """Return the hash under which a link's token is stored."""
    return hashlib.sha256(token.encode()).hexdigest()
