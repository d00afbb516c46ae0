"""A real Chromium against the running system.

Every page must be free of console errors and failed requests.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Response, expect, sync_playwright

from tests.support.browser import ARGUMENTS, INSTALL_LINE, find_browser
from tests.support.patience import PATIENCE
from tests.support.system import System

WORKSPACE = "browsing"
# Where a test names no time, what it waits for may still ask the server; Playwright's own are 5 s.
expect.set_options(timeout=10_000 * PATIENCE)

SignIn = Callable[..., Page]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium; none is a failure that says how to get it."""
    path = find_browser()
    assert path is not None, f"Browser tests need Chromium. Install it: {INSTALL_LINE}"
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield running
        running.close()


@pytest.fixture
def sign_in(system: System, browser: Browser) -> Iterator[SignIn]:
    """Opens a page, signed in by a one-time link, in its own Playwright context with these options."""
    pages: list[tuple[Page, list[str]]] = []

    def open_page(**options: object) -> Page:
        context = browser.new_context(
            base_url=system.base_url, **{"viewport": {"width": 1440, "height": 900}, **options}
        )  # type: ignore[arg-type]
        page = context.new_page()
        complaints: list[str] = []
        _listen(page, complaints)
        page.goto(system.sign_in_path("browser", WORKSPACE))
        pages.append((page, complaints))
        return page

    yield open_page
    for page, _ in pages:
        page.context.close()
    for _, complaints in pages:
        assert not complaints, "\n".join(complaints)


@pytest.fixture
def shots(tmp_path: Path) -> Path:
    """Where screenshots go: `WEIR_SCREENSHOTS`, or a temporary folder."""
    folder = Path(os.environ.get("WEIR_SCREENSHOTS", str(tmp_path)))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(autouse=True)
def logs(system: System, request: pytest.FixtureRequest) -> Iterator[None]:
    """On failure the ends of all logs are part of the report."""
    failed = request.session.testsfailed
    yield
    if request.session.testsfailed > failed:
        print(system.tails())


def _listen(page: Page, complaints: list[str]) -> None:
    def heard(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(f"console {message.type} on {page.url}: {message.text}")

    def answered(response: Response) -> None:
        if response.status >= 400:
            complaints.append(f"{response.status} on {page.url}: {response.url}")

    page.on("console", heard)
    page.on("pageerror", lambda error: complaints.append(f"exception on {page.url}: {error}"))
    page.on("response", answered)
