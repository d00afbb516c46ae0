"""The life of a run against a model of its engine: people, crashes, lost and late messages in any order.

Always: nothing tells an engine to run an epoch while an older one still executes
(`docs/architecture.md#fencing`), and one execution at most is open. In the end, when everything that waits
was delivered: what is observed is what is desired.
"""

import os
import uuid
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from jobs.messages import DesiredRun, Failure, RunHeartbeat
from tests.support.run_factories import heartbeat, job_of, running, state_report
from tests.support.users import create_user, workspace_of
from weir.runs.models import Desired, Engine, Execution, Observed, Run
from weir.runs.services import engines
from weir.runs.services.epochs import begin_epoch, restart
from weir.runs.services.report_handlers import apply_report
from weir.runs.services.run_publisher import desired_run
from weir.runs.services.stop import stop_job

pytestmark = pytest.mark.django_db(databases=["default", "results"])


class RunsAndTheirEngine(RuleBasedStateMachine):
    """The engine executes at most one epoch; `told` are messages that it has not read,
    `said` reports not yet relayed.

    An epoch that ended stays over for the process that ran it: `jobs.engine.controller` keeps its keeper.
    """

    @initialize()
    def begin(self) -> None:
        Engine.objects.all().delete()
        owner = create_user(uuid.uuid4().hex)
        self.owner = owner
        self.run_id = running(job_of(workspace_of(owner, f"w{uuid.uuid4().hex}"), owner)).id
        self.executing: int | None = 1
        self.over = 0  # the last epoch that ended in this process
        self.known_revision = 1
        self.told: list[DesiredRun] = []
        self.said: list[Any] = []

    @property
    def run(self) -> Run:
        return Run.objects.select_related("generation__job__workspace", "engine").get(pk=self.run_id)

    # People
    @rule()
    def somebody_stops(self) -> None:
        stop_job(self.run.generation.job, self.owner)
        self._publish()

    @rule()
    def somebody_starts(self) -> None:
        run = self.run
        over = run.observed in (Observed.STOPPED, Observed.FAILED)
        if run.engine is not None and (run.desired != Desired.RUNNING or over):
            with transaction.atomic():
                restart(run, run.engine)
                type(run.generation.job).objects.filter(pk=run.generation.job_id).update(
                    desired=Desired.RUNNING
                )
            self._publish()

    # The platform
    @rule()
    def the_reconciler_says_it_again(self) -> None:
        self._publish()

    @precondition(
        lambda self: (
            self.run.retry_at and self.run.observed == Observed.FAILED and self.run.desired == Desired.RUNNING
        )
    )
    @rule()
    def a_retry_is_due(self) -> None:
        run = self.run
        assert run.engine is not None
        with transaction.atomic():
            begin_epoch(run, run.engine)
        self._publish()

    @precondition(lambda self: self.said)
    @rule()
    def the_relay_reads(self) -> None:
        with transaction.atomic():
            apply_report(self.said.pop(0))
        self._publish()

    # The engine
    @precondition(lambda self: self.told)
    @rule()
    def the_engine_reads(self) -> None:
        wanted = self.told.pop(0)
        if (wanted.epoch, wanted.revision) < (self.executing or 0, self.known_revision):
            return
        if wanted.state == "stopped" or (self.executing is not None and wanted.epoch > self.executing):
            self._end("stopped", wanted.epoch if self.executing is None else self.executing, wanted.revision)
        if wanted.state == "running" and self.executing is None and wanted.epoch > self.over:
            self.executing = wanted.epoch
            self._say("running", wanted.epoch, wanted.revision)
        self.known_revision = wanted.revision

    @precondition(lambda self: self.executing is not None)
    @rule()
    def the_query_fails(self) -> None:
        epoch = self.over = self.executing or 0
        self.executing = None
        self._say("failed", epoch, self.known_revision, Failure(code="ENGINE_ERROR", message="It broke."))

    @rule()
    def the_engine_beats(self) -> None:
        run = self.run
        beats = (
            {}
            if self.executing is None
            else {run.id: RunHeartbeat(epoch=self.executing, revision=self.known_revision, state="running")}
        )
        self.said.append(heartbeat(Engine.objects.get(pk=run.engine_id), beats))

    @rule()
    def the_process_dies(self) -> None:
        """And is seen dead; what it had said is still read later."""
        self.executing, self.over = None, 0
        self.told.clear()
        engine = Engine.objects.get(pk=self.run.engine_id)
        with transaction.atomic():
            engines._release_runs(
                engine, "It died.", {"code": "ENGINE_ERROR", "message": "x", "raw": "", "permanent": False}
            )
        self._publish()

    @invariant()
    def one_execution_at_most_is_open(self) -> None:
        assert Execution.objects.filter(run=self.run_id, ended_at__isnull=True).count() <= 1

    def teardown(self) -> None:
        if not hasattr(self, "run_id"):
            return
        for _ in range(5):
            self._publish()
            while self.told:
                self.the_engine_reads()
            self.the_engine_beats()
            while self.said:
                self.the_relay_reads()
        run = self.run
        if run.desired == Desired.RUNNING:
            assert run.observed == "running" or (run.observed == "failed" and self.executing is None), (
                run.observed
            )
            assert run.observed == "failed" or self.executing == run.epoch
        else:
            assert run.observed in ("stopped", "failed")
            assert self.executing is None

    def _publish(self) -> None:
        message = desired_run(self.run)
        if message.state == "running" and self.executing is not None:
            assert message.epoch <= self.executing, (
                f"epoch {message.epoch} is to run while {self.executing} still executes"
            )
        if not self.told or self.told[-1] != message:
            self.told.append(message)

    def _end(self, state: str, epoch: int, revision: int) -> None:
        self.executing, self.over = None, max(self.over, epoch)
        self._say(state, epoch, revision)

    def _say(self, state: str, epoch: int, revision: int, failure: Failure | None = None) -> None:
        report = state_report(self.run, state, failure, epoch).model_copy(update={"revision": revision})
        self.said.append(report)


def test_any_order_of_events_keeps_one_epoch_and_ends_as_desired() -> None:
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    examples = int(os.environ.get("WEIR_EXAMPLES", "15"))
    chosen = settings(
        max_examples=examples, stateful_step_count=20, deadline=None, suppress_health_check=checks
    )
    run_state_machine_as_test(RunsAndTheirEngine, settings=chosen)
