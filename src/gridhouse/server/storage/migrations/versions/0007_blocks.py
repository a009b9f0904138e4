"""Addresses and visitors whom the house refuses."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Create the database table of the blocked."""
    op.create_table(
        "blocks",
        sa.Column("who", sa.String(64), primary_key=True),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    """Drop this database table; nobody is blocked any more."""
    op.drop_table("blocks")
