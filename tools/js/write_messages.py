"""Print the TypeScript types of a table's messages, which are declared in Python."""

from __future__ import annotations

import inspect
import types
from typing import Any, Literal, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

from gridhouse.server.tables import messages

PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}


def typescript(hint: Any, names: dict[Any, str]) -> str:
    """Return a type as TypeScript writes it; ``names`` are those of declared types."""
    if hint in names:
        return names[hint]
    if hint in PLAIN:
        return PLAIN[hint]
    parts = [typescript(part, names) for part in get_args(hint) if get_origin(hint) is not Literal]
    if get_origin(hint) is Literal:
        return " | ".join(f'"{text}"' for text in get_args(hint))
    if get_origin(hint) is tuple:
        return f"[{', '.join(parts)}]"
    if get_origin(hint) is list:
        return f"({parts[0]})[]" if "|" in parts[0] else f"{parts[0]}[]"
    if get_origin(hint) is dict:
        return f"Record<{', '.join(parts)}>"
    if isinstance(hint, types.UnionType):
        return " | ".join(parts)
    raise TypeError(f"{hint} has no TypeScript")


def interface(name: str, declared: Any, names: dict[Any, str]) -> list[str]:
    """Return the lines of a message's interface."""
    lines = [f"/** {inspect.getdoc(declared)} */", f"export interface {name} {{"]
    for key, hint in get_type_hints(declared, include_extras=True).items():
        mark = ""
        if get_origin(hint) is NotRequired:
            mark, (hint,) = "?", get_args(hint)
        lines.append(f"  {key}{mark}: {typescript(hint, names)};")
    return [*lines, "}"]


def document() -> str:
    """Return the whole declaration file."""
    names: dict[Any, str] = {}
    lines = ["// Written by tools/js/write_messages.py from gridhouse/server/tables/messages.py."]
    for name, declared in vars(messages).items():
        if is_typeddict(declared) and declared.__module__ == messages.__name__:
            lines += ["", *interface(name, declared, names)]
        elif name[0].isupper() and isinstance(declared, types.UnionType | types.GenericAlias):
            lines += ["", f"export type {name} = {typescript(declared, names)};"]
        else:
            continue
        names[declared] = name
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(document(), end="")
