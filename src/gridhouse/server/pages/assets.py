"""The static files of the pages: the stylesheet, the icon and the scripts."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

from gridhouse.core.picture import stylesheet
from gridhouse.server.languages import ENGLISH, catalogue, language

if TYPE_CHECKING:
    from starlette.requests import Request

STATIC = Path(__file__).parent / "static"
DOCS = Path(__file__).parent / "docs"  # the documentation, where `make docs` has made it
BASE = STATIC / "css" / "base.css"  # what the other stylesheets build on
SHEETS = (BASE, *sorted(set(BASE.parent.glob("*.css")) - {BASE}))
SHEET = stylesheet("auto") + "".join(sheet.read_text(encoding="utf-8") for sheet in SHEETS)
# The address contains a hash of the stylesheet, so a browser may cache it for ever and never shows
# a page with the style of another version.
STYLE = f"/static/style.css?{hashlib.sha256(SHEET.encode()).hexdigest()[:12]}"
FOR_GOOD = {"cache-control": "public, max-age=31536000, immutable"}
# Every page contains the icon, which is smaller than a request for it.
ICON = "data:image/svg+xml;base64," + base64.b64encode((STATIC / "icon.svg").read_bytes()).decode()


def has_docs() -> bool:
    """Tell whether the documentation has been made."""
    return DOCS.is_dir()


async def style(request: Request) -> Response:
    """Return the stylesheet of all pages and pictures."""
    del request
    return Response(SHEET, media_type="text/css", headers=FOR_GOOD)


async def worker(request: Request) -> Response:
    """Return the service worker, which may only serve addresses below its own."""
    del request
    return FileResponse(
        STATIC / "worker.js", media_type="text/javascript", headers={"cache-control": "no-cache"}
    )


@cache
def says_something(name: str) -> bool:
    """Tell whether a script says sentences of its own: those do that show a board."""
    return 'from "./board.js"' in (STATIC / name).read_text(encoding="utf-8")


def script(name: str) -> Markup:
    """Return the tag of a script, after the sentences that scripts say in another language."""
    tag = f'<script type="module" src="/static/{name}"></script>'
    current = language()
    if current != ENGLISH and says_something(name):
        said = json.dumps(catalogue(current).scripts, ensure_ascii=False, separators=(",", ":"))
        data = said.replace("<", "\\u003c")
        tag = f'<script type="application/json" id="texts">{data}</script>\n{tag}'
    return Markup(tag)


class Files(StaticFiles):
    """Scripts, which a browser must revalidate, because they depend on each other; and the font."""

    def file_response(self, full_path: Any, *given: Any, **named: Any) -> Response:
        """Return a file, or 304 if the browser has it."""
        response = super().file_response(full_path, *given, **named)
        if str(full_path).endswith(".woff2"):
            response.headers.update(FOR_GOOD)
        else:
            response.headers["cache-control"] = "no-cache"
        return response
