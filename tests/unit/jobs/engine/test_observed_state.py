"""The observed state of a run: what may follow what, and that each change is reported once."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from jobs.connections import ClusterProfile
from jobs.engine.failures import failure_of
from jobs.engine.observed_state import ObservedState
from jobs.engine.reporter import Reporter
from jobs.engine.run_reports import RunReports
from jobs.kafka_messages import RunReport
from jobs.run_states import RunState
from tests.support.desired_runs import desired_run, engine_settings

SETTINGS = engine_settings(ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:1"), Path("nowhere"))


class Sent:
    """A reporter that keeps what it is given."""

    def __init__(self) -> None:
        self.reports: list[Any] = []
        self.on_send: Callable[[], None] = lambda: None

    def send(self, report: RunReport) -> None:
        self.on_send()
        self.reports.append(report)


@pytest.fixture
def sent() -> Sent:
    return Sent()


@pytest.fixture
def observed(sent: Sent) -> ObservedState:
    return ObservedState(cast(Reporter, sent), RunReports(SETTINGS, desired_run({})))


def test_it_starts_without_a_report(observed: ObservedState, sent: Sent) -> None:
    assert (observed.state, observed.failure, observed.ended) == ("starting", None, False)
    assert sent.reports == []


@pytest.mark.parametrize(
    ("states", "reported"),
    [
        (("starting", "running", "waiting", "running"), ("starting", "running", "waiting", "running")),
        (("running", "stopping", "running", "failed", "stopped"), ("running", "stopping", "stopped")),
        (("stopped", "running", "failed"), ("stopped",)),
        (("failed", "stopped", "running"), ("failed",)),
    ],
)
def test_what_may_follow_a_state(
    observed: ObservedState, sent: Sent, states: tuple[RunState, ...], reported: tuple[RunState, ...]
) -> None:
    for state in states:
        observed.report(state)
    assert tuple(report.state for report in sent.reports) == reported
    assert observed.state == reported[-1]
    assert observed.ended == (reported[-1] in ("stopped", "failed"))


def test_a_failure_lasts_until_the_next_state(observed: ObservedState, sent: Sent) -> None:
    failure = failure_of("_TRANSPORT")
    observed.report("waiting", failure)
    assert (observed.failure, sent.reports[-1].failure) == (failure, failure)
    observed.report("running")
    assert (observed.failure, sent.reports[-1].failure) == (None, None)


def test_no_later_state_is_sent_before_an_earlier_one(observed: ObservedState, sent: Sent) -> None:
    later = threading.Thread(target=observed.report, args=("stopped",))

    def meanwhile() -> None:
        sent.on_send = lambda: None
        later.start()
        later.join(0.5)  # it waits for this report, or overtakes it

    sent.on_send = meanwhile
    observed.report("stopping")
    later.join(30)
    assert [report.state for report in sent.reports] == ["stopping", "stopped"]
