"""Give every reader of the project texts that nobody would write, and see that it says so.

``python tests/fuzz.py [READER ...] [--seconds N]`` tries each reader for N seconds with texts by
chance.  With ``--guided`` it tries one, guided by the coverage of its code, for which the package
``atheris`` has to be installed.  The folder ``--corpus`` keeps the texts that reach new code, and
the next run goes on from them.  A reader may raise the errors that it declares and nothing else.
The house never answers with a status of 500 or more.  ``tests/test_fuzz.py`` tries a number of
texts for each reader, always the same ones.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import random
import re
import sys
import tempfile
import time
import traceback
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from fuzz_house import HOUSE, House
from fuzz_texts import PLAIN, Reader, text_of
from gridhouse.core.notation import seed_bytes as raw  # the bytes of any text

if TYPE_CHECKING:
    from collections.abc import Iterator


CORPUS = Path(__file__).with_name("corpus.json")  # texts that reached lines which others do not
WORDS = (
    *("-1", "10", "400", "9" * 19, "9" * 400, "9" * 5000, "1e999", "nan", "%ed%a0%80", "[" * 200),
    *("\ud800", "\udc80", "\u0660", "\xb2", "\xe9", "e\u0301", "\U0001f600", "true", "null"),
    *("False", "B?", "la33", "s211", "self=1", ")" * 3000, "x, " * 1000),
    *"0123+-.*#/|<=,() \t\n\r\0'\"\\{}[]:&%xRFb",
)
ODD = (None, True, False, 0, -1, 2**63, 10**400, 1e308, float("nan"), float("inf"), [], {}, *WORDS)


@contextmanager
def readers() -> Iterator[dict[str, Reader]]:
    """Yield all readers by their names, with the texts that are kept for them."""
    kept = json.loads(CORPUS.read_text())
    with closing(House()) as house:
        known = PLAIN | {
            name: Reader(partial(house.read, how), seeds, (), texts)
            for name, (how, seeds, texts) in HOUSE.items()
        }
        yield {
            name: reader._replace(seeds=(*reader.seeds, *kept.get(name, ())))
            for name, reader in known.items()
        }


def changed(value: Any, chance: random.Random) -> Any:
    """Return a JSON value with one place changed, added or left out."""
    if not isinstance(value, dict | list) or not value or chance.random() < 0.1:
        return chance.choice((*ODD, value * 2 if isinstance(value, int | str) else value))
    copy: Any = value.copy()
    key = chance.choice(list(value) if isinstance(value, dict) else range(len(value)))
    how = chance.random()
    if how < 0.1:
        del copy[key]
    elif how > 0.2:
        copy[key] = changed(value[key], chance)
    elif isinstance(value, dict):
        copy[chance.choice(WORDS)] = value[key]
    else:
        copy.insert(key, value[key])
    return copy


def with_other_values(text: str, chance: random.Random) -> str | None:
    """Return a JSON text with some values changed; None for other texts, and half of the time."""
    if chance.random() < 0.5:
        return None
    with suppress(ValueError, RecursionError):
        value = json.loads(text)
        for _ in range(chance.choice((0, 1, 1, 2, 3))):
            value = changed(value, chance)
        return json.dumps(value)
    return None


def mutated(seeds: tuple[str, ...], chance: random.Random) -> str:
    """Return one of the texts with some places changed."""
    text = chance.choice(seeds)
    if (other_values := with_other_values(text, chance)) is not None:
        return other_values
    for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3, 5))):
        start = chance.randint(0, len(text))
        end = min(len(text), start + chance.choice((0, 0, 1, 1, 2, 4, 16)))
        other = chance.choice(seeds)
        at = chance.randint(0, len(other))
        piece = chance.choice(
            (
                "",
                chance.choice(WORDS),
                chance.choice(WORDS),
                other[at : at + chance.choice((1, 3, 10))],
                text[start:end] * 3,
                chr(chance.choice((chance.randrange(128), chance.randrange(0x300)))),
            )
        )
        text = text[:start] + piece + text[end:]
    return text


def attempt(reader: Reader, text: str) -> bool:
    """Let a reader read a text; return whether it was right."""
    try:
        reader.read(text)
    except reader.errors as error:
        assert len(str(error)) < 1000, error  # one line that quotes little of a long text
        assert "\n" not in str(error), error
        return False
    return True


def by_chance(name: str, reader: Reader, seconds: float) -> bool:
    """Try texts for some seconds, and tell how many; return whether all went well."""
    chance, count, end = random.Random(), 0, time.monotonic() + seconds
    places: set[str] = set()
    while time.monotonic() < end:
        text = mutated(reader.seeds, chance)
        try:
            attempt(reader, text)
        except Exception as error:
            place = f"{type(error).__name__} at {traceback.extract_tb(error.__traceback__)[-1]}"
            if place not in places:
                print(f"{name}: {place}: {str(error)[:200]!r}, of {text[:2000]!r}", flush=True)
            places.add(place)
        count += 1
    print(f"{name}: {count} texts in {seconds:g} s, {len(places)} faults", flush=True)
    return not places


def own_functions() -> set[FunctionType]:
    """Return the functions and methods of the package, each once."""
    modules = [module for name, module in sys.modules.items() if name.startswith("gridhouse.")]
    kinds = [kind for module in modules for kind in vars(module).values() if isinstance(kind, type)]
    found = set()
    for owner in (*modules, *kinds):
        for value in vars(owner).values():
            for inner in ("__func__", "fget", "func"):  # of methods of classes and of properties
                value = getattr(value, inner, value)
            function = inspect.unwrap(value)
            if isinstance(function, FunctionType) and function.__module__.startswith("gridhouse"):
                found.add(function)
    return found


def by_coverage(reader: Reader, seconds: float, corpus: Path, dictionary: Path) -> None:
    """Try texts for some seconds, those first that reach new code; ends the process."""
    atheris: Any = importlib.import_module("atheris")
    for function in own_functions():
        atheris.instrument_func(function)
    for number, text in enumerate(reader.seeds):
        (corpus / str(number)).write_bytes(raw(text))
    words = {*WORDS, *(word for text in reader.seeds for word in re.findall(r"\w+", text))}
    lines = ["".join(f"\\x{byte:02x}" for byte in raw(word)) for word in sorted(words)]
    dictionary.write_text("".join(f'"{line}"\n' for line in lines))
    options = [f"-max_total_time={seconds:g}", "-timeout=20", "-len_control=0"]

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        text = with_other_values(text_of(data), random.Random(seed))
        return atheris.Mutate(data, most) if text is None else raw(text)[:most]

    atheris.Setup(
        [sys.argv[0], *options, f"-dict={dictionary}", str(corpus)],
        lambda data: attempt(reader, text_of(data)) and None,
        custom_mutator=mutate,
    )
    atheris.Fuzz()


def main() -> None:
    """Try the readers that are named, all without a name."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("names", nargs="*", metavar="READER")
    asked.add_argument("--seconds", type=float, default=60.0)
    asked.add_argument("--guided", action="store_true", help="one reader, with the package atheris")
    asked.add_argument("--corpus", type=Path, help="a folder that keeps the guided texts")
    options = asked.parse_args()
    with readers() as known, tempfile.TemporaryDirectory() as folder:
        names = options.names or list(known)
        if options.guided:
            corpus = options.corpus or Path(folder, "corpus")
            corpus.mkdir(parents=True, exist_ok=True)
            by_coverage(known[names[0]], options.seconds, corpus, Path(folder, "dictionary"))
        well = [by_chance(name, known[name], options.seconds) for name in names]
    sys.exit(not all(well))


if __name__ == "__main__":
    main()
