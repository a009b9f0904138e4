"""Alembic's environment: it uses the connection of the store."""

from alembic import context

from gridhouse.server.storage.store import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
