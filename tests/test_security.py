"""The threat model names tests, and the files for running a house are what the guide says."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
UNIT = ROOT / "deploy" / "gridhouse@.service"
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def test_every_line_of_the_threat_model_names_a_test_that_there_is() -> None:
    lines = (ROOT / "SECURITY.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| ") and "---" not in line][1:]
    assert len(rows) > 10
    for row in rows:
        named = NAMED.findall(row.rpartition(" | ")[2])
        assert named, row
        for path, name in named:
            assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), name


def settings_of_the_unit() -> list[tuple[str, str]]:
    lines = UNIT.read_text(encoding="utf-8").splitlines()
    pairs = [line.partition("=") for line in lines if "=" in line and line[0] != "#"]
    return [(name, value) for name, _, value in pairs]


def test_several_processes_of_the_unit_share_folders_and_no_port() -> None:
    settings = settings_of_the_unit()
    for wanted in (("DynamicUser", "yes"), ("User", "gridhouse"), ("StateDirectory", "gridhouse")):
        assert wanted in settings
    assert dict(settings)["ExecStart"].endswith(" --port %i")
    assert ("Environment", "GRIDHOUSE_METRICS=127.0.0.1:1%i") in settings


def test_the_unit_is_hardened() -> None:
    settings = settings_of_the_unit()
    for wanted in (("NoNewPrivileges", "yes"), ("ProtectSystem", "strict"), ("MemoryMax", "2G")):
        assert wanted in settings
    # Niceness is set by a call that @resources refuses, so this has to come after it.
    calls = [value for name, value in settings if name == "SystemCallFilter"]
    assert calls.index("setpriority") > calls.index("~@privileged @resources")


def test_systemd_reads_the_unit(tmp_path: Path) -> None:
    systemd = shutil.which("systemd-analyze")
    if systemd is None:
        pytest.skip("this system has no systemd")
    text = UNIT.read_text(encoding="utf-8")
    unit = tmp_path / "gridhouse@8017.service"
    unit.write_text(text.replace("/opt/gridhouse/bin/gridhouse", "/bin/true"), encoding="utf-8")
    run = subprocess.run(
        [systemd, "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")


def test_every_setting_of_the_house_is_explained() -> None:
    server = ROOT / "src" / "gridhouse" / "server"
    code = "".join((server / name).read_text("utf-8") for name in ("settings.py", "logs.py"))
    names = {*re.findall(r'"(GRIDHOUSE_\w+)"', code)}
    assert len(names) > 7
    guide = (ROOT / "docs" / "how-to" / "run-a-house.md").read_text(encoding="utf-8")
    assert names <= {*re.findall(r"^\| `(GRIDHOUSE_\w+)", guide, re.MULTILINE)}
    house = (ROOT / "docs" / "house.md").read_text(encoding="utf-8")
    assert names <= {*re.findall(r"GRIDHOUSE_\w+", house)}


def test_images_are_built_with_their_health_check() -> None:
    texts = [(ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8")]
    assert "\nHEALTHCHECK " in texts[0]
    texts += [file.read_text(encoding="utf-8") for file in (ROOT / "docs").rglob("*.md")]
    commands = re.findall(r"podman build .*", "\n".join(texts))
    assert commands  # podman's own format of images leaves the health check out
    assert all("--format docker" in command for command in commands)


def test_no_proxy_logs_requests() -> None:
    nginx = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
    servers = nginx.split("\nserver {")[1:]
    assert len(servers) == 2
    for server in servers:  # errors of all other levels may quote the request
        assert {"    access_log off;", "    error_log /var/log/nginx/error.log emerg;"} <= {
            *server.splitlines()
        }
    caddy = (ROOT / "deploy" / "Caddyfile").read_text(encoding="utf-8")
    words = " ".join(line for line in caddy.splitlines() if "#" not in line).split()
    assert words.count("log") == 1
    assert "log { exclude http.log.error http.handlers.reverse_proxy }" in " ".join(words)
