"""A player that is ready at once: it runs interpreted until its compiled code is ready."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from gridhouse.core import compile_queue
from gridhouse.core.compile_queue import Awaited, Unit
from gridhouse.core.errors import NotCompiledError
from gridhouse.players.base import Choice, Limits, Player

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from gridhouse.core.game import State


class AutoPlayer(Player):
    """Plays as another player, which it replaces by its compiled form when that is ready.

    With limits of nodes or playouts alone, an interpreted search that compiled code overtakes is
    started again compiled, so that the choice is the same on every machine.
    """

    def __init__(self, unit: Unit, make: Callable[[bool], Player]) -> None:
        """Take the function that makes the player, compiled or not; raise what it raises."""
        super().__init__(unit.game, jit=False)
        self._unit = unit
        self._make = make
        self._is_compiled = False
        self._player = self._make_compiled() or make(False)

    def _make_compiled(self) -> Player | None:
        """Return the compiled player, None while its code is not ready."""
        if not compile_queue.use_compiled(self._unit):
            return None
        try:
            with self._without_compiler():
                player = self._make(True)
        except NotCompiledError as error:
            compile_queue.spoil(self._unit, error)
            return None
        self._is_compiled = True
        return player

    def _without_compiler(self) -> AbstractContextManager[None]:
        """Forbid this thread to compile, unless the compiled code was damaged."""
        from gridhouse.core.compiling import only_loaded

        return only_loaded() if compile_queue.is_sound(self._unit) else nullcontext()

    def _choose(self, state: State, limits: Limits) -> Choice:
        if not self._is_compiled:
            self._player = self._make_compiled() or self._player
        if self._is_compiled:
            try:
                with self._without_compiler():
                    return self._player.choose(state, limits)
            except NotCompiledError as error:
                compile_queue.spoil(self._unit, error)
                self._player, self._is_compiled = self._make(False), False
        if limits.seconds is not None or self._player.is_timed:
            return self._player.choose(state, limits)
        with Awaited(self._unit, self.stop) as awaited:
            choice = self._player.choose(state, limits)
        return self._choose(state, limits) if awaited.is_ready else choice

    def stop(self) -> None:
        """End a search of another thread; it returns its choice at once."""
        self._player.stop()
