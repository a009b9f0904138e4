"""Visitors with names, pictures and links to other devices; starts that were given as positions."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create the database tables of visitors, with the names of the leaderboards."""
    given = sa.Column("given", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("tables", given)
    op.create_index("seats_visitor", "seats", ["visitor"])
    op.create_table(
        "visitors",
        sa.Column("visitor", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(30), nullable=False),
        sa.Column("picture", sa.Integer, nullable=False),
    )
    op.create_table(
        "links",
        sa.Column("visitor", sa.String(64), primary_key=True),
        sa.Column("hash", sa.String(64), nullable=False, unique=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    )
    op.execute("INSERT INTO visitors SELECT visitor, name, 0 FROM names")
    op.drop_table("names")


def downgrade() -> None:
    """Drop these database tables; the leaderboards keep the first 20 characters of names."""
    op.create_table(
        "names",
        sa.Column("visitor", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(20), nullable=False),
    )
    op.execute(
        "INSERT INTO names SELECT visitor, substr(name, 1, 20) FROM visitors WHERE name <> ''"
    )
    for name in ("links", "visitors"):
        op.drop_table(name)
    op.drop_index("seats_visitor", "seats")
    op.drop_column("tables", "given")
