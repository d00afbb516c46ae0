"""Every metric and every rule of the beginning, by name: from stored facts over a reading to a rule that
fires, and is over when the facts are well again. On a clock of the test's own.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from jobs.base.instants import instant_of
from tests.support.alerting import metric_rule
from tests.support.group_rows import stored_group, watched
from tests.support.measured_jobs import started_job
from tests.support.validator_factories import create_validator
from weir.alerts.models import Objective, ObjectiveSlice
from weir.alerts.services.book import Book, LoadedRule
from weir.alerts.services.look import Look
from weir.alerts.services.metric_rules import observe_metrics
from weir.alerts.services.metrics import METRICS
from weir.alerts.services.rule_document import MetricWatch, RuleDocument, parse_rule
from weir.alerts.services.templates import TEMPLATES
from weir.clusters.models import Cluster
from weir.consumer_groups.models import ClusterWatch, GroupTopic
from weir.dead_letters.models import CountedRange
from weir.lag.models import CurrentLag
from weir.measurements import read_snapshot
from weir.runs.models import Engine, Run
from weir.runs.services.lag_health import JobHealth, Kind
from weir.runs.services.report_handlers import reports_read
from weir.workspaces.models import ApiToken, User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
MAX_LOOKS = 120


class Facts:
    """What is stored of one running job, its source of two partitions, its engine, a group, a stream with a
    validator, an objective and a token. `write` stores it as of a time.
    """

    def __init__(self, workspace: Workspace, owner: User) -> None:
        self.workspace, self.owner = workspace, owner
        self.now = timezone.now()
        self.run = started_job(workspace, owner)
        self.observed, self.crashes, self.silent_s = "running", 0, 0.0
        self.fields: dict[str, Any] = {"lag_records": 0, "lag_seconds": 0.0, "freshness_ms": 100}
        self.health = JobHealth(Kind.FINE, 0)
        self.latency_ms, self.state_bytes, self.state_rows = 40.0, 1_000, 7
        self.watermark_us = 0
        self.rows_in = self.late = self.nulls = self.read = self.malformed = 0
        self.source_lag_s = 0.0
        self.ends = {0: 100, 1: 100}
        self.engine: dict[str, Any] = {"state": "ready", "slots": 10, "slots_used": 1}
        self.engine_silent_s = 0.0
        self.group: dict[str, Any] = {"health": "fine", "lag_records": 0, "lag_seconds": 0.0}
        self.reachable, self.disk_used, self.certificate_days = True, 0.3, 90.0
        self.valid = self.dead = 0
        self.burns = False
        self._validator = create_validator(workspace, name="validated", topic="validated")
        self._objective = Objective.objects.create(
            workspace=workspace, job=self.run.generation.job, kind="freshness", threshold=5, target=0.99
        )
        self._token: ApiToken = ApiToken.objects.create(user=owner, name="ci", expiry=timedelta(days=50))[0]
        stored_group("payments", {"orders": 0})

    def pass_(self, seconds: float) -> None:
        """Time goes by, in which all flows as it should: records come, are read, and move the watermark."""
        self.now += timedelta(seconds=seconds)
        self.flow()

    def flow(self) -> None:
        """What is well moves."""
        self.rows_in += 100
        self.read += 100
        self.valid += 100
        self.watermark_us += 1
        self.ends = {number: end + 50 for number, end in self.ends.items()}

    def write(self) -> None:
        """Store everything as of now."""
        us, job_id = instant_of(self.now), self.run.generation.job_id
        reports_read(us)
        Run.objects.update(
            observed=self.observed,
            observed_since=self.now - timedelta(seconds=self.silent_s or 60),
            last_seen_at=self.now - timedelta(seconds=self.silent_s),
            crashes=[us] * self.crashes,
            watermark_us=self.watermark_us,
            lag_health=replace(self.health, at_us=us).stored(),
            **self.fields,
        )
        Engine.objects.update(last_seen_at=self.now - timedelta(seconds=self.engine_silent_s), **self.engine)
        cells = [{"partition": number, "end": end} for number, end in self.ends.items()]
        counts = {"records": self.read, "malformed": self.malformed}
        payload = {
            "run_id": self.run.pk,
            "latency_ms": self.latency_ms,
            "state_bytes": self.state_bytes,
            "state_rows": self.state_rows,
            "sources": {"trades": {"seconds": self.source_lag_s, "partitions": cells}},
            "counts": {
                "rows_in": self.rows_in,
                "late": self.late,
                "expression_nulls": self.nulls,
                "sources": {"trades": counts},
            },
        }
        CurrentLag.objects.using("results").update_or_create(
            job_id=job_id, defaults={"at_us": instant_of(timezone.now()), "payload": payload}
        )
        GroupTopic.objects.using("results").update(**self.group)
        watched()
        ClusterWatch.objects.using("results").update(passed_at_us=us)
        Cluster.objects.update(
            reachable=self.reachable,
            disk_used_share=self.disk_used,
            certificate_expires_at=self.now + timedelta(days=self.certificate_days),
        )
        CountedRange.objects.update_or_create(
            validator=self._validator,
            topic_id="t",
            partition=0,
            first=0,
            defaults={"last": 1, "hour": self.now, "valid": self.valid, "malformed": self.dead},
        )
        ObjectiveSlice.objects.all().delete()
        ObjectiveSlice.objects.bulk_create(
            ObjectiveSlice(
                objective=self._objective,
                began_at=self.now - timedelta(minutes=5 * number + 2),
                good_s=0 if self.burns else 300,
                judged_s=300,
            )
            for number in range(6 * 12)  # the longest span of a burn rate
        )

    def token_ends_in(self, days: float) -> None:
        """A token that was made for two months expires in so many days."""
        ApiToken.objects.filter(pk=self._token.pk).update(
            created=self.now - timedelta(days=60), expiry=self.now + timedelta(days=days)
        )


Change = Callable[[Facts], None]


@dataclass(frozen=True)
class Row:
    """A metric: facts that are bad and facts that are well, written at each look; the threshold between.

    Attributes:
        bad: makes the condition hold.
        well: ends it.
        above: the threshold, in the metric's unit; None: `below` is.
        step_s: between two looks.
    """

    bad: Change
    well: Change
    above: float | None = 0.5
    below: float | None = None
    step_s: float = 10.0


def sets(**values: Any) -> Change:
    """Facts that are as said."""

    def change(facts: Facts) -> None:
        for name, value in values.items():
            setattr(facts, name, value)

    return change


def field(name: str, value: Any) -> Change:
    return lambda facts: facts.fields.__setitem__(name, value)


def counts(name: str, by: int) -> Change:
    return lambda facts: setattr(facts, name, getattr(facts, name) + by)


def of_group(**values: Any) -> Change:
    return lambda facts: facts.group.update(values)


def of_engine(**values: Any) -> Change:
    return lambda facts: facts.engine.update(values)


def health(kind: Kind, **more: Any) -> Change:
    return lambda facts: setattr(facts, "health", JobHealth(kind, 0, **more))


def silent(*partitions: int) -> Change:
    """These partitions got nothing in the last step."""

    def change(facts: Facts) -> None:
        for number in partitions:
            facts.ends[number] -= 50

    return change


def stands(facts: Facts) -> None:
    facts.watermark_us -= 1


def as_it_flows(_: Facts) -> None:
    """Nothing but what flows."""


ROWS: dict[str, Row] = {
    "job.failed": Row(sets(observed="failed"), sets(observed="running")),
    "job.restarts": Row(sets(crashes=4), sets(crashes=0), above=2),
    "job.unknown": Row(sets(silent_s=60.0), sets(silent_s=0.0)),
    "job.not_running_seconds": Row(sets(observed="failed"), sets(observed="running"), above=30),
    "job.lag_seconds": Row(field("lag_seconds", 90.0), field("lag_seconds", 1.0), above=60),
    "job.lag_records": Row(field("lag_records", 900), field("lag_records", 1), above=500),
    "job.needs_a_look": Row(health(Kind.FALLING_BEHIND), health(Kind.CATCHING_UP)),
    "job.loss_seconds": Row(health(Kind.STOPPED, loss_s=600.0), health(Kind.FINE), above=None, below=3_600),
    "job.lost_records": Row(health(Kind.LOSING, loss_s=0.0, lost_records=9), health(Kind.FINE)),
    "job.freshness_seconds": Row(field("freshness_ms", 90_000), field("freshness_ms", 100), above=60),
    "job.latency_seconds": Row(sets(latency_ms=9_000.0), sets(latency_ms=40.0), above=5),
    "job.rows_in_rate": Row(
        field("rows_per_second", 0.0), field("rows_per_second", 50.0), above=None, below=1
    ),
    "job.watermark_standing_seconds": Row(stands, as_it_flows, above=600, step_s=30),
    "job.late_share": Row(counts("late", 50), as_it_flows, above=0.3),
    "job.failed_expressions_share": Row(counts("nulls", 50), as_it_flows, above=0.3),
    "job.state_bytes": Row(sets(state_bytes=10**9), sets(state_bytes=1_000), above=10**8),
    "job.state_rows": Row(sets(state_rows=10**6), sets(state_rows=7), above=10**5),
    "job.state_growth": Row(counts("state_bytes", 100 << 20), as_it_flows, above=64, step_s=600),
    "source.lag_seconds": Row(sets(source_lag_s=90.0), sets(source_lag_s=1.0), above=60),
    "source.silent_seconds": Row(silent(0, 1), as_it_flows, above=600, step_s=60),
    "source.silent_partition_seconds": Row(silent(1), as_it_flows, above=600, step_s=60),
    "source.malformed_share": Row(counts("malformed", 50), as_it_flows, above=0.3),
    "source.malformed_over_usual": Row(counts("malformed", 50), as_it_flows, above=5),
    "group.needs_a_look": Row(of_group(health="stopped"), of_group(health="fine")),
    "group.lag_seconds": Row(of_group(lag_seconds=90.0), of_group(lag_seconds=1.0), above=60),
    "group.lag_records": Row(of_group(lag_records=900), of_group(lag_records=1), above=500),
    "group.loss_seconds": Row(
        of_group(health="stopped", loss_s=600.0),
        of_group(health="fine", loss_s=None),
        above=None,
        below=3_600,
    ),
    "group.lost_records": Row(of_group(lost_records=9), of_group(lost_records=0)),
    "stream.dead_letters_over_usual": Row(counts("dead", 50), as_it_flows, above=5),
    "engine.lost": Row(of_engine(state="lost"), of_engine(state="ready")),
    "engine.silent_seconds": Row(sets(engine_silent_s=60.0), sets(engine_silent_s=0.0), above=30),
    "engine.used_slots_share": Row(of_engine(slots_used=10), of_engine(slots_used=1), above=0.9),
    "cluster.unreachable": Row(sets(reachable=False), sets(reachable=True)),
    "cluster.disk_used_share": Row(sets(disk_used=0.95), sets(disk_used=0.5), above=0.9),
    "cluster.certificate_expires_days": Row(
        sets(certificate_days=3.0), sets(certificate_days=60.0), above=None, below=14
    ),
    "member.token_expires_days": Row(
        lambda facts: facts.token_ends_in(3), lambda facts: facts.token_ends_in(40), above=None, below=7
    ),
    "objective.budget_left": Row(sets(burns=True), sets(burns=False), above=None, below=0.5),
    "objective.fast_burn": Row(sets(burns=True), sets(burns=False), above=14.4, step_s=60),
    "objective.slow_burn": Row(sets(burns=True), sets(burns=False), above=6, step_s=60),
}


class Watched:
    """A rule, and the looks that the relay takes at the facts."""

    def __init__(self, facts: Facts, document: RuleDocument, step_s: float) -> None:
        self.facts, self.step_s = facts, step_s
        self.rule = LoadedRule.of("rule", facts.workspace.pk, "rule", document)
        self.look, self.book = Look(), Book()

    def states(self, change: Change, looks: int = MAX_LOOKS) -> Iterator[str]:
        """What the rule's alert is after each look, while the facts are so."""
        for _ in range(looks):
            self.facts.pass_(self.step_s)
            change(self.facts)
            self.facts.write()
            snapshot = replace(read_snapshot(None), now=self.facts.now, reports_read_until=self.facts.now)
            taken = self.look.take(snapshot, [self.rule])
            observe_metrics([self.rule], taken, self.book, instant_of(snapshot.now))
            open_ = self.book.of("rule").values()
            yield next((alert.state for alert in open_), "none")


