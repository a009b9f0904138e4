"""A cache of values that take long to build."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

T = TypeVar("T")


class _Slot(Generic[T]):
    """A value, None before it is built, and the lock of the thread that builds it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.value: T | None = None


class BuildCache(Generic[T]):
    """Keeps the values that were used last, by key; one thread builds, others wait for it.

    A build of another key is not waited for.  A build that raises is tried again by the next call.
    """

    def __init__(self, size: int) -> None:
        """Make an empty cache for ``size`` values."""
        self._size = size
        self._lock = threading.Lock()
        self._slots: OrderedDict[Hashable, _Slot[T]] = OrderedDict()

    def get(self, key: Hashable, build: Callable[[], T]) -> T:
        """Return the value of a key, built if it is not there."""
        with self._lock:
            slot = self._slots.setdefault(key, _Slot())
            self._slots.move_to_end(key)
            if len(self._slots) > self._size:
                self._slots.popitem(last=False)
        with slot.lock:
            if slot.value is None:
                slot.value = build()
            return slot.value

    def has(self, key: Hashable) -> bool:
        """Tell whether the value of a key has been built."""
        slot = self._slots.get(key)
        return slot is not None and slot.value is not None

    def clear(self) -> None:
        """Forget all values."""
        self._slots.clear()
