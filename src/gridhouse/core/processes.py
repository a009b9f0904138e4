"""Python processes that import nothing from the working folder, where anybody's files may lie."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import contextmanager

from gridhouse.core.console import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

SAFE_PATH = "-P"  # of the command line of Python 3.11
VARIABLE = "PYTHONSAFEPATH"
OURS = "gridhouse"  # any text sets the option; by this one it is known as set here


@contextmanager
def safe_path() -> Iterator[None]:
    """Start processes with this option in their environment."""
    if os.environ.get(VARIABLE):
        yield
        return
    os.environ[VARIABLE] = OURS
    try:
        yield
    finally:
        del os.environ[VARIABLE]


def users_environment() -> dict[str, str]:
    """Return the environment without this option, unless the user has set it.

    The user's own programs import what lies beside them.
    """
    found = dict(os.environ)
    if found.get(VARIABLE) == OURS:
        del found[VARIABLE]
    return found


def preloaded(module: str) -> Any:
    """Return a context of ``multiprocessing`` whose server of processes has a module loaded.

    The server passes over interrupts from its first moment, and so do processes until they decide
    otherwise.  Raises UsageError where none can be started.
    """
    import multiprocessing
    import signal
    from multiprocessing import forkserver

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([module])
    # Processes inherit that interrupts are ignored.
    with safe_path(), _handler(signal.SIGINT, signal.SIG_IGN):
        try:
            forkserver.ensure_running()
        except OSError as error:  # of the folder for temporary files, for instance too long a path
            reason = error.strerror or error
            raise UsageError(f"processes cannot be started: {reason}") from None
    return context


def run_to_exit(work: Callable[..., None], *arguments: object) -> None:
    """Do the work of a process of ``multiprocessing``, and then what ``atexit`` asks for.

    Before Python 3.14 such a process leaves the latter out, and its temporary folders stay.  If it
    is terminated, it still cleans up.
    """
    with terminated_by_exit():
        try:
            work(*arguments)
        finally:
            atexit._run_exitfuncs()


@contextmanager
def terminated_by_exit() -> Iterator[None]:
    """Let a termination raise SystemExit, so that temporary folders are removed."""
    import signal

    def leave(number: int, _: object) -> None:
        # Another one would break off what cleans up.  New processes do not inherit a function.
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, lambda *_: None)
        sys.exit(128 + number)

    with _handler(signal.SIGTERM, leave):
        yield


@contextmanager
def _handler(number: int, handler: Any) -> Iterator[None]:
    """Handle a signal in another way meanwhile; in a thread that may not do that, as before."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)
