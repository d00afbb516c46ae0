"""The web process is forked again by its parent when it dies, and none is left when the parent does."""

import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
import requests

from tests.support.processes import wait_until
from tests.support.web_processes import WebProcesses

pytestmark = pytest.mark.integration


@pytest.fixture
def web(tmp_path: Path) -> Iterator[WebProcesses]:
    processes = WebProcesses(tmp_path, "redis://127.0.0.1:1/0", count=1)
    try:
        processes.start(tables=False)
        yield processes
    finally:
        processes.stop()


def test_who_connects_after_a_kill_waits_for_the_next_process(web: WebProcesses) -> None:
    parent = psutil.Process(web.pids[0])
    for _ in range(3):
        (server,) = parent.children()
        server.kill()
        assert requests.get(f"{web.addresses[0]}/healthz", timeout=60).status_code == 200
        assert not server.is_running()
    assert web.pids[0] == parent.pid


def test_what_is_forked_has_neither_threads_nor_connections(web: WebProcesses) -> None:
    # A lock that another thread held, or a connection that two processes write to, would be forked with it.
    parent = psutil.Process(web.pids[0])
    assert parent.num_threads() == 1
    assert {each.status for each in parent.net_connections(kind="tcp")} == {psutil.CONN_LISTEN}


def test_when_the_parent_dies_the_port_is_free(web: WebProcesses) -> None:
    parent = psutil.Process(web.pids[0])
    (server,) = parent.children()
    parent.kill()
    wait_until(
        lambda: not server.is_running() or server.status() == psutil.STATUS_ZOMBIE,
        60,
        "the process without its parent ended",
    )
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", urlsplit(web.addresses[0]).port))
