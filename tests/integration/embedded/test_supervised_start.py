"""A program that ends again and again is noticed, whether supervisord gives up on it or never does."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.processes import wait_until
from tests.support.supervised import supervised
from weir.embedded.layout import Layout, read_layout
from weir.embedded.programs import Program
from weir.embedded.readiness import NotReadyError
from weir.embedded.startup import await_program
from weir.embedded.supervisor import Supervisor

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

Start = Callable[[str], Supervisor]
STAYS = """import signal; "100 %;", "it's", signal.pause()"""


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return read_layout({"WEIR_DATA_DIR": str(tmp_path / "it's data;1")})


@pytest.fixture
def start(layout: Layout) -> Iterator[Start]:
    """Starts a supervisord with a program `it` of this Python code; another, `feed`, waits to be started."""

    def begin(code: str) -> Supervisor:
        programs = {"it": code, "feed": STAYS}
        found = [Program(name, [sys.executable, "-c", text], 100) for name, text in programs.items()]
        supervisor = stack.enter_context(supervised(layout, found))
        supervisor.start("it")
        return supervisor

    with ExitStack() as stack:
        yield begin


@pytest.mark.parametrize(
    "code",
    ["raise SystemExit(1)", "import time; time.sleep(2.5)"],
    ids=["at once", "after it was taken for running"],
)
def test_a_program_that_ends_again_and_again_is_noticed(start: Start, code: str) -> None:
    supervisor = start(code)
    with pytest.raises(NotReadyError, match="it exits right after each start"):
        await_program(supervisor, "it", port=1)


def test_a_program_that_stays_is_ready(start: Start) -> None:
    supervisor = start(STAYS)
    await_program(supervisor, "it")
    assert supervisor.runs("it")


def test_a_program_that_is_started_during_a_stop_is_stopped_too(start: Start, tmp_path: Path) -> None:
    """A web process that ends within its seconds may start a feed meanwhile, which would run for ever."""
    catches = tmp_path / "catches"
    supervisor = start(
        "import signal, sys, time; signal.signal(15, lambda *_: (time.sleep(3), sys.exit())); "
        f"open({str(catches)!r}, 'w').close(); signal.pause()"
    )
    wait_until(lambda: catches.exists() and supervisor.runs("it"), 60, "it runs, and ends slowly")
    stopping = threading.Thread(target=supervisor.stop, args=("it", "feed"), daemon=True)
    stopping.start()
    wait_until(lambda: supervisor.state("it")["statename"] == "STOPPING", 60, "it is stopping")
    supervisor.start("feed")
    stopping.join(60)
    assert not stopping.is_alive()
    assert not supervisor.runs("feed")


def test_a_program_that_ends_by_itself_just_then_needs_no_stop(start: Start, layout: Layout) -> None:
    start(STAYS)

    class Late(Supervisor):
        """Its view of a program is older than the program's end."""

        def state(self, name: str) -> dict[str, Any]:
            return {**super().state(name), "statename": "RUNNING"}

    Late(layout.supervisor_socket).begin_stop("feed")
