"""Pages that are whole in one file: style and script are inside, and nothing else is loaded."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from gridhouse.core.picture import stylesheet
from gridhouse.reporting.text import harmless

if TYPE_CHECKING:
    from collections.abc import Mapping

TEMPLATES = Path(__file__).parent / "templates"
STYLE = stylesheet() + (TEMPLATES / "style.css").read_text(encoding="utf-8")
SORTING = (TEMPLATES / "sort.js").read_text(encoding="utf-8")  # for tables of class "sortable"


class Pages:
    """The pages of a folder of templates, which extend ``base.html`` and have a ``style.css``."""

    def __init__(
        self, templates: Path, filters: Mapping[str, Any], names: Mapping[str, Any]
    ) -> None:
        """Read the style; filters and names are those that only these templates use."""
        self._style = STYLE + (templates / "style.css").read_text(encoding="utf-8")
        self._environment = Environment(
            loader=FileSystemLoader([templates, TEMPLATES]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        self._environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
        self._environment.filters |= {"harmless": harmless, **filters}
        self._environment.globals |= names

    def page(self, template: str, *, script: str = "", **values: object) -> str:
        """Return a page in which nothing runs but the script."""
        policy = f"default-src 'none'; style-src {_hash(self._style)}; img-src data:; "
        policy += f"script-src {_hash(script)}; " if script else ""
        policy += "base-uri 'none'; form-action 'none'"
        inside = {"style": Markup(self._style), "script": Markup(script)}
        return self._environment.get_template(template).render(policy=policy, **inside, **values)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
