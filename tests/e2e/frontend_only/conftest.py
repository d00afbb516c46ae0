"""The built frontend against its stand-in server (frontend/dev/mock.mjs), so without Kafka and Spark."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.support.processes import wait_until
from weir.embedded.install import frontend
from weir.embedded.layout import REPOSITORY

FRONTEND = REPOSITORY / "frontend"


@pytest.fixture(autouse=True)
def logs() -> None:
    """No system runs whose logs could be told."""


@pytest.fixture(scope="module")
def mock() -> Iterator[str]:
    """The address of the stand-in server."""
    node = shutil.which("node")
    assert node is not None, "Node is needed: frontend/dev/mock.mjs serves the pages."
    frontend()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [node, "dev/mock.mjs"], cwd=FRONTEND, env={**os.environ, "PORT": str(port)}, stdout=subprocess.DEVNULL
    )

    def answers() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    try:
        wait_until(answers, 20, "the stand-in server answers")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=10)


@pytest.fixture(params=["wide", pytest.param("narrow", marks=pytest.mark.long)])
def page(mock: str, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page whose console must stay silent."""
    width, height = {"wide": (1440, 900), "narrow": (390, 844)}[request.param]
    context = browser.new_context(
        base_url=mock, viewport={"width": width, "height": height}, reduced_motion="reduce"
    )
    page = context.new_page()
    complaints: list[str] = []
    page.on(
        "console",
        lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert not complaints, "\n".join(complaints)
