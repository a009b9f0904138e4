"""The pages of a tournament that whoever opens the house hands over, as ``Settings`` has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from gridhouse.core.console import UsageError
from gridhouse.server.pages.views import services, work

if TYPE_CHECKING:
    from starlette.requests import Request

INDEX = "/tournament/index.html"


async def index(request: Request) -> Response:
    """Lead to the page of all games."""
    del request
    return RedirectResponse(INDEX)


async def tournament(request: Request) -> Response:
    """Return a page, or what belongs to one."""
    pages = services(request).service.settings.tournament
    if pages is None:
        raise HTTPException(404)
    try:
        found = await work(request, pages, request.path_params["name"])
    except UsageError:
        raise HTTPException(503, "The tournament cannot be read now.") from None
    if found is None:
        raise HTTPException(404)
    text, media_type = found
    return Response(text, media_type=media_type, headers={"cache-control": "no-cache"})


ROUTES = [
    Route("/tournament", index),
    Route("/tournament/{name:path}", tournament),
]
