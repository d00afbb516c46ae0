"""Uptimes and last log lines as `make status` shows them."""

import os
import socket
from pathlib import Path

import pytest

from weir.embedded.status import last_line, listening, uptime


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
