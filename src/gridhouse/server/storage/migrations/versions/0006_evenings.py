"""Evenings with their players, and the tables that belong to one."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Create the database tables of evenings."""
    op.add_column("tables", sa.Column("evening", sa.String(32)))
    op.create_table(
        "evenings",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("host", sa.String(64), nullable=False),
        sa.Column("name", sa.String(30), nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("initial", sa.Integer, nullable=False),
        sa.Column("increment", sa.Integer, nullable=False),
        sa.Column("listed", sa.Boolean, nullable=False),
        sa.Column("ends", sa.BigInteger, nullable=False),
    )
    op.create_index("evenings_ends", "evenings", ["ends"])
    op.create_table(
        "evening_players",
        sa.Column("evening", sa.String(32), sa.ForeignKey("evenings.id"), primary_key=True),
        sa.Column("visitor", sa.String(64), primary_key=True),
        sa.Column("paused", sa.Boolean, nullable=False),
        sa.Column("seen", sa.BigInteger, nullable=False),
        sa.Column("free_since", sa.BigInteger, nullable=False),
        sa.Column("points", sa.Integer, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("balance", sa.Integer, nullable=False),
        sa.Column("opponent", sa.String(64)),
        sa.Column("table_id", sa.String(32), sa.ForeignKey("tables.id")),
    )


def downgrade() -> None:
    """Drop these database tables; the games themselves stay."""
    op.drop_table("evening_players")
    op.drop_index("evenings_ends", "evenings")
    op.drop_table("evenings")
    op.drop_column("tables", "evening")
