"""Uptimes and last log lines as `make status` shows them."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from weir.embedded.orphan_processes import label
from weir.embedded.status import last_line, listening, main, uptime


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0s"), (59, "59s"), (61, "1m 1s"), (3_600, "1h 0m"), (90_000, "1d 1h")]
)
def test_uptime(seconds: float, text: str) -> None:
    assert uptime(seconds) == text


def test_last_line_skips_blanks_and_long_beginnings(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("x" * 20_000 + "\nthe last\n\n  \n")
    assert last_line(log) == "the last"


def test_no_log_no_line(tmp_path: Path) -> None:
    assert last_line(tmp_path / "none.log") == ""


def test_listening_ports_of_a_process() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert server.getsockname()[1] in listening(os.getpid())
    assert listening(0) == []


def test_what_a_killed_supervisor_left_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIR_DATA_DIR", str(tmp_path))
    with pytest.raises(SystemExit, match=r"Weir is not running\. Start it: make run"):
        main()
    with subprocess.Popen(
        [sys.executable, "-c", "print(flush=True); input()"],
        env=os.environ | label(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as left:
        assert left.stdout is not None
        left.stdout.readline()
        with pytest.raises(SystemExit, match=r"but 1 of its processes are\. End them: make stop"):
            main()
        left.kill()
