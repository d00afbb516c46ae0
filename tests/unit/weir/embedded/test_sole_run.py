"""One `make run` at a time: a second one would end the processes of the first as left over."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from weir.embedded import sole_run
from weir.embedded.layout import Layout, read_layout
from weir.embedded.sole_run import AnotherRunError
from weir.embedded.stop import stop

HOLD = """
import sys
from weir.embedded.layout import read_layout
from weir.embedded.sole_run import sole_run
with sole_run(read_layout()):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return read_layout({"WEIR_DATA_DIR": str(tmp_path)})


@pytest.fixture
def holder(layout: Layout) -> Iterator["subprocess.Popen[str]"]:
    """Another process that has the data folder."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD],
        env=os.environ | {"WEIR_DATA_DIR": str(layout.data)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_one_says_so_and_ends(
    layout: Layout, holder: "subprocess.Popen[str]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sole_run, "END_TIMEOUT_S", 0.0)
    with pytest.raises(AnotherRunError, match=str(layout.data)), sole_run.sole_run(layout):
        pytest.fail("it has the folder")


def test_it_waits_for_one_that_ends(layout: Layout, holder: "subprocess.Popen[str]") -> None:
    assert holder.stdin is not None
    holder.stdin.close()
    with sole_run.sole_run(layout):
        assert holder.wait(10) == 0


def test_a_killed_one_holds_nothing(layout: Layout, holder: "subprocess.Popen[str]") -> None:
    holder.kill()
    with sole_run.sole_run(layout):
        assert sole_run.running(layout) == os.getpid()
    assert sole_run.running(layout) is None


def test_a_stop_ends_one_that_is_still_starting(layout: Layout, holder: "subprocess.Popen[str]") -> None:
    assert sole_run.running(layout) == holder.pid
    assert stop(layout)
    assert not psutil.pid_exists(holder.pid)
    assert not stop(layout)
