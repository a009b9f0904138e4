"""The API for programs that play: JSON under ``/api``, described by its OpenAPI document.

It carries out the same commands as the pages and shows the same information.
"""

from gridhouse.server.api.app import create_api

__all__ = ["create_api"]
