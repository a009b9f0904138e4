"""Rematches: the table on which the players of a finished game go on."""

import sqlalchemy as sa
from alembic import op

revision = "0004_rematch"
down_revision = "0003"


def upgrade() -> None:
    """Add the column."""
    op.add_column("tables", sa.Column("next", sa.String(48)))


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("tables", "next")