def plays(facts: Facts, document: RuleDocument, row: Row) -> None:
    """The rule is silent while all is well, fires, and is over."""
    watched_ = Watched(facts, document, row.step_s)
    minutes_5 = int(300 / row.step_s) + 2
    assert set(watched_.states(row.well, minutes_5)) == {"none"}
    assert "firing" in watched_.states(row.bad)
    assert "none" in watched_.states(row.well)


@pytest.fixture
def facts(workspace: Workspace, owner: User) -> Facts:
    return Facts(workspace, owner)


def test_every_metric_has_a_row() -> None:
    assert list(ROWS) == [metric.name for metric in METRICS]


@pytest.mark.thorough
@pytest.mark.parametrize("name", ROWS)
def test_a_rule_over_the_metric_fires_and_recovers(facts: Facts, name: str) -> None:
    row = ROWS[name]
    plays(facts, parse_rule(metric_rule(name, above=row.above, below=row.below)), row)


@pytest.mark.thorough
@pytest.mark.parametrize("code", [template.code for template in TEMPLATES])
def test_a_rule_of_the_beginning_fires_and_recovers(facts: Facts, code: str) -> None:
    (document,) = [template.document for template in TEMPLATES if template.code == code]
    assert isinstance(document.watch, MetricWatch)
    plays(facts, document, ROWS[document.watch.metric])


