"""Identity: an unguessable token in a signed cookie, and signed invitations to a seat."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import string
from typing import TYPE_CHECKING

from itsdangerous import BadSignature, Signer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from starlette.requests import HTTPConnection, Request
    from starlette.responses import Response

# The beginning of the name of the cookie; all of it in older houses, whose visitors stay known.
COOKIE = "gridhouse"
YEAR = 365 * 24 * 3600
# No "-" and "_": an id is typed as an argument of a command and ends a link in a message.
ID_CHARACTERS = string.ascii_letters + string.digits


def new_id() -> str:
    """Return a new id of a table or an evening, 71 bits that nobody guesses."""
    return "".join(secrets.choice(ID_CHARACTERS) for _ in range(12))


class Auth:
    """Signs tokens and invitations, and verifies them.

    The ``cookie`` has a name of its own for each house, since a browser sends the cookies of one
    host to every port.
    """

    def __init__(self, secret: str) -> None:
        """Use this secret for all signatures."""
        self.cookie = f"{COOKIE}-{hashlib.sha256(secret.encode()).hexdigest()[:8]}"
        self._cookies = Signer(secret, salt="gridhouse.visitor", digest_method=hashlib.sha256)
        # Only the first device has the token itself; the others have a signed visitor id.
        self._devices = Signer(secret, salt="gridhouse.device", digest_method=hashlib.sha256)
        self._invitations = Signer(
            secret, salt="gridhouse.invitation", digest_method=hashlib.sha256
        )

    def visitor(self, connection: HTTPConnection) -> str | None:
        """Return the visitor as whom a request acts, None if it has no token of this house."""
        return next((visitor for visitor, _ in self._known(connection)), None)

    def visitors(self, connection: HTTPConnection) -> set[str]:
        """Return all visitors whose tokens a request has."""
        return {visitor for visitor, _ in self._known(connection)}

    def _known(self, connection: HTTPConnection) -> Iterator[tuple[str, str]]:
        """Yield the visitors of a request and their tokens; it acts as the first of them.

        A bearer token comes before the cookie, if it is of this house: a proxy may need the header.
        """
        cookies = connection.cookies
        cookie = cookies.get(self.cookie) or cookies.get(COOKIE)
        for token in (bearer(connection.headers), cookie):
            visitor = self.verify(token) if token else None
            if token and visitor:
                yield visitor, token

    def has_false_token(self, connection: HTTPConnection) -> bool:
        """Tell whether a request has a bearer token that is not of this house."""
        sent = bearer(connection.headers)
        return sent is not None and self.verify(sent) is None

    def verify(self, signed: str) -> str | None:
        """Return the visitor of a signed token, None if its signature is wrong."""
        token = unsigned(self._cookies, signed)
        return unsigned(self._devices, signed) if token is None else visitor_id(token)

    def identify_or_create(self, request: Request) -> tuple[str, str]:
        """Return the visitor and the value of its cookie; a new visitor gets a new token."""
        return next(self._known(request), None) or self.new_visitor()

    def new_visitor(self) -> tuple[str, str]:
        """Return a new visitor and its signed token."""
        token = secrets.token_urlsafe(24)
        return visitor_id(token), self._cookies.sign(token).decode()

    def device_cookie(self, visitor: str) -> str:
        """Return the value of a cookie that makes another device this visitor's."""
        return self._devices.sign(visitor).decode()

    def invitation(self, table: str) -> str:
        """Return the invitation to the free seat of a table."""
        return self._invitations.get_signature(table).decode()

    def is_invited(self, table: str, invitation: str) -> bool:
        """Tell whether an invitation is valid for a table."""
        return hmac.compare_digest(self.invitation(table).encode(), invitation.encode())


def unsigned(signer: Signer, signed: str) -> str | None:
    """Return the text that was signed, None if the signature is wrong."""
    try:
        return signer.unsign(signed).decode()
    except BadSignature:
        return None


def visitor_id(token: str) -> str:
    """Return the visitor id that the database stores: a hash, which does not reveal the token."""
    return hashlib.sha256(token.encode()).hexdigest()


def bearer(headers: Mapping[str, str]) -> str | None:
    """Return the bearer token of a request, None without one; other schemes are a proxy's."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def set_cookie(request: Request, response: Response, value: str) -> None:
    """Store a visitor's token in a cookie that scripts and other sites cannot read."""
    response.set_cookie(
        request.app.state.auth.cookie,
        value,
        max_age=YEAR,
        httponly=True,
        samesite="lax",
        secure=is_secure(request),
    )


def is_secure(connection: HTTPConnection) -> bool:
    """Tell whether a browser is connected by HTTPS, here or at a proxy that may say so."""
    return connection.scope["scheme"] in ("https", "wss")


def is_own_origin(connection: HTTPConnection) -> bool:
    """Tell whether a request comes from a page of this server or names no origin."""
    origin = connection.headers.get("origin")
    scheme = "https" if is_secure(connection) else "http"
    return origin is None or origin == f"{scheme}://{connection.headers.get('host')}"
