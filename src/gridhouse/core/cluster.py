"""A connection to a Ray cluster, on whose nodes jobs are done."""

from __future__ import annotations

import os
import socket

from gridhouse.core.console import UsageError
from gridhouse.core.extras import missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_LOST = 5  # nodes that may go away while they do one job
REACHED = 10.0  # seconds that a machine may take to answer
PATIENCE = 300.0  # seconds that a cluster may be without processors
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_NUM_REDIS_GET_RETRIES": "2",  # of 40 seconds each, to connect
    "RAY_DEDUP_LOGS": "1",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # what nodes report goes to standard output otherwise
}


def connected(address: str) -> Any:
    """Connect to a cluster and return the module of Ray, which then prints nothing itself.

    The address is one of Ray's: ``auto``, ``local``, ``host:port`` or ``ray://host:port``.  Raises
    MissingExtraError without Ray, and UsageError where the cluster cannot be reached.
    """
    os.environ.update(SETTINGS)
    try:
        import ray
    except ModuleNotFoundError:
        raise missing("Ray", "a cluster", "cluster") from None
    try:
        host, _, port = address.removeprefix("ray://").rpartition(":")
        if port.isdecimal():  # Ray itself would try for minutes
            socket.create_connection((host, int(port)), REACHED).close()
        ray.init(address, include_dashboard=False, log_to_driver=False, logging_level="CRITICAL")
    except Exception as error:  # of many kinds
        reason = " ".join(str(error).split())
        raise UsageError(f"the Ray cluster {address!r} cannot be reached: {reason}") from None
    return ray


def check_version(wanted: str) -> None:
    """Raise UsageError, on a node, for another version of this package than is wanted."""
    from importlib.metadata import version

    if version("gridhouse") != wanted:
        raise UsageError(
            f"{socket.gethostname()} has gridhouse {version('gridhouse')}, not {wanted}"
        )
