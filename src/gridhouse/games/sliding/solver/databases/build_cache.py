"""A cache of values that take long to build and much memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

T = TypeVar("T")

MAX_BYTES = 64 << 20  # of a cache; the databases of three beams on 5x5 take 54 MiB
ENTRY_BYTES = 1 << 16  # counted for each entry beside its value


class _Slot(Generic[T]):
    """A value, None before it is built, and the lock of the thread that builds it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.value: T | None = None


class BuildCache(Generic[T]):
    """Keeps the values that were used last, by key; one thread builds, others wait for it.

    Kept are at most ``max_bytes``, and the last value in any case.  A build of another key is not
    waited for.  A build that raises is tried again by the next call.
    """

    def __init__(self, size_of: Callable[[T], int], max_bytes: int = MAX_BYTES) -> None:
        """Make an empty cache; ``size_of`` tells the bytes of a value."""
        self._size_of = size_of
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._slots: OrderedDict[Hashable, _Slot[T]] = OrderedDict()

    def get(self, key: Hashable, build: Callable[[], T]) -> T:
        """Return the value of a key, built if it is not there."""
        with self._lock:
            slot = self._slots.setdefault(key, _Slot())
            self._slots.move_to_end(key)
        with slot.lock:
            if slot.value is None:
                try:
                    slot.value = build()
                finally:
                    self._forget_oldest()
            return slot.value

    def _forget_oldest(self) -> None:
        """Forget what was used longest ago, until the rest is within the bound."""
        with self._lock:
            total = sum(map(self._bytes, self._slots.values()))
            while total > self._max_bytes and len(self._slots) > 1:
                total -= self._bytes(self._slots.popitem(last=False)[1])

    def _bytes(self, slot: _Slot[T]) -> int:
        """Return the bytes that an entry counts."""
        return ENTRY_BYTES + (0 if slot.value is None else self._size_of(slot.value))

    def has(self, key: Hashable) -> bool:
        """Tell whether the value of a key has been built."""
        slot = self._slots.get(key)
        return slot is not None and slot.value is not None

    def clear(self) -> None:
        """Forget all values."""
        self._slots.clear()
