"""A pytest plugin that keeps each test's outcome as a line of a file, as soon as the test ends.

    WEIR_OUTCOMES=FILE WEIR_SITTING=2 pytest -p tests.support.kept_outcomes …

A run that was cut off goes on: tests that passed in an earlier sitting are left out, what
failed is played again.
"""

import json
import os
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import pytest

FILE_VARIABLE: Final = "WEIR_OUTCOMES"
SITTING_VARIABLE: Final = "WEIR_SITTING"
_GROUP = re.compile(r"@[^\]]*$")  # suffix that pytest-xdist appends to a test's name


@dataclass(frozen=True)
class Outcome:
    """The result of a test.

    Attributes:
        test: pytest's id, without pytest-xdist's group.
        sitting: the run that played it, from 1.
        ended: when, in seconds since 1970.
        seconds: with set-up and clean-up.
        failure: message; empty when it passed.
        skipped: reason; empty when it ran.
        recorded: its recorded properties.
    """

    test: str
    sitting: int
    ended: float
    seconds: float = 0
    failure: str = ""
    skipped: str = ""
    recorded: tuple[tuple[str, str], ...] = ()

    @property
    def file(self) -> str:
        """Without `tests/` and suffix."""
        return self.test.partition("::")[0].removeprefix("tests/").removesuffix(".py")

    @property
    def name(self) -> str:
        """The test's own, with its parameters."""
        return self.test.partition("::")[2]

    def with_phase(self, report: pytest.TestReport) -> "Outcome":
        """With set-up, body or clean-up. A test that fails in its body and in its clean-up is one failure."""
        return replace(
            self,
            ended=time.time(),
            seconds=self.seconds + report.duration,
            failure=self.failure or (_message(report) if report.failed else ""),
            skipped=self.skipped or (_reason(report) if report.skipped else ""),
            recorded=tuple((str(name), str(value)) for name, value in report.user_properties),
        )


@dataclass
class Kept:
    """What a file of outcomes says.

    Attributes:
        outcomes: the last one of each test.
        minutes: that its sittings took together, each until its last test.
        sittings: how many there were.
    """

    outcomes: list[Outcome]
    minutes: float
    sittings: int


def kept(file: Path) -> Kept:
    """All that the file holds; a last line that was cut off is left out. No file: no tests."""
    began: dict[int, float] = {}
    ended: dict[int, float] = {}
    last: dict[str, Outcome] = {}
    for line in _lines(file):
        if "began" in line:
            began[line["sitting"]] = ended[line["sitting"]] = line["began"]
            continue
        recorded = tuple((name, value) for name, value in line.pop("recorded"))
        one = Outcome(**line, recorded=recorded)
        last[one.test], ended[one.sitting] = one, one.ended
    minutes = sum(ended[sitting] - start for sitting, start in began.items()) / 60
    return Kept([*last.values()], minutes, len(began))


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            continue  # the process was killed while it wrote this line


def test_of(node: str) -> str:
    """A test's id without the group that pytest-xdist appends."""
    return _GROUP.sub("", node)


def _message(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    return (crash.message if crash is not None else report.longreprtext) or "failed"


def _reason(report: pytest.TestReport) -> str:
    expected = getattr(report, "wasxfail", "")
    skipped = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
    return expected or skipped or "skipped"


@dataclass(eq=False)  # pytest keeps its plugins in sets
class _Keeper:
    """Writes outcomes; in the process that hears of all tests."""

    file: Path
    sitting: int
    running: dict[str, Outcome] = field(default_factory=dict)

    def pytest_sessionstart(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self._write({"sitting": self.sitting, "began": time.time()})

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        test = test_of(report.nodeid)
        one = self.running.pop(test, Outcome(test, self.sitting, time.time())).with_phase(report)
        if report.when in ("setup", "call"):
            self.running[test] = one
        else:  # also of a worker that died, which has no name for the phase
            self._write(asdict(one))

    def _write(self, line: dict[str, Any]) -> None:
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def pytest_configure(config: pytest.Config) -> None:
    """Keep outcomes where all tests are heard of: workers of pytest-xdist report to the first process."""
    if not hasattr(config, "workerinput"):
        keeper = _Keeper(Path(os.environ[FILE_VARIABLE]), int(os.environ[SITTING_VARIABLE]))
        config.pluginmanager.register(keeper, "weir-kept-outcomes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what passed in an earlier sitting; not in this one, since a worker may come late to it."""
    earlier = defaultdict(bool)
    for one in kept(Path(os.environ[FILE_VARIABLE])).outcomes:
        earlier[one.test] = not one.failure and one.sitting < int(os.environ[SITTING_VARIABLE])
    passed = [item for item in items if earlier[test_of(item.nodeid)]]
    if passed:
        config.hook.pytest_deselected(items=passed)
        items[:] = [item for item in items if not earlier[test_of(item.nodeid)]]
