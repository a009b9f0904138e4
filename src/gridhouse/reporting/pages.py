"""Pages that are whole in one file: style and scripts are inside, and nothing else is loaded.

A house, whose own pages have neither inside, serves the same pages with both as files.
"""

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
    from collections.abc import Mapping, Sequence

TEMPLATES = Path(__file__).parent / "templates"
STYLE = stylesheet() + (TEMPLATES / "style.css").read_text(encoding="utf-8")
STYLE_FILE = "style.css"
SORTING = "sort.js"  # for tables of class "sortable"


class Pages:
    """The pages of a folder of templates, which extend ``base.html`` and have a ``style.css``.

    ``style`` is the whole style of these pages.
    """

    def __init__(
        self, templates: Path, filters: Mapping[str, Any], names: Mapping[str, Any]
    ) -> None:
        """Read the style; filters and names are those that only these templates use."""
        self.style = STYLE + (templates / STYLE_FILE).read_text(encoding="utf-8")
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

    def page(
        self,
        template: str,
        *,
        scripts: Sequence[str] = (),
        served: str | None = None,
        **values: Any,
    ) -> str:
        """Return a page in which nothing runs but the scripts, by the names of their files.

        ``served`` is the way from the page to the folder in which a house has style and scripts as
        files; by default they are inside the page.
        """
        script = "".join(map(self.script, scripts))
        policy = f"default-src 'none'; style-src {_hash(self.style)}; img-src data:; "
        policy += f"script-src {_hash(script)}; " if script else ""
        policy += "base-uri 'none'; form-action 'none'"
        inside = {"policy": policy, "style": Markup(self.style), "script": Markup(script)}
        files = {"served": served, "scripts": scripts, "style_file": STYLE_FILE}
        return self._environment.get_template(template).render(**inside, **files, **values)

    def script(self, name: str) -> str:
        """Return a script by the name of its file."""
        loader = self._environment.loader
        assert loader is not None
        return loader.get_source(self._environment, name)[0]


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
