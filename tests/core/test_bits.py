"""Words of bits: plain and compiled functions agree."""

from __future__ import annotations

import functools
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gridhouse.core import bits, machine_bits


def compiled(name: str) -> Any:
    function = getattr(machine_bits, name)
    return numba.njit(lambda word: function(word))


COMPILED = {name: compiled(name) for name in ("population", "lowest", "length", "backwards")}


@pytest.mark.parametrize("name", COMPILED)
@given(word=st.integers(1, 2**63 - 1))
def test_the_machine_finds_what_plain_python_finds(name: str, word: int) -> None:
    assert COMPILED[name](word) == getattr(bits, name)(word)


EXTRACTS = [machine_bits.extract, machine_bits.extract_by_steps]  # as x86 does, and by other means


@pytest.mark.parametrize("extract", EXTRACTS)
@given(word=st.integers(0, 2**63 - 1), mask=st.integers(0, 2**63 - 1))
def test_bits_under_a_mask_are_moved_together(extract: Any, word: int, mask: int) -> None:
    chosen = [word >> place & 1 for place in range(63) if mask >> place & 1]
    expected = sum(bit << place for place, bit in enumerate(chosen))
    compiled_extract = compiled_of_two(extract)
    assert compiled_extract(word, mask) == bits.extract(word, mask) == expected


@pytest.mark.parametrize("deposit", [machine_bits.deposit, numba.njit(bits.deposit)])
@given(word=st.integers(0, 2**63 - 1), mask=st.integers(0, 2**63 - 1))
def test_bits_are_moved_to_where_a_mask_has_its_own(deposit: Any, word: int, mask: int) -> None:
    places = [place for place in range(63) if mask >> place & 1]
    expected = sum((word >> index & 1) << place for index, place in enumerate(places))
    assert compiled_of_two(deposit)(word, mask) == bits.deposit(word, mask) == expected


@functools.cache
def compiled_of_two(function: Any) -> Any:
    return numba.njit(lambda first, second: function(first, second))


@given(st.lists(st.integers(0, 2**16 - 1), min_size=16, max_size=16), st.integers(0, 15))
@example([3, 2, 1, 0] + 12 * [2**16 - 1], 1)
@example([3, 2, 1, 0] + 12 * [2**16 - 1], 15)
def test_a_lane_is_ranked_among_all(lanes: list[int], lane: int) -> None:
    expected = sorted(lanes).index(lanes[lane])
    words = np.array(lanes, np.uint16).view(np.int64)
    assert compiled_of_two(machine_bits.rank)(words, lane) == expected
    assert bits.rank(words.tolist(), lane) == expected


@given(st.integers(0, 2**40 - 1))
def test_even_bits_are_counted(word: int) -> None:
    even = word & int("01" * 20, 2)
    assert bits.population(even) == COMPILED["population"](even) == f"{even:b}".count("1")


def test_what_is_asked_for_early_stays_as_it_is() -> None:
    words = np.arange(8)
    ask: Any = machine_bits.prefetch
    compiled_ask: Any = numba.njit(lambda words, place: ask(words, place))
    compiled_ask(words, 3)
    bits.prefetch(words, 3)
    assert words.tolist() == list(range(8))
