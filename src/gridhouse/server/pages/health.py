"""Whether the house is alive, and whether it can serve, for whoever watches over it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from gridhouse.server.pages.views import services

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

PATIENCE = 2.0  # seconds that the database may take to answer


async def alive(request: Request) -> Response:
    """Say that the house answers; nothing else is asked."""
    del request
    return PlainTextResponse("alive\n")


async def ready(request: Request) -> Response:
    """Say whether the database answers and can write, is heard, and whether the machine answers."""
    service = services(request).service
    try:
        await asyncio.wait_for(asyncio.to_thread(service.store.check), PATIENCE)
    except (OSError, SQLAlchemyError, TimeoutError):
        return PlainTextResponse("the database does not answer\n", 503)
    if service.store.unwritten:
        return PlainTextResponse(f"the database cannot write: {service.store.unwritten}\n", 503)
    if service.is_deaf:
        return PlainTextResponse("the other processes are not heard\n", 503)
    if service.engines.is_stuck():
        return PlainTextResponse("the machine does not answer\n", 503)
    return PlainTextResponse("ready\n")


ROUTES = [Route("/healthz", alive), Route("/readyz", ready)]
PATHS = {route.path for route in ROUTES}
