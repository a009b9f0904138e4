"""Tables hold what dictionaries and sets do, interpreted and compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridhouse.core import arrays, chance, tables
from gridhouse.core.specialize import specialize

WAYS = 4
PAYLOAD = 6  # bits
ENTRIES = 1 << PAYLOAD
KEYS = st.integers(1 << PAYLOAD, chance.KEY)
BOTH = pytest.mark.parametrize(
    "kernels", [tables, specialize(tables, "tests")], ids=["interpreted", "compiled"]
)


@BOTH
@given(keys=st.lists(st.integers(0, 100), max_size=100), bits=st.integers(0, 62))
def test_a_hash_set_numbers_keys_as_a_dictionary_does(
    kernels: Any, keys: list[int], bits: int
) -> None:
    slots, held = np.zeros(128, np.int32), np.zeros(100, np.int64)
    numbers: dict[int, int] = {}
    for key in keys:
        slot = kernels.find_slot(slots, held, key, key & ((1 << bits) - 1))  # also all alike
        assert (slots[slot] != 0) == (key in numbers)
        if slots[slot] == 0:
            held[len(numbers)] = key
            numbers[key] = len(numbers)
            slots[slot] = len(numbers)
        assert slots[slot] - 1 == numbers[key]


@BOTH
@given(keys=st.sets(KEYS, max_size=100))
def test_keys_are_found_in_the_slots_of_a_larger_hash_set(kernels: Any, keys: set[int]) -> None:
    held = np.array(sorted(keys), np.int64)
    slots = np.zeros(256, np.int32)
    kernels.fill_slots(slots, held)
    for number, key in enumerate(sorted(keys)):
        assert slots[kernels.find_slot(slots, held, key, key)] == number + 1


def write(kernels: Any, table: Any, width: int, key: int, payload: int) -> None:
    """Write an entry, in place of that with the least payload if there is no room."""
    place = kernels.find(table, key, WAYS, width, PAYLOAD)
    if place == tables.ABSENT:
        place = kernels.victim(table, key, WAYS, width, ENTRIES - 1)
    table[place + width - 1] = payload  # the second word, if there is one
    table[place] = key >> PAYLOAD << PAYLOAD | payload


def read(kernels: Any, table: Any, width: int, key: int) -> int:
    """Return the payload of a key, 0 if it is not there."""
    place = kernels.find(table, key, WAYS, width, PAYLOAD)
    if place == tables.ABSENT:
        return 0
    assert (int(table[place + width - 1]) ^ int(table[place])) & (ENTRIES - 1) == 0
    return int(table[place]) & (ENTRIES - 1)


@BOTH
@pytest.mark.parametrize("width", [1, 2])
@given(keys=st.lists(KEYS, max_size=40))
def test_a_table_holds_what_a_dictionary_of_full_buckets_would(
    kernels: Any, width: int, keys: list[int]
) -> None:
    table, larger = (np.zeros(size * width * ENTRIES, np.int64) for size in (1, 8))
    buckets: dict[int, dict[int, int]] = {}
    for index, key in enumerate(keys):
        payload = 1 + 5 * index % 63
        write(kernels, table, width, key, payload)
        held = buckets.setdefault(tables.bucket(table, key, WAYS, width), {})
        if key >> PAYLOAD not in held and len(held) == WAYS:
            del held[min(held, key=lambda tag: held[tag])]
        held[key >> PAYLOAD] = payload
    kernels.move_entries(table, larger, WAYS, width, PAYLOAD)
    for key in keys:
        held = buckets[tables.bucket(table, key, WAYS, width)]
        assert read(kernels, table, width, key) == held.get(key >> PAYLOAD, 0)
        assert read(kernels, larger, width, key) == held.get(key >> PAYLOAD, 0)


@BOTH
@given(keys=st.lists(KEYS, max_size=40), times=st.sampled_from([1, 2, 8]))
def test_data_joined_with_keys_are_found_until_replaced(
    kernels: Any, keys: list[int], times: int
) -> None:
    table = arrays.zeros(2 * ENTRIES, "int64")
    buckets: dict[int, dict[int, int]] = {}
    for index, key in enumerate(keys):
        data = 1 + 5 * index % 63
        kernels.store_xored(table, key, data, WAYS, ENTRIES - 1)
        held = buckets.setdefault(tables.bucket(table, key, WAYS, 2), {})
        if key not in held and len(held) == WAYS:
            del held[min(held, key=lambda other: held[other])]
        held[key] = data
    larger = tables.enlarge_xored(table, WAYS, times)
    for key in keys:
        held = buckets[tables.bucket(table, key, WAYS, 2)]
        for each in (table, larger):
            assert kernels.probe_xored(each, key, WAYS) == held.get(key, 0)


def test_a_mixture_of_two_entries_has_a_key_that_nothing_asks_for() -> None:
    table = np.zeros(2 * WAYS, np.int64)
    first, second = 1 << 40, 1 << 41
    table[0], table[1] = 3, second ^ 5  # data of one thread, the check of another
    assert tables.probe_xored(table, first, WAYS) == tables.probe_xored(table, second, WAYS) == 0
