"""A program that ends again and again is noticed, whether supervisord gives up on it or never does."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.support.processes import wait_until
from weir.embedded.layout import read_layout
from weir.embedded.orphan_processes import end_all, label
from weir.embedded.programs import Program
from weir.embedded.readiness import NotReadyError
from weir.embedded.startup import await_program
from weir.embedded.supervisor import Supervisor, launch

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

Start = Callable[[str], Supervisor]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a supervisord with one program, `it`, of this Python code."""
    with ExitStack() as stack:
        yield lambda code: stack.enter_context(supervised(tmp_path / "it's data;1", code))


@contextmanager
def supervised(data: Path, code: str) -> Iterator[Supervisor]:
    layout = read_layout({"WEIR_DATA_DIR": str(data)})
    supervisor = Supervisor(layout.supervisor_socket)
    process = launch(layout, [Program("it", [sys.executable, "-c", code], 100)], label(data))
    try:
        wait_until(lambda: supervisor.answers, 60, "supervisord answers")
        supervisor.start("it")
        yield supervisor
    finally:
        end_all(data)
        process.wait()


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
    supervisor = start("""import signal; "100 %;", "it's", signal.pause()""")
    await_program(supervisor, "it")
    assert supervisor.runs("it")