def silence(facts: Facts) -> None:
    """Nothing is read, so that nothing moves the watermark."""
    facts.rows_in -= 100
    facts.watermark_us -= 1


def stands_still(facts: Facts) -> Watched:
    """The rule of the beginning, after ten minutes in which all was well."""
    (document,) = [one.document for one in TEMPLATES if one.code == "watermark-standing"]
    watched_ = Watched(facts, document, 30)
    assert set(watched_.states(as_it_flows, 20)) == {"none"}
    return watched_


def test_a_watermark_that_nothing_could_move_does_not_stand_still(facts: Facts) -> None:
    """Neither after the relay began again, nor with the first batch after a long silence."""
    watched_ = stands_still(facts)
    assert set(watched_.states(silence, 120)) == {"none"}
    watched_.look = Look()  # the relay begins again
    assert set(watched_.states(silence, 12)) == {"none"}
    assert set(watched_.states(stands, 1)) == {"none"}


def test_a_watermark_that_stands_does_so_across_a_restart_of_the_relay(facts: Facts) -> None:
    watched_ = stands_still(facts)
    assert list(watched_.states(stands, 40))[-1] == "firing"
    watched_.look, watched_.book = Look(), Book()
    seen = list(watched_.states(stands, 20))
    assert seen[:9] == ["none"] * 9  # whether rows are read is known after five minutes
    assert "firing" in seen
