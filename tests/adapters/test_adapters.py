"""What holds for the adapters to all libraries."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest


@pytest.mark.parametrize(
    ("extra", "library"),
    [("openspiel", "pyspiel"), ("pettingzoo", "pettingzoo"), ("gymnasium", "gymnasium")],
)
def test_a_library_that_is_missing_is_named_with_its_extra(
    extra: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"gridhouse.adapters.{extra}", raising=False)
    with pytest.raises(ImportError) as caught:
        import_module(f"gridhouse.adapters.{extra}")
    wanted = f"gridhouse.adapters.{extra} needs the extra {extra}: pip install 'gridhouse[{extra}]'"
    assert str(caught.value).partition(" is missing; ")[2] == wanted
    assert caught.value.__suppress_context__
