"""A forked program is what its command says: its arguments, environment, signals, log and exit status."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.processes import wait_until
from tests.support.supervised import supervised
from weir.embedded.layout import Layout, read_layout
from weir.embedded.programs import Program

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]

FORKED = sys.platform == "linux"


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return read_layout({"WEIR_DATA_DIR": str(tmp_path / "my data")})


def variables(layout: Layout) -> dict[str, str]:
    roots = os.pathsep.join(str(layout.repository / name) for name in ("platform", "."))
    own = {"REDIS_URL": "redis://:planted@nowhere", "OWN": "inherited"}
    return {"PYTHONPATH": roots, "WEIR_DATA_DIR": str(layout.data), **own}


def program(layout: Layout, end: str, **more: Any) -> Program:
    command = [sys.executable, "-m", "tests.support.forked_program", str(layout.data / "seen.json"), end]
    return Program("it", command, 100, once=True, **more)


def seen(layout: Layout) -> dict[str, Any]:
    """What the program noted; waits for it."""
    file = layout.data / "seen.json"
    wait_until(lambda: file.exists() and file.stat().st_size, 60, "the program has noted what it is")
    return dict(json.loads(file.read_text()))


def test_it_is_forked_from_what_is_loaded_and_ends_as_python_does(layout: Layout) -> None:
    forked = program(layout, "7", forked=True, withheld=("REDIS_URL",))
    with supervised(layout, [forked], variables(layout)) as supervisor:
        supervisor.preload("load_worker")
        supervisor.start("it")
        noted = seen(layout)
        wait_until(lambda: supervisor.has_ended("it"), 60, "it has ended")
        assert supervisor.state("it")["exitstatus"] == 7
    assert noted == {
        "name": "__main__",
        "loaded": FORKED,
        "defaults": True,
        "interrupt": True,
        "environment": {"WEIR_FORK": None, "REDIS_URL": "", "OWN": "inherited"},
    }
    assert (layout.data / "seen.thread").exists(), "its threads were waited for"
    assert (layout.data / "seen.exit").exists(), "what it had registered for its end was done"
    assert (layout.logs / "it.log").read_text() == "said to the log"


def test_a_signal_ends_it(layout: Layout) -> None:
    with supervised(layout, [program(layout, "stay", forked=True)], variables(layout)) as supervisor:
        supervisor.preload("load_worker")
        supervisor.start("it")
        assert seen(layout)["loaded"] == FORKED
        supervisor.stop("it")
        assert supervisor.state("it")["statename"] == "STOPPED"
        assert (layout.logs / "it.log").read_text() == ""


def test_what_is_to_be_executed_is(layout: Layout) -> None:
    with supervised(layout, [program(layout, "0")], variables(layout)) as supervisor:
        supervisor.preload("load_worker")
        supervisor.start("it")
        assert not seen(layout)["loaded"]


def test_a_platform_that_cannot_be_loaded_is_told_and_its_programs_run(
    layout: Layout, capsys: pytest.CaptureFixture[str]
) -> None:
    with supervised(layout, [program(layout, "0", forked=True)], variables(layout)) as supervisor:
        supervisor.preload("no_such_part")
        supervisor.start("it")
        assert not seen(layout)["loaded"]
    assert ("no_such_part" in capsys.readouterr().err) == FORKED
