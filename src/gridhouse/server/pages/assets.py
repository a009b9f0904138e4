"""What pages are made of besides their text: one stylesheet, the icon, the scripts."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from gridhouse.core.picture import stylesheet

if TYPE_CHECKING:
    from starlette.requests import Request

STATIC = Path(__file__).parent / "static"
SHEET = stylesheet("auto") + (STATIC / "house.css").read_text(encoding="utf-8")
# Pages name the stylesheet by what is in it, so a browser may keep it for good, and never shows a
# page in the style of another version.
STYLE = f"/static/style.css?{hashlib.sha256(SHEET.encode()).hexdigest()[:12]}"
FOR_GOOD = {"cache-control": "public, max-age=31536000, immutable"}
# The icon is in every page; it is smaller than what asking for it would take.
ICON = "data:image/svg+xml;base64," + base64.b64encode((STATIC / "icon.svg").read_bytes()).decode()


async def style(request: Request) -> Response:
    """Give the style of all pages and of the pictures in them."""
    del request
    return Response(SHEET, media_type="text/css", headers=FOR_GOOD)


class Modules(StaticFiles):
    """Files of which a browser always asks whether they have changed, as they need each other."""

    def file_response(self, *given: Any, **named: Any) -> Response:
        """Return a file, or that it is the one that the browser has."""
        response = super().file_response(*given, **named)
        response.headers["cache-control"] = "no-cache"
        return response
