"""The application of the API: its OpenAPI document, its errors, and its size limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import JSONResponse

from gridhouse import __version__
from gridhouse.core.errors import GridhouseError, MoveError
from gridhouse.core.notation import shown
from gridhouse.server.api import routes
from gridhouse.server.pages import views
from gridhouse.server.settings import MAX_BODY
from gridhouse.server.tables.commands import RefusedError

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from fastapi import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

ABOUT = (
    "The games of the house for programs. A program that creates a table or takes a seat gets a "
    "token. It sends the token with every request: `Authorization: Bearer TOKEN`."
)
JSON = "application/json"


def create_api() -> FastAPI:
    """Return the API; its services are in the state of the enclosing application."""
    api = FastAPI(
        title="Gridhouse",
        version=__version__,
        description=ABOUT,
        docs_url=None,  # these pages load scripts from another host
        redoc_url=None,
        generate_unique_id_function=lambda route: route.name,
        middleware=[Middleware(BodyLimit)],
        exception_handlers={
            HTTPException: refuse,
            RequestValidationError: refuse_form,
            RefusedError: refuse,
            GridhouseError: refuse_content,
            SQLAlchemyError: refuse,
            500: refuse,
        },
    )
    api.include_router(routes.router)
    return api


def problem(status: int, text: str, headers: Any = None) -> JSONResponse:
    """Return the response that reports an error."""
    return JSONResponse({"detail": text}, status, headers)


async def refuse(request: Request, error: Exception) -> JSONResponse:
    """Report an HTTP error, one of a table or the database, or an internal one."""
    del request
    return problem(*views.status_and_text(error), getattr(error, "headers", None))


async def refuse_content(request: Request, error: Exception) -> JSONResponse:
    """Report a move or a game that is not valid."""
    del request
    return problem(422, views.sentence(error.reason if isinstance(error, MoveError) else error))


async def refuse_form(request: Request, error: Exception) -> JSONResponse:
    """Report the first field that is not valid, in one sentence."""
    assert isinstance(error, RequestValidationError)
    errors = error.errors()
    wrong = errors[0]
    place = wrong["loc"][0]
    sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if place == "body" and not (sent == JSON or sent.endswith("+json")):
        return problem(415, f"The content type must be {JSON}.")
    if wrong["type"] == "json_invalid":
        return problem(400, "The request is not JSON.")
    if wrong["type"] == "value_error":
        return problem(422, views.sentence(wrong["ctx"]["error"]))
    name = field_of(wrong)
    # A value of several possible types gets one message for each type.
    said = [other["msg"] for other in errors if field_of(other) == name]
    return problem(422, f"{name or 'The request'}: {', or: '.join(said)}.")


def field_of(wrong: Any) -> str:
    """Return the name of the field that an error is about, "" for the whole request."""
    names = [str(part) for part in wrong["loc"][1:]]
    known = names[: 2 if names[:1] == ["parameters"] else 1]  # type names follow
    return ".".join(
        name if name.isidentifier() and name.isascii() else shown(name) for name in known
    )


class BodyLimit:
    """Middleware that reads the whole body first and refuses one that is too long."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request whose body is short enough."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body, ended = b"", False
        while not ended and len(body) <= MAX_BODY:
            message = await receive()
            if message["type"] != "http.request":
                return
            body += message.get("body", b"")
            ended = not message.get("more_body", False)

        async def send_privately(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message.setdefault("headers", []).append((b"cache-control", b"no-store"))
            await send(message)

        if len(body) > MAX_BODY:
            text = f"The request is longer than {MAX_BODY // 1024} KiB."
            await problem(413, text)(scope, receive, send_privately)
            return
        waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_again() -> Message:
            return waiting.pop() if waiting else await receive()

        await self.app(scope, receive_again, send_privately)
