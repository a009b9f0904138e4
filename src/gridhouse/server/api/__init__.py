"""The house for programs that want to play: JSON under ``/api``, told in its OpenAPI document.

It does what the pages do, by the same commands, and shows what the pages show.
"""

from gridhouse.server.api.app import create_api

__all__ = ["create_api"]
