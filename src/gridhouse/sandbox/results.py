"""What a program may use, and how its run ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from gridhouse.core.errors import GridhouseError

MIB = 1 << 20


class SandboxError(GridhouseError):
    """A program cannot be run, or not as safely as was asked for; the message says why."""


@dataclass(frozen=True)
class Limits:
    """What one run may use.

    ``wall`` and ``cpu`` are seconds, of which those of the CPU are rounded up to whole ones and
    hold for each process.  ``memory`` is the address space of each process, ``output`` the standard
    output and the standard error, each.  ``processes`` counts threads as well.  ``disk`` is all
    that the scratch folder holds, given files as well, or, where no file system can be mounted,
    what each file holds.
    """

    wall: float = 10.0
    cpu: float = 10.0
    memory: int = 512 * MIB
    output: int = MIB
    processes: int = 16
    disk: int = 16 * MIB


class End(Enum):
    """How a run ended."""

    EXITED = "exited"
    SIGNALLED = "was ended by a signal"
    TIMED_OUT = "took too long"
    CPU_EXCEEDED = "took too much time of the processor"
    OUT_OF_MEMORY = "ran out of memory"
    TOO_MUCH_OUTPUT = "wrote too much"
    FAILED = "could not be run"


@dataclass(frozen=True)
class Result:
    """The output of a run, up to its limits, and how it ended.

    ``status`` is the exit status, or a signal as a negative number; None where neither is known.
    ``message`` says why a run FAILED.
    """

    stdout: bytes
    stderr: bytes
    status: int | None
    end: End
    seconds: float
    message: str = ""
