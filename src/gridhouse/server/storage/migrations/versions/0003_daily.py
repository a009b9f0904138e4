"""Daily puzzles: starts, best known results, visitors' results and names, and their tables."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the database tables of the daily puzzles."""
    op.add_column("tables", sa.Column("daily", sa.String(10)))
    op.create_table(
        "puzzles",
        sa.Column("game", sa.String(32), primary_key=True),
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("start", sa.Text, nullable=False),
        sa.Column("best", sa.BigInteger),
        sa.Column("proved", sa.Boolean, nullable=False),
    )
    op.create_table(
        "results",
        sa.Column("game", sa.String(32), primary_key=True),
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("visitor", sa.String(64), primary_key=True),
        sa.Column("late", sa.Boolean, primary_key=True),
        sa.Column("result", sa.BigInteger, nullable=False),
        sa.Column("moves", sa.Integer, nullable=False),
        sa.Column("reached", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "names",
        sa.Column("visitor", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(20), nullable=False),
    )


def downgrade() -> None:
    """Drop these database tables."""
    for name in ("names", "results", "puzzles"):
        op.drop_table(name)
    op.drop_column("tables", "daily")
