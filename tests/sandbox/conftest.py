from __future__ import annotations

import os
import shutil
import tempfile
from typing import TYPE_CHECKING

import pytest

from gridhouse.sandbox import Kind
from gridhouse.sandbox.sandbox import works
from sandbox_helpers import Attempts, python_for

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(params=Kind, ids=[kind.value for kind in Kind])
def kind(request: pytest.FixtureRequest) -> Kind:
    kind = Kind(request.param)
    if not works(kind, python_for(kind)):
        pytest.skip(f"this machine has no sandbox of the kind {kind.value}")
    return kind


@pytest.fixture
def folder() -> Iterator[str]:
    """Give a folder that anybody may enter."""
    folder = tempfile.mkdtemp(prefix="gridhouse-test-")
    os.chmod(folder, 0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def submission(folder: str) -> str:
    path = os.path.join(folder, "submission")
    os.mkdir(path)
    return path


@pytest.fixture(
    params=[
        pytest.param(False, marks=pytest.mark.slow("starts an interpreter for each"), id="started"),
        pytest.param(True, id="forked"),
    ]
)
def attempts(request: pytest.FixtureRequest, kind: Kind, submission: str) -> Iterator[Attempts]:
    attempts = Attempts(kind, request.param, submission)
    yield attempts
    for server in attempts.servers:
        server.close()


@pytest.fixture
def strongest(submission: str) -> Iterator[Attempts]:
    """Make attempts behind the strongest walls, in forks."""
    kind = next(kind for kind in Kind if works(kind, python_for(kind)))
    attempts = Attempts(kind, True, submission)
    yield attempts
    for server in attempts.servers:
        server.close()
