"""The life of a run against a model of its engine: people, crashes, lost and late messages in any order.

Always: nothing tells an engine to run an epoch while an older one still executes, and no epoch is executed
twice (`docs/architecture.md#fencing`); one execution at most is open. In the end, when everything that waits
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

from jobs.kafka_messages import DesiredRun, Failure, RunHeartbeat
from tests.support.run_factories import heartbeat, job_of, running, state_report
from tests.support.users import create_user, workspace_of
from weir.runs.models import Desired, Engine, Execution, Observed, Run
from weir.runs.services import engine_ends
from weir.runs.services.epochs import begin_epoch, restart
from weir.runs.services.report_handlers import apply_report
from weir.runs.services.run_publisher import desired_run
from weir.runs.services.stop import stop_job

pytestmark = [pytest.mark.django_db(databases=["default", "results"]), pytest.mark.thorough]


class RunsAndTheirEngine(RuleBasedStateMachine):
    """The engine executes at most one epoch; `told` are messages that it has not read,
    `said` reports not yet relayed.

    An epoch that ended stays over for the process that ran it: `jobs.engine.controller` keeps its supervisor.
    A process that starts later knows nothing of it, and reads what was published last.
    """

    @initialize()
    def begin(self) -> None:
        Engine.objects.all().delete()
        owner = create_user(uuid.uuid4().hex)
        self.owner = owner
        self.run_id = running(job_of(workspace_of(owner, f"w{uuid.uuid4().hex}"), owner)).id
        self.executing: int | None = 1
        self.over = 0  # the last epoch that ended in this process
        self.executed = {1}
        self.ended_unnoticed = False  # the process is gone, and nobody has seen it yet
        self.known_revision = 1
        self.halted: DesiredRun | None = None  # to be stopped before it ever ran in this process
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
    @precondition(lambda self: self.told and not self.ended_unnoticed)
    @rule()
    def the_engine_reads(self) -> None:
        wanted = self.told.pop(0)
        if (wanted.epoch, wanted.revision) < (self.executing or 0, self.known_revision):
            return
        if self.executing is not None and (wanted.state == "stopped" or wanted.epoch > self.executing):
            self._end("stopped", self.executing, wanted.revision)
        elif wanted.state == "stopped" and wanted.epoch > self.over:
            self.halted = wanted  # only its heartbeats say so: `jobs.engine.controller`
        if wanted.state == "running":
            self.halted = None
        if wanted.state == "running" and self.executing is None and wanted.epoch > self.over:
            assert wanted.epoch not in self.executed, f"epoch {wanted.epoch} is executed twice"
            self.executing = wanted.epoch
            self.executed.add(wanted.epoch)
            self._say("running", wanted.epoch, wanted.revision)
        self.known_revision = wanted.revision

    @precondition(lambda self: self.executing is not None)
    @rule()
    def the_query_fails(self) -> None:
        epoch = self.over = self.executing or 0
        self.executing = None
        self._say("failed", epoch, self.known_revision, Failure(code="ENGINE_ERROR", message="It broke."))

    @precondition(lambda self: not self.ended_unnoticed)
    @rule()
    def the_engine_beats(self) -> None:
        run = self.run
        beats = {}
        if self.executing is not None:
            beats[run.id] = RunHeartbeat(epoch=self.executing, revision=self.known_revision, state="running")
        elif self.halted is not None:
            beats[run.id] = RunHeartbeat(
                epoch=self.halted.epoch, revision=self.halted.revision, state="stopped"
            )
        self.said.append(heartbeat(Engine.objects.get(pk=run.engine_id), beats))

    @precondition(lambda self: not self.ended_unnoticed)
    @rule()
    def the_process_dies(self) -> None:
        """And is seen dead; what it had said is still read later."""
        self._lose_process()
        self._release("It died.", {"code": "ENGINE_ERROR", "message": "x", "raw": "", "permanent": False})

    @precondition(lambda self: not self.ended_unnoticed)
    @rule()
    def the_process_ends_in_order(self) -> None:
        """As for an upgrade: it stops what it executes, and says so."""
        if self.executing is not None:
            self._end("stopped", self.executing, self.known_revision)
        self._lose_process()
        self.ended_unnoticed = True

    @precondition(lambda self: self.ended_unnoticed)
    @rule()
    def the_end_is_noticed(self) -> None:
        self.ended_unnoticed = False
        self._release("Engine stopped.", None)

    @invariant()
    def one_execution_at_most_is_open(self) -> None:
        assert Execution.objects.filter(run=self.run_id, ended_at__isnull=True).count() <= 1

    def teardown(self) -> None:
        if not hasattr(self, "run_id"):
            return
        if self.ended_unnoticed:
            self.the_end_is_noticed()
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

    def _lose_process(self) -> None:
        self.executing, self.over, self.halted = None, 0, None
        self.told.clear()

    def _release(self, reason: str, failure: dict[str, Any] | None) -> None:
        engine = Engine.objects.get(pk=self.run.engine_id)
        with transaction.atomic():
            engine_ends.release_runs(engine, list(engine_ends.interrupted_runs(engine)), reason, failure)
        self._publish()
        del self.told[:-1]  # a process that starts reads the last record of each run

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
