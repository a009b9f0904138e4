"""The API as an application of its own: its document, its errors, and how much it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import JSONResponse

from gridhouse import __version__
from gridhouse.core.errors import GridhouseError, MoveError
from gridhouse.core.notation import shown
from gridhouse.server.api import routes
from gridhouse.server.pages import views
from gridhouse.server.settings import MOST_BODY
from gridhouse.server.tables.commands import RefusedError

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from fastapi import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


ABOUT = (
    "Games of the house for programs. Whoever founds a table or takes a seat gets a token, and "
    "sends it with every request: `Authorization: Bearer TOKEN`."
)
JSON = "application/json"


def create_api() -> FastAPI:
    """Return the API; what it works on is in the state of the application that holds it."""
    api = FastAPI(
        title="Gridhouse",
        version=__version__,
        description=ABOUT,
        docs_url=None,  # such pages load scripts from another host
        redoc_url=None,
        generate_unique_id_function=lambda route: route.name,
        middleware=[Middleware(BodyLimit)],
        exception_handlers={
            HTTPException: refuse,
            RequestValidationError: refuse_form,
            RefusedError: refuse_for_now,
            GridhouseError: refuse_content,
            500: refuse,
        },
    )
    api.include_router(routes.router)
    return api


def problem(status: int, text: str, headers: Any = None) -> JSONResponse:
    """Return an answer that says why something was not done."""
    return JSONResponse({"detail": text}, status, headers)


async def refuse(request: Request, error: Exception) -> JSONResponse:
    """Say what went wrong."""
    del request
    return problem(*views.trouble(error), getattr(error, "headers", None))


async def refuse_for_now(request: Request, error: Exception) -> JSONResponse:
    """Say why a table does not allow something now."""
    del request
    return problem(409, views.sentence(error))


async def refuse_content(request: Request, error: Exception) -> JSONResponse:
    """Say what is wrong with a move or a game that was asked for."""
    del request
    return problem(422, views.sentence(error.reason if isinstance(error, MoveError) else error))


async def refuse_form(request: Request, error: Exception) -> JSONResponse:
    """Say in one sentence what is wrong with the first thing that is."""
    assert isinstance(error, RequestValidationError)
    wrong = error.errors()[0]
    place = wrong["loc"][0]
    if place == "body" and not request.headers.get("content-type", "").startswith(JSON):
        return problem(415, f"What is sent has to be {JSON}.")
    if wrong["type"] == "json_invalid":
        return problem(400, "What was sent is not JSON.")
    if wrong["type"] == "value_error":
        return problem(422, views.sentence(wrong["ctx"]["error"]))
    name = field_of(wrong)
    # Where a value may be of several kinds, each of them has something to say.
    said = [other["msg"] for other in error.errors() if field_of(other) == name]
    return problem(422, f"{name or 'What was sent'}: {', or: '.join(said)}.")


def field_of(wrong: Any) -> str:
    """Return the field in which something is wrong, "" for all of what was sent."""
    names = [str(part) for part in wrong["loc"][1:]]
    known = names[: 2 if names[:1] == ["parameters"] else 1]  # what follows are kinds of values
    return ".".join(
        name if name.isidentifier() and name.isascii() else shown(name) for name in known
    )


class BodyLimit:
    """Reads what is sent, up to a size, before anything is done with it."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is short enough."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body, ended = b"", False
        while not ended and len(body) <= MOST_BODY:
            message = await receive()
            if message["type"] != "http.request":
                return
            body += message.get("body", b"")
            ended = not message.get("more_body", False)

        async def send_privately(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message.setdefault("headers", []).append((b"cache-control", b"no-store"))
            await send(message)

        if len(body) > MOST_BODY:
            text = f"What was sent is longer than {MOST_BODY // 1024} KiB."
            await problem(413, text)(scope, receive, send_privately)
            return
        waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_again() -> Message:
            return waiting.pop() if waiting else await receive()

        await self.app(scope, receive_again, send_privately)
