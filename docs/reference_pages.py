"""Writes the pages of the reference that come from the program itself, before the site is made.

The commands come from the command line, the games from their classes, the HTTP API from its
OpenAPI document.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
import typer.core
import typer.main
from typer.cli import get_docs_for_click

from gridhouse import cli
from gridhouse.cli.app import LONGEST
from gridhouse.core.registry import game_class, games
from gridhouse.server.api import create_api

if TYPE_CHECKING:
    from sphinx.application import Sphinx

    from gridhouse.core.game import Parameter

FOLDER = Path(__file__).parent / "reference"


def commands() -> str:
    """Return the page of all commands, as ``--help`` prints them."""
    command = typer.main.get_command(cli.complete_app())
    context = typer.Context(command, info_name="gridhouse")
    page = get_docs_for_click(obj=command, ctx=context, name="gridhouse", title="Commands")
    assert isinstance(command, typer.core.TyperGroup)
    for name, each in command.commands.items():  # what the list of all commands cuts short
        whole = each.get_short_help_str(LONGEST)
        page = re.sub(rf"(?m)^\* `{name}`: .*\.\.\.$", f"* `{name}`: {whole}", page, count=1)
    return page


def all_games() -> str:
    """Return the page of the games: how each is played, its parameters and its presets."""
    lines = [
        "# Games",
        "",
        "A game with its parameters is written `sinks(rows=8,cols=8)`; what is left out has its",
        "default, as in `sinks()`. `gridhouse.load` and `--game` take it, and",
        "[positions](../positions.md) begin with it.",
        "",
    ]
    for cls in map(game_class, games()):
        lines += [f"## {cls.title}", "", cls.how_to_play.replace("\n", "\n\n"), ""]
        lines += [f"The name of the game is `{cls.name}`.", ""]
        lines += table(
            ("parameter", "default", "values", "meaning"),
            [(f"`{each.name}`", f"`{each.default}`", values_of(each), each.about)
             for each in cls.parameters],
        )  # fmt: skip
        lines += table(
            ("board", "about", "parameters"),
            [(preset.title, preset.about, f"`{cls.from_preset(name)}`")
             for name, preset in cls.presets.items()],
        )  # fmt: skip
    return "\n".join(lines)


def values_of(parameter: Parameter) -> str:
    """Return the values that a parameter may have, in words."""
    if isinstance(parameter.default, bool):
        return "True or False"
    if isinstance(parameter.default, int):
        return f"{parameter.low} to {parameter.high}"
    return f"at most {parameter.longest} characters"


def http_api() -> str:
    """Return the page of the HTTP API: each request with its parameters, body and answers."""
    document = create_api().openapi()
    lines = ["# Requests of the HTTP API", "", document["info"]["description"], ""]
    for path, methods in document["paths"].items():
        for method, request in methods.items():
            lines += [f"## {method.upper()} /api{path}", ""]
            lines += [request.get("description") or request["summary"], ""]
            lines += table(
                ("parameter", "in", "type"),
                [(each["name"], each["in"], type_of(each["schema"]))
                 for each in request.get("parameters", [])],
            )  # fmt: skip
            for content in request.get("requestBody", {}).get("content", {}).values():
                lines += ["The body: " + type_of(content["schema"]) + ".", ""]
            lines += table(
                ("status", "meaning", "answer"),
                [(code, answer["description"], answer_type(answer))
                 for code, answer in request["responses"].items()],
            )  # fmt: skip
    lines += ["## Types", ""]
    for name, schema in document["components"]["schemas"].items():
        lines += [f"(type-{name.lower()})=", f"### {name}", "", schema.get("description", ""), ""]
        lines += table(
            ("field", "type", "meaning"),
            [(field, type_of(given), given.get("description", ""))
             for field, given in schema.get("properties", {}).items()],
        )  # fmt: skip
    return "\n".join(lines)


def answer_type(answer: dict[str, Any]) -> str:
    """Return the type of an answer's content."""
    return ", ".join(type_of(content.get("schema", {})) for content in
                     answer.get("content", {}).values())  # fmt: skip


def type_of(schema: dict[str, Any]) -> str:
    """Return a type of JSON Schema in words, with links to the types of the document."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#type-{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(map(type_of, schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {type_of(schema.get('items', {}))}"
    return str(schema.get("type", "anything"))


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    """Return the lines of a table, none without rows."""
    if not rows:
        return []
    escaped = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    return [
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
        *("| " + " | ".join(row) + " |" for row in escaped),
        "",
    ]


def write(app: Sphinx) -> None:
    """Write the pages that have changed."""
    del app
    pages = {"commands": commands(), "games": all_games(), "http-requests": http_api()}
    for name, page in pages.items():
        path = FOLDER / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != page:
            path.write_text(page, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Have the pages written first."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
