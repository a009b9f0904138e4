"""Clocks, ends by time and by resignation, takeback requests, undone moves, and the lobby."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def added() -> list[tuple[str, sa.Column[object]]]:
    """Return the new columns with their tables."""
    no = sa.false()
    return [
        ("tables", sa.Column("version", sa.Integer, nullable=False, server_default="0")),
        ("tables", sa.Column("changed", sa.BigInteger, nullable=False, server_default="0")),
        ("tables", sa.Column("initial", sa.Integer)),
        ("tables", sa.Column("increment", sa.Integer, nullable=False, server_default="0")),
        ("tables", sa.Column("since", sa.BigInteger)),
        ("tables", sa.Column("ended", sa.String(32))),
        ("tables", sa.Column("asked", sa.String(32))),
        ("tables", sa.Column("listed", sa.Boolean, nullable=False, server_default=no)),
        ("moves", sa.Column("spent", sa.Integer, nullable=False, server_default="0")),
        ("moves", sa.Column("undone", sa.Boolean, nullable=False, server_default=no)),
    ]


def upgrade() -> None:
    """Add the columns, and an index for the lobby."""
    for table, column in added():
        op.add_column(table, column)
    op.create_index("tables_listed", "tables", ["listed", "changed"])


def downgrade() -> None:
    """Drop the columns and delete the undone moves."""
    op.execute("DELETE FROM moves WHERE undone")
    op.drop_index("tables_listed", "tables")
    for table, column in added():
        op.drop_column(table, column.name)
