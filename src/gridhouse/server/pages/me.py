"""A visitor's own page: name, picture, and the link to another device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from gridhouse.core.notation import parse_integer
from gridhouse.server import upkeep
from gridhouse.server.auth import set_cookie
from gridhouse.server.names import NoNameError, read_name
from gridhouse.server.pages.forms import read_form
from gridhouse.server.pages.history import day_text
from gridhouse.server.pages.identicons import PICTURES, identicon
from gridhouse.server.pages.views import (
    page,
    require_own_page,
    sentence,
    services,
    shared_origins,
    up,
    work,
)
from gridhouse.server.settings import MAX_NAME
from gridhouse.server.storage.visitors import Profile

if TYPE_CHECKING:
    from starlette.requests import Request

SAMPLE = "a new visitor"  # whose pictures are shown to whoever has no games yet


async def me(request: Request) -> Response:
    """Show the visitor's name and picture, and whether there is a link to another device."""
    return await me_page(request)


async def me_page(request: Request, status: int = 200, **more: Any) -> Response:
    """Return the visitor's page with a rejected name and its reason, or with a new link."""
    service, auth = services(request)
    visitor = more.pop("visitor", None) or auth.visitor(request)
    profile = await work(request, service.visitors.profile, visitor)
    made = await work(request, service.visitors.link_day, visitor)
    context = {
        "name": profile.name,
        "picture": profile.picture,
        "pictures": [identicon(visitor or SAMPLE, number) for number in PICTURES],
        "longest": MAX_NAME,
        "made": day_text(made) if made else "",
        "saved": "saved" in request.query_params,
    }
    return private(await page(request, "me", status=status, **context | more))


def private(response: Response) -> Response:
    """Return a response that no cache keeps."""
    response.headers["cache-control"] = "no-store"
    return response


async def change(request: Request) -> Response:
    """Set the visitor's name and picture."""
    require_own_page(request)
    form = await read_form(request)
    request.app.state.new_names.count(request)
    service, auth = services(request)
    typed = form.get("name", "")
    number = parse_integer(form.get("picture", "0"))
    if number is None or number not in PICTURES:
        number = 0
    try:
        name = read_name(typed)
    except NoNameError as error:
        return await me_page(request, 422, name=typed[:MAX_NAME], problem=sentence(error))
    visitor, cookie = auth.identify_or_create(request)
    await service.set_profile(visitor, Profile(name, number))
    return back(request, cookie, "/me?saved")


def back(request: Request, cookie: str, address: str) -> Response:
    """Redirect to a page, and store the visitor's cookie."""
    response = RedirectResponse(address, 303)
    set_cookie(request, response, cookie)
    return response


async def make_link(request: Request) -> Response:
    """Show a new link to the visitor's games, once; an older one is void."""
    require_own_page(request)
    request.app.state.new_names.count(request)
    service, auth = services(request)
    visitor, cookie = auth.identify_or_create(request)
    token = await work(request, service.visitors.new_link, visitor)
    link = f"{shared_origins(request)[0]}/me/link/{token}"
    response = await me_page(request, visitor=visitor, link=link)
    set_cookie(request, response, cookie)
    return response


async def remove_link(request: Request) -> Response:
    """Make the visitor's link void."""
    require_own_page(request)
    service, auth = services(request)
    visitor = auth.visitor(request)
    if visitor is not None:
        await work(request, service.visitors.remove_link, visitor)
    return RedirectResponse("/me", 303)


async def linked_visitor(request: Request) -> str:
    """Return the visitor of a link's address; raises HTTPException if the link is void."""
    visitors = services(request).service.visitors
    visitor = await work(request, visitors.linked, request.path_params["token"])
    if visitor is None:
        raise HTTPException(404, "This link is no longer valid. Make a new one on your own page.")
    return visitor


async def open_link(request: Request) -> Response:
    """Ask whether this device shall show the games of a link; opening the page changes nothing."""
    visitor = await linked_visitor(request)
    service, auth = services(request)
    profile = await work(request, service.visitors.profile, visitor)
    here = auth.visitor(request)
    face = identicon(visitor, profile.picture)
    is_known = here == visitor
    shown = await page(
        request, "link", name=profile.name, face=face, same=is_known, other=bool(here)
    )
    return private(shown)


async def use_link(request: Request) -> Response:
    """Make this device the visitor's of a link."""
    require_own_page(request)
    visitor = await linked_visitor(request)
    return back(request, services(request).auth.device_cookie(visitor), "/games")


async def forget(request: Request) -> Response:
    """Remove what is kept of the visitor, and the cookie."""
    require_own_page(request)
    service, auth = services(request)
    visitor = auth.visitor(request)
    response = RedirectResponse("/", 303)
    if visitor is not None:
        nobody = await work(request, upkeep.forget, service.store.engine, visitor)
        await service.forget(visitor, nobody)
        for name, value in request.cookies.items():
            if auth.verify(value) == visitor:
                response.delete_cookie(name)
    return response


async def privacy(request: Request) -> Response:
    """Say what the house keeps."""
    return await page(request, "privacy", days=services(request).service.settings.prune_days)


ROUTES = [
    Route("/me", me, methods=["GET"]),
    Route("/me", change, methods=["POST"]),
    Route("/me/forget", up, methods=["GET"]),
    Route("/me/forget", forget, methods=["POST"]),
    Route("/privacy", privacy),
    Route("/me/link", me, methods=["GET"]),
    Route("/me/link", make_link, methods=["POST"]),
    Route("/me/link/remove", remove_link, methods=["POST"]),
    Route("/me/link/{token}", open_link, methods=["GET"]),
    Route("/me/link/{token}", use_link, methods=["POST"]),
]
