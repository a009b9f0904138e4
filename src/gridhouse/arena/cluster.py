"""The nodes of a Ray cluster play the games of a tournament side by side."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Self

from gridhouse.arena.table import Table, wait_for_compiler
from gridhouse.arena.workers import Retries, check_players, played
from gridhouse.core.cluster import PATIENCE, check_version, connected
from gridhouse.core.console import UsageError

if TYPE_CHECKING:
    from gridhouse.arena.records import GameRecord
    from gridhouse.arena.table import Job
    from gridhouse.arena.tournament_file import Tournament


class Nodes:
    """A process for each processor of a cluster; a context manager that ends them.

    They play the same games as ``workers.Workers``.  A program has to be on each node, under the
    same path.
    """

    def __init__(self, tournament: Tournament, address: str) -> None:
        """Connect to a cluster, whose address is one of Ray's.

        Raises UsageError for a player that cannot be made and a cluster that cannot be reached.
        """
        check_players(tournament)
        self._tournament = tournament
        self._address = address
        self._ray = connected(address)
        self._make = self._ray.remote(num_cpus=1)(_Node).remote
        self._idle: list[Any] = []
        self._busy: dict[Any, tuple[Any, Job]] = {}  # a node and its game, by the task
        self._retries = Retries(tournament)
        self.capacity = max(1, self._processors())

    def _processors(self) -> int:
        return int(self._ray.cluster_resources().get("CPU", 0))

    def start(self, job: Job) -> None:
        """Begin a game in an idle process, or in a new one."""
        node = (
            self._idle.pop() if self._idle else self._make(self._tournament, version("gridhouse"))
        )
        self._busy[node.play.remote(job)] = node, job

    def wait(self) -> list[GameRecord]:
        """Wait until a game ends, and return those that have ended; raises UsageError."""
        try:
            done, _ = self._ray.wait(list(self._busy), timeout=PATIENCE)
            processors = self._processors()
            if not done and not processors:
                raise UsageError("the Ray cluster has no processors")
            self.capacity = max(1, processors)
            records = [self._answer(task) for task in done]
        except ConnectionError:
            raise UsageError(
                f"the connection to the Ray cluster {self._address!r} was lost"
            ) from None
        return [record for record in records if record is not None]

    def _answer(self, task: Any) -> GameRecord | None:
        """Return the record of a task; None if its process has died and the game begins again."""
        node, job = self._busy.pop(task)
        failed = self._ray.exceptions
        try:
            answer: GameRecord | UsageError = self._ray.get(task)
        except failed.RayTaskError as error:
            reason = str(error.cause).strip().splitlines()[-1]
            raise UsageError(f"a node of the Ray cluster cannot play: {reason}") from None
        except failed.RayError:
            return self._retries.died(job, self.start)
        self._idle.append(node)
        if isinstance(answer, UsageError):
            raise answer
        return answer

    def __enter__(self) -> Self:
        """Return these nodes."""
        return self

    def __exit__(self, *_: object) -> None:
        """End all processes and the connection; games in play are not recorded."""
        self._ray.shutdown()


class _Node:
    """A process of a node."""

    def __init__(self, tournament: Tournament, wanted: str) -> None:
        """Sit down at a table."""
        wait_for_compiler()
        self._wanted = wanted
        self._table = Table(tournament)

    def play(self, job: Job) -> GameRecord | UsageError:
        """Play a game; return what a player cannot be made for."""
        check_version(self._wanted)
        return played(self._table, job)
