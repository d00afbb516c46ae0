"""Rules, rows and an evaluator for tests of alerts that need no broker."""

import json
from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from jobs.kafka_messages import result_topic
from tests.support.run_factories import job_of, now_us, running
from weir.alerts.models import AlertRule, Channel
from weir.alerts.models import Evaluator as Evaluation
from weir.alerts.services.evaluator import Evaluator
from weir.alerts.services.rules import create_rule
from weir.alerts.services.sealing import seal
from weir.relay.result_topics import followed_topics
from weir.results.services.fencing import Fence
from weir.results.services.records import ResultRecord
from weir.results.services.store import TopicFlush, TopicPosition, open_topic, store
from weir.runs.models import Generation, Job, Run, new_id
from weir.workspaces.models import User, Workspace

WINDOW = ("2026-01-01T00:00:00.000000Z", "2026-01-01T00:00:05.000000Z")


def row_rule(job: Job, where: str = "low < 5", **more: Any) -> dict[str, Any]:
    """A rule over the rows of the statistics of `run_factories.DOCUMENT`."""
    watch = {"kind": "rows", "job": job.pk, "where": where}
    names = ("by", "recovers_where", "quiet")
    watch |= {name: more.pop(name) for name in names if name in more}
    return {"watch": watch, **more}


def metric_rule(
    metric: str, *, above: float | None = None, below: float | None = None, **more: Any
) -> dict[str, Any]:
    """A rule over a metric."""
    watch: dict[str, Any] = {"kind": "metric", "metric": metric, "above": above, "below": below}
    if "job" in more:
        watch["job"] = more.pop("job")
    return {"watch": watch, **more}


def channel(workspace: Workspace, name: str = "hook", **more: Any) -> Channel:
    """A generic webhook whose address is not looked up."""
    made = Channel(workspace=workspace, name=name, kind="webhook", target="https://…", **more)
    made.sealed = seal(made.pk, {"url": "https://hooks.example.com/x", "secret": "s"})
    made.save(force_insert=True)
    return made


class World:
    """A job that runs, a result topic, and the relay's evaluator, which can be killed."""

    def __init__(self, workspace: Workspace, owner: User) -> None:
        self.workspace = workspace
        self.owner = owner
        AlertRule.objects.all().delete()  # those of templates
        Evaluation.objects.all().delete()  # no other process evaluates
        self.job: Job = job_of(workspace, owner)
        self.run: Run = running(self.job)
        self.delivered = 0
        self._windowed = True
        self._are_events = False
        self._next = 0
        self._open()
        self.start()

    def start(self) -> None:
        """A new process evaluates."""
        self.evaluator = Evaluator(self._deliver)

    def crash(self) -> None:
        """The process is killed; its lease runs out, and another one evaluates."""
        Evaluation.objects.update(until=timezone.now())
        self.start()
        self.follow()

    def _deliver(self) -> None:
        self.delivered += 1

    def rule(self, document: dict[str, Any], name: str = "rule") -> AlertRule:
        """A rule that the evaluator knows."""
        made = create_rule(self.workspace, self.owner, name, document)
        self.follow()
        return made

    def key_by_symbol(self) -> None:
        """From here on the rows are of a table by symbol."""
        generation = self.run.generation
        generation.result = {**generation.result, "identity": ["symbol"], "windowed": False}
        generation.save()
        self._windowed = False

    def rows_are_events(self) -> None:
        """From here on each row is an event, under a key of its own."""
        generation = self.run.generation
        generation.result = {
            **generation.result, "identity": [], "identity_kind": "row", "windowed": False,
        }  # fmt: skip
        generation.save()
        self._are_events = True

    def delete(self, symbol: str, *, told: bool) -> None:
        """The row of a key is deleted; the evaluator is told unless the process dies just before."""
        flush = self._store([self._record(0, {"symbol": symbol}, WINDOW)._replace(value=None)], 0)
        if told:
            self.evaluator.rows([flush], now_us())

    def follow(self) -> None:
        """The relay's look at rules and runs."""
        followed = followed_topics().values()
        self.evaluator.follow(frozenset((one.job_id, one.generation) for one in followed), now_us())

    def begin_generation(self) -> None:
        """The job was edited: from here on the rows are of its next generation, whose topic the relay has
        not opened yet.
        """
        before = self.run.generation
        number = before.number + 1
        run_id = f"{self.job.pk}.{number}-{new_id()}"
        generation = Generation.objects.create(
            job=self.job,
            number=number,
            fingerprint=before.fingerprint,
            started_from="latest",
            sources={},
            topics_ready=True,
            checkpoint=f"file:///nowhere/{number}",
            shuffle_partitions=1,
            result_topic=result_topic(run_id),
            result=before.result,
            retention_ms=1,
        )
        self.run = Run.objects.create(
            id=run_id,
            generation=generation,
            engine=self.run.engine,
            version=1,
            mode="realtime",
            observed="running",
        )
        Job.objects.filter(pk=self.job.pk).update(generation=number)

    def rows(
        self,
        *values: Mapping[str, Any],
        window: tuple[str, str] = WINDOW,
        partition: int = 0,
        told: bool = True,
    ) -> None:
        """Rows are stored, and the evaluator is told unless the process dies just before."""
        flush = self.store(*values, window=window, partition=partition)
        if told:
            self.evaluator.rows([flush], now_us())

    def store(
        self, *values: Mapping[str, Any], window: tuple[str, str] = WINDOW, partition: int = 0
    ) -> TopicFlush:
        """Rows are stored."""
        return self._store([self._record(0, one, window) for one in values], partition)

    def _open(self) -> TopicPosition:
        return open_topic(
            job_id=self.job.pk,
            generation=self.run.generation.number,
            topic=self.run.generation.result_topic,
            topic_id="t1",
            partitions=self.run.generation.result_partitions,
        )

    def _store(self, written: list[ResultRecord], partition: int) -> TopicFlush:
        position = self._open()
        before = position.offsets[partition]
        records = [one._replace(partition=partition, offset=before + at) for at, one in enumerate(written)]
        fence = Fence({partition: self.run.epoch}, self.run.epoch, 0)
        folded = list({record.key: record for record in records}.values())
        flush = TopicFlush(
            position.pk,
            self.job.pk,
            self.run.generation.number,
            "t",
            folded,
            {partition: (before, before + len(records))},
            fence,
        )
        store([flush])
        return flush

    def _record(self, offset: int, values: Mapping[str, Any], window: tuple[str, str]) -> ResultRecord:
        row = {
            "window_start": window[0],
            "window_end": window[1],
            "symbol": "A",
            "n": 1,
            "low": 9.0,
            **values,
        }
        parts = (
            ["src", 0, self._next]
            if self._are_events
            else [*(window if self._windowed else ()), row["symbol"]]
        )
        key = json.dumps(parts, separators=(",", ":"))
        self._next += 1
        return ResultRecord(
            key=key,
            value=json.dumps(row),
            newest_input_us=now_us(),
            partial=False,
            epoch=self.run.epoch,
            partition=0,
            offset=offset,
            timestamp_ms=self._next,
        )
