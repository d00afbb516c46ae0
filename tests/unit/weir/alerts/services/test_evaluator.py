"""Rules over rows and metrics, through the evaluator that the relay calls, on a real database."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError
from django.utils import timezone

from jobs.base.instants import instant_of
from tests.support.alerting import World, channel, metric_rule, row_rule
from weir.alerts.models import Alert, AlertRule, EvaluatedOffset, Evaluator, Notification
from weir.alerts.services import evaluator, row_evaluation, store
from weir.alerts.services import rows as watched
from weir.alerts.services.book import Book, LoadedRule, digest_of
from weir.alerts.services.group_values import group_value
from weir.alerts.services.row_evaluation import BROKEN, ResultRules
from weir.alerts.services.row_rules import Compiled, compile_row_rule
from weir.alerts.services.rule_costs import RuleCosts
from weir.alerts.services.rule_document import UNREADABLE, RowWatch, parse_rule
from weir.alerts.services.rules import change_rule
from weir.clusters.models import HOME, Cluster
from weir.measurements import read_snapshot
from weir.results.services.records import ResultRecord
from weir.runs.models import Job, Run
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"], transaction=True)
LATER = ("2026-01-01T00:00:05.000000Z", "2026-01-01T00:00:10.000000Z")


@pytest.fixture
def world(workspace: Workspace, owner: User) -> World:
    return World(workspace, owner)


@pytest.fixture(autouse=True)
def _no_defect(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """The evaluator survives a defect; a test must not."""
    yield
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def states() -> list[tuple[str, str]]:
    return list(Alert.objects.order_by("since", "id").values_list("title", "state"))


def changes() -> list[str]:
    return list(Notification.objects.order_by("created_at", "change").values_list("change", flat=True))


def test_a_row_fires_once_for_its_group_and_a_later_row_resolves(world: World) -> None:
    channel(world.workspace)
    world.rule(row_rule(world.job))
    world.rows({"low": 9.0}, {"symbol": "B", "low": 3.0})
    world.rows({"symbol": "B", "low": 2.0})
    title = f"Job {world.job.name}: symbol = B"
    assert states() == [(title, "firing")]
    alert = Alert.objects.get()
    assert alert.row == {
        "window_start": "2026-01-01T00:00:00.000000Z",
        "window_end": "2026-01-01T00:00:05.000000Z",
        "symbol": "B",
        "n": 1,
        "low": 3.0,
    }
    assert changes() == ["fired"]
    world.rows({"symbol": "B", "low": 9.0}, window=LATER)
    assert states() == [(title, "resolved")]
    assert changes() == ["fired", "resolved"]


@pytest.mark.parametrize("is_told", [True, False])
def test_the_end_is_told_to_those_who_were_told_that_it_fires(world: World, is_told: bool) -> None:
    """A channel that was made, or turned on, since then has never heard of it."""
    if is_told:
        channel(world.workspace, "first")
    world.rule(row_rule(world.job))
    world.rows({"low": 3.0})
    channel(world.workspace, "second")
    world.rows({"low": 9.0}, window=LATER)
    assert states()[0][1] == "resolved"
    told = Notification.objects.values_list("channel__name", "change")
    assert set(told) == ({("first", "fired"), ("first", "resolved")} if is_told else set())


def test_an_alert_ends_and_begins_again_within_one_flush(world: World) -> None:
    channel(world.workspace)
    world.rule(row_rule(world.job, by=[]))
    world.rows({"low": 1.0})
    world.rows({"symbol": "A", "low": 9.0}, {"symbol": "B", "low": 1.0})
    title = f"Job {world.job.name}"
    assert sorted(states()) == [(title, "firing"), (title, "resolved")]
    assert sorted(changes()) == ["fired", "fired", "resolved"]


@pytest.mark.every_database
def test_a_value_that_a_database_does_not_hold_is_no_obstacle(world: World) -> None:
    channel(world.workspace)
    world.rule(row_rule(world.job))
    world.rows({"symbol": "a\0b", "low": 1.0})
    world.rows({"symbol": "B", "low": 1.0})
    assert states() == [(f"Job {world.job.name}: symbol = {name}", "firing") for name in ("a\ufffdb", "B")]


def test_what_happens_within_one_flush_is_told(world: World) -> None:
    channel(world.workspace)
    world.rule(row_rule(world.job, by=[]))
    world.rows({"symbol": "A", "low": 1.0}, {"symbol": "B", "low": 9.0})
    assert states() == [(f"Job {world.job.name}", "resolved")]
    assert sorted(changes()) == ["fired", "resolved"]


def test_a_row_of_an_older_window_ends_nothing(world: World) -> None:
    world.rule(row_rule(world.job))
    world.rows({"low": 1.0}, window=LATER)
    world.rows({"low": 9.0})
    assert states()[0][1] == "firing"


def test_a_row_of_an_older_window_than_the_one_that_ended_an_alert_begins_none(world: World) -> None:
    """As hopping windows give them, of which each record updates several."""
    channel(world.workspace)
    rule = world.rule(row_rule(world.job))
    for name in ("second", "third", "fourth"):
        world.rows({"low": 1.0})
        world.rows({"low": 9.0}, window=LATER)
        world.rule(row_rule(world.job, by=[]), name)  # all are loaded again
    assert [alert.state for alert in rule.alerts.all()] == ["resolved"]
    world.rows({"low": 1.0}, window=LATER)
    found = rule.alerts.order_by("since")
    assert [alert.state for alert in found] == ["resolved", "firing"], "of the same window"


def test_hold_waits_and_what_ends_before_it_leaves_nothing(world: World) -> None:
    channel(world.workspace)
    world.rule(row_rule(world.job, hold="1h"))
    world.rows({"low": 1.0})
    assert (states()[0][1], changes()) == ("pending", [])
    world.rows({"low": 9.0})
    assert states() == []
    world.rows({"low": 1.0})
    Alert.objects.update(since=timezone.now() - timedelta(hours=2))
    world.crash()
    world.evaluator.tick()
    assert (states()[0][1], changes()) == ("firing", ["fired"])


def test_without_a_row_that_meets_it_for_a_while_it_is_over(world: World) -> None:
    world.rule(row_rule(world.job, quiet="10s"))
    world.rows({"low": 1.0})
    Alert.objects.update(last_met_at=timezone.now() - timedelta(seconds=23))  # 10 s nobody looked
    world.crash()
    world.evaluator.tick()
    assert Alert.objects.get().resolved_because == "No row met the condition any more."


def test_time_does_not_pass_while_no_relay_looks_at_rows(world: World) -> None:
    world.rule(row_rule(world.job, quiet="10s"))
    world.rows({"low": 1.0})
    now = timezone.now()
    Alert.objects.update(last_met_at=now - timedelta(seconds=60))
    Evaluator.objects.update(until=now - timedelta(seconds=45))
    world.start()
    world.follow()
    world.evaluator.tick()  # before any row of the last minute was read
    world.rows({"low": 1.0})
    assert [state for _, state in states()] == ["firing"]


def test_nothing_fires_of_time_in_which_no_relay_looked_at_rows(world: World) -> None:
    world.rule(row_rule(world.job, hold="1m"))
    world.rows({"low": 1.0})
    now = timezone.now()
    Alert.objects.update(since=now - timedelta(seconds=90), last_met_at=now - timedelta(seconds=60))
    Evaluator.objects.update(until=now - timedelta(seconds=45))
    world.start()
    world.follow()
    world.evaluator.tick()
    assert [state for _, state in states()] == ["pending"]
    assert Alert.objects.get().since > now - timedelta(seconds=60), "a kill must not forget it"
    world.rows({"low": 9.0})
    assert changes() == []


@pytest.mark.parametrize("first", ["rows", "the tick", "an error"])
def test_time_does_not_pass_while_this_relay_can_not_store_rows(world: World, first: str) -> None:
    """Its database is away, or its host sleeps: it has the right to evaluate all the time."""
    held = world.rule(row_rule(world.job, hold="1m"), "held")
    quiet = world.rule(row_rule(world.job, quiet="1m"), "ends")
    world.rows({"low": 1.0})
    world.evaluator.tick()
    gap_us = 600_000_000
    assert world.evaluator._looked_us is not None
    world.evaluator._looked_us -= gap_us
    world.evaluator._ticked_us = world.evaluator._looked_us
    for rule in (held, quiet):
        for alert in world.evaluator._book.of(rule.pk).values():
            alert.since_us -= gap_us
            alert.last_met_us -= gap_us
    if first == "rows":
        world.rows({"symbol": "B", "low": 9.0})
    elif first == "an error":
        long_ago = timezone.now() - timedelta(microseconds=gap_us)
        Alert.objects.update(since=long_ago, last_met_at=long_ago)
        world.evaluator._loaded = None
        world.follow()
    world.evaluator.tick()
    assert sorted(state for _, state in states()) == ["firing", "pending"]


@pytest.mark.parametrize("observed", ["replaying", "queued"])
def test_time_does_not_pass_while_rows_are_not_looked_at(world: World, observed: str) -> None:
    world.rule(row_rule(world.job, hold="1h"), "held")
    world.rule(row_rule(world.job, quiet="10s"), "ends")
    world.rows({"low": 1.0})
    Alert.objects.filter(state="pending").update(since=timezone.now() - timedelta(hours=2))
    Alert.objects.filter(state="firing").update(last_met_at=timezone.now() - timedelta(minutes=5))
    Run.objects.update(observed=observed, replay_until={"0": {"0": 9}})
    world.crash()
    world.evaluator.tick()
    assert sorted(state for _, state in states()) == ["firing", "pending"]
    Run.objects.update(observed="running")
    world.follow()
    world.evaluator.tick()
    assert sorted(state for _, state in states()) == ["firing", "resolved"]


@pytest.mark.parametrize("observed", ["replaying", "queued"])
def test_the_time_for_which_rows_waited_does_not_count_afterwards(world: World, observed: str) -> None:
    world.rule(row_rule(world.job, hold="30m"), "held")
    world.rule(row_rule(world.job, quiet="30m"), "ends")
    world.rows({"low": 1.0})
    Run.objects.update(observed=observed, replay_until={"0": {"0": 9}})
    world.follow()
    world.evaluator.tick()
    hour_us = 3_600_000_000
    for rule in AlertRule.objects.all():
        for alert in world.evaluator._book.of(rule.pk).values():
            alert.since_us -= hour_us
            alert.last_met_us -= hour_us
    assert world.evaluator._ticked_us is not None
    world.evaluator._ticked_us -= hour_us
    world.evaluator.tick()
    Run.objects.update(observed="running")
    world.follow()
    world.evaluator.tick()
    assert sorted(state for _, state in states()) == ["firing", "pending"]
    pending = Alert.objects.get(state="pending")
    assert pending.since > timezone.now() - timedelta(minutes=5), "a kill must not forget it"


def test_time_does_not_pass_before_stored_rows_are_evaluated(world: World) -> None:
    world.rule(row_rule(world.job, quiet="10s"))
    world.rows({"low": 1.0})
    world.run.epoch = 2  # its start is not known to the evaluator yet, so these rows wait
    world.rows({"symbol": "B", "low": 9.0})
    for alert in world.evaluator._book.of(AlertRule.objects.get().pk).values():
        alert.last_met_us -= 60_000_000
    world.evaluator.tick()
    assert [state for _, state in states()] == ["firing"]


def test_what_a_killed_relay_had_not_stored_ends_nothing_too_early(world: World) -> None:
    world.rule(row_rule(world.job, quiet="10s"))
    world.rows({"low": 1.0})
    Alert.objects.update(last_met_at=timezone.now() - timedelta(seconds=11))  # 2.5 s may be unknown
    world.crash()
    world.evaluator.tick()
    assert states()[0][1] == "firing"


@pytest.mark.parametrize("follows", ["another rule", "the next tick and a kill"])
def test_rows_that_still_meet_it_count_after_it_is_loaded_again(world: World, follows: str) -> None:
    world.rule(row_rule(world.job, quiet="10s"))
    world.rows({"low": 1.0})
    long_ago = timezone.now() - timedelta(seconds=60)
    Alert.objects.update(last_met_at=long_ago)
    for alert in world.evaluator._book.of(AlertRule.objects.get().pk).values():
        alert.stored_met_us = instant_of(long_ago)
    world.rows({"low": 1.0})
    if follows == "another rule":
        world.rule(row_rule(world.job, by=[]), "another")
    else:
        world.evaluator.tick()
        world.crash()
    world.evaluator.tick()
    assert states()[0][1] == "firing"


@pytest.mark.parametrize("follows", ["another rule", "the next tick and a kill"])
def test_a_row_of_an_older_window_ends_nothing_after_it_is_loaded_again(world: World, follows: str) -> None:
    world.rule(row_rule(world.job))
    world.rows({"low": 1.0})
    world.rows({"low": 1.0}, window=LATER)
    if follows == "another rule":
        world.rule(row_rule(world.job, by=[]), "another")
    else:
        world.evaluator.tick()
        world.crash()
    world.rows({"low": 9.0})
    assert states()[0][1] == "firing"


@pytest.mark.parametrize("dies", ["before it is told", "after it is stored"])
def test_a_killed_relay_neither_loses_nor_repeats(world: World, dies: str) -> None:
    channel(world.workspace)
    world.rule(row_rule(world.job))
    world.rows({"low": 9.0})
    world.evaluator.tick()
    world.rows({"low": 1.0}, told=dies == "after it is stored")
    world.crash()
    assert (states()[0][1], changes()) == ("firing", ["fired"])


def _away(*_: object) -> None:
    raise DatabaseError("locked")


def test_an_error_of_the_database_delays_and_loses_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel(world.workspace)
    world.rule(row_rule(world.job))
    world.rows({"low": 9.0})
    world.evaluator.tick()
    with monkeypatch.context() as patched:
        patched.setattr(store, "_write_alerts", _away)
        world.rows({"low": 1.0})  # rows are stored all the same
    assert changes() == []
    world.follow()
    assert changes() == ["fired"]


def test_only_one_relay_evaluates_and_another_takes_over(world: World) -> None:
    channel(world.workspace)
    world.rule(row_rule(world.job))
    first = world.evaluator
    world.rows({"low": 9.0})
    first.tick()
    world.start()
    world.follow()
    world.rows({"low": 1.0})  # the second is told and holds no lease
    assert changes() == []
    first.close()
    world.follow()
    assert changes() == ["fired"]


def test_a_lease_of_a_clock_that_was_set_back_holds_nobody_up(world: World) -> None:
    world.rule(row_rule(world.job))
    world.start()  # the other one was killed
    Evaluator.objects.update(holder="killed", until=timezone.now() + timedelta(hours=3))
    world.follow()
    world.rows({"low": 1.0})
    assert [state for _, state in states()] == ["firing"]
    Evaluator.objects.update(holder="living", until=timezone.now() + store.LEASE)
    world.start()
    world.follow()
    assert Evaluator.objects.get().holder == "living"


def test_one_that_lost_its_lease_writes_nothing(world: World) -> None:
    channel(world.workspace)
    world.rule(row_rule(world.job))
    Evaluator.objects.update(holder="another", until=timezone.now() + timedelta(minutes=1))
    world.rows({"low": 1.0})
    assert states() == []


def test_alerts_wait_while_the_run_is_replaying(world: World) -> None:
    channel(world.workspace)
    world.rule(row_rule(world.job))
    world.rows({"low": 9.0})
    Run.objects.update(observed="replaying")
    world.follow()
    world.rows({"low": 1.0})
    world.rows({"low": 9.0})  # in the end it holds what it held
    world.rows({"symbol": "B", "low": 1.0})
    assert states() == []
    Run.objects.update(observed="running")
    world.follow()
    assert states() == [(f"Job {world.job.name}: symbol = B", "firing")]


@pytest.mark.parametrize("by", [["symbol"], ["symbol", "window_start", "window_end"]])
@pytest.mark.parametrize("then", ["told", "replaying", "killed"])
def test_a_deleted_key_ends_its_alert(world: World, then: str, by: list[str]) -> None:
    """Also where nobody saw the deletion, and of windowed results where the key has the window."""
    if len(by) == 1:
        world.key_by_symbol()
    world.rule(row_rule(world.job, by=by))
    world.rows({"symbol": "A", "low": 1.0}, {"symbol": "B", "low": 1.0})
    if then == "replaying":
        Run.objects.update(observed="replaying")
        world.follow()
    world.delete("B", told=then != "killed")
    Run.objects.update(observed="running")
    if then == "killed":
        world.crash()
    world.follow()
    assert sorted(state for _, state in states()) == ["firing", "resolved"]


@pytest.mark.parametrize("then", ["killed", "replaying"])
def test_what_was_missed_ends_no_alert_about_events(world: World, then: str) -> None:
    """No row has the key that a group without `by` would have: each event has its own."""
    world.rows_are_events()
    world.rule(row_rule(world.job, quiet="1h"))
    world.rows({"low": 1.0})
    world.rows({"low": 9.0})
    assert [state for _, state in states()] == ["firing"]
    if then == "killed":
        world.crash()
    else:
        Run.objects.update(observed="replaying")
        world.follow()
        Run.objects.update(observed="running")
    world.follow()
    assert [state for _, state in states()] == ["firing"]


def test_a_result_whose_missed_rows_take_too_long_to_find_keeps_no_other_rule_waiting(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL cancels a statement after thirty seconds."""
    world.rule(row_rule(world.job))
    Run.objects.update(crashes=[instant_of(timezone.now())] * 3)
    world.rule(metric_rule("job.restarts", above=2), "crashes")
    world.rows({"low": 1.0}, told=False)
    with monkeypatch.context() as patched:
        patched.setattr("weir.alerts.services.rows.read_missed", _away)
        world.crash()
        world.evaluator.tick()
        assert len(states()) == 1, "the rule over a metric has fired"
    world.evaluator._rows._not_before.clear()  # it is asked again after ten times as long as it took
    world.follow()
    assert len(states()) == 2


def test_rows_of_an_epoch_that_is_not_known_yet_wait(world: World) -> None:
    world.rule(row_rule(world.job))
    world.run.epoch = 2
    world.rows({"low": 1.0})
    assert states() == []
    Run.objects.update(epoch=2)
    world.follow()
    assert len(states()) == 1


def test_a_rule_begins_with_the_present(world: World) -> None:
    world.rows({"low": 1.0})
    world.rule(row_rule(world.job))
    assert states() == []


@pytest.mark.parametrize("then", ["killed", "the database fails"])
def test_the_first_rows_after_a_rule_are_evaluated_whatever_is_killed(
    world: World, then: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.rows({"symbol": "old", "low": 1.0})
    world.rule(row_rule(world.job))
    with monkeypatch.context() as patched:
        if then == "the database fails":
            patched.setattr(store, "_write_alerts", _away)
        world.rows({"low": 1.0}, told=then != "killed")
    world.crash() if then == "killed" else world.follow()
    assert states() == [(f"Job {world.job.name}: symbol = A", "firing")]


def test_of_a_partition_that_did_not_move_no_older_row_fires(world: World) -> None:
    world.rows({"symbol": "old", "low": 1.0}, partition=1)
    world.rule(row_rule(world.job))
    world.rows({"low": 9.0})
    world.evaluator.tick()
    world.crash()
    assert states() == []
    world.rows({"symbol": "B", "low": 1.0}, partition=1)
    assert states() == [(f"Job {world.job.name}: symbol = B", "firing")]


@pytest.mark.parametrize("saved", ["before it began", "before its topic was stored"])
def test_a_generation_that_begins_after_its_rule_is_evaluated_from_its_start(
    world: World, saved: str
) -> None:
    """Also where rows were stored before the evaluator has seen it, and before its topic was."""
    if saved == "before it began":
        world.rule(row_rule(world.job))
    world.begin_generation()
    if saved == "before its topic was stored":
        world.rule(row_rule(world.job))
    world.rows({"low": 1.0}, told=False)
    world.crash()
    assert [state for _, state in states()] == ["firing"]


@pytest.mark.parametrize("then", ["followed", "killed"])
@pytest.mark.parametrize("keyed", [True, False])
def test_alerts_over_rows_end_with_the_generation_of_their_job(world: World, keyed: bool, then: str) -> None:
    """Its next one may never have such a key again, nor for hours a window as late."""
    channel(world.workspace)
    if keyed:
        world.key_by_symbol()
    world.rule(row_rule(world.job))
    world.rule(metric_rule("job.failed", above=0), "of a metric")
    world.rows({"symbol": "A", "low": 1.0}, {"symbol": "B", "low": 1.0}, window=LATER)
    Run.objects.update(observed="failed")
    world.evaluator.tick()
    world.begin_generation()
    Run.objects.update(observed="failed")
    world.crash() if then == "killed" else world.follow()
    ended = Alert.objects.filter(resolved_because="What it was about is gone, or was stopped.")
    assert sorted(ended.values_list("group__symbol", flat=True)) == ["A", "B"]
    world.rows({"symbol": "B", "low": 1.0})
    world.crash()
    world.evaluator.tick()
    metric, of_row = Alert.objects.filter(state="firing").order_by("since")
    assert (metric.rule.name, of_row.group) == ("of a metric", {"symbol": "B"})
    assert sorted(changes()) == ["fired"] * 4 + ["resolved"] * 2


def test_a_rule_that_was_changed_while_nobody_looked_ends_its_alerts(world: World) -> None:
    rule = world.rule(row_rule(world.job, by=["symbol"]))
    other = world.rule(row_rule(world.job), "renamed")
    world.rows({"low": 1.0})
    change_rule(rule, world.owner, "rule", row_rule(world.job, by=[]), rule.revision, enabled=True)
    change_rule(other, world.owner, "other", row_rule(world.job), other.revision, enabled=True)
    world.crash()
    because = dict(Alert.objects.values_list("rule__name", "resolved_because"))
    assert because == {"rule": "The rule was changed.", "other": ""}


def test_a_rule_that_is_turned_off_ends_its_alerts(world: World) -> None:
    rule = world.rule(row_rule(world.job))
    world.rows({"low": 1.0})
    AlertRule.objects.filter(pk=rule.pk).update(enabled=False, changed_at=timezone.now())
    world.follow()
    assert Alert.objects.get().resolved_because == "The rule was turned off."


def test_a_change_is_seen_although_another_host_has_a_fast_clock(world: World) -> None:
    ahead = world.rule(row_rule(world.job, by=[]), "ahead")
    AlertRule.objects.filter(pk=ahead.pk).update(changed_at=timezone.now() + timedelta(hours=1))
    rule = world.rule(row_rule(world.job))
    world.rows({"low": 1.0})
    change_rule(rule, world.owner, rule.name, rule.document, rule.revision, enabled=False)
    world.follow()
    assert Alert.objects.get(rule=rule).resolved_because == "The rule was turned off."


def test_a_rule_that_fails_on_a_row_stops_alone(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """No condition does, unless Weir has a defect: a rule of anybody would keep those of all from firing."""

    def compile_rule(watch: RowWatch, result: Mapping[str, Any]) -> Compiled:
        compiled, problems = compile_row_rule(watch, result)
        if compiled is not None and "n > 0" in watch.where:
            compiled = replace(compiled, meets=lambda values: 1 // values["gone"])
        return compiled, problems

    monkeypatch.setattr(watched, "compile_row_rule", compile_rule)
    broken = world.rule(row_rule(world.job, "n > 0"), "broken")
    world.rule(row_rule(world.job), "sound")
    world.rule(metric_rule("job.failed", above=0), "metric")
    world.rows({"low": 1.0})
    assert states() == [(f"Job {world.job.name}: symbol = A", "firing")]
    Run.objects.update(observed="failed")
    world.follow()
    world.evaluator.tick()
    assert [state for _, state in states()] == ["firing", "firing"]
    broken.refresh_from_db()
    assert (broken.enabled, broken.problem) == (True, BROKEN)
    assert [record.name for record in caplog.records if record.levelname == "ERROR"] == [
        row_evaluation.__name__
    ]
    caplog.clear()
    world.rows({"symbol": "B", "low": 1.0})
    assert len(states()) == 3


def test_a_rule_that_cannot_be_compiled_keeps_no_other_from_being_evaluated(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def compile_rule(watch: RowWatch, result: Mapping[str, Any]) -> Compiled:
        if "n > 0" in watch.where:
            raise ValueError("a defect")
        return compile_row_rule(watch, result)

    monkeypatch.setattr(watched, "compile_row_rule", compile_rule)
    broken = world.rule(row_rule(world.job, "n > 0"), "broken")
    world.rule(row_rule(world.job), "sound")
    world.rows({"low": 1.0})
    assert states() == [(f"Job {world.job.name}: symbol = A", "firing")]
    world.evaluator.tick()
    broken.refresh_from_db()
    assert broken.problem == BROKEN
    assert {record.name for record in caplog.records if record.levelname == "ERROR"} == {
        row_evaluation.__name__
    }
    caplog.clear()


def test_a_rule_whose_key_an_edit_took_away_says_so_and_others_go_on(world: World) -> None:
    rule = world.rule(row_rule(world.job))
    world.rule(metric_rule("job.failed", above=0), "metric")
    generation = world.run.generation
    fields = [each for each in generation.result["schema"] if each["name"] != "symbol"]
    generation.result = {**generation.result, "schema": fields}
    generation.save()
    Run.objects.update(epoch=world.run.epoch + 1, observed="failed")
    world.follow()
    world.evaluator.tick()
    assert "which tells its rows apart" in AlertRule.objects.get(pk=rule.pk).problem
    assert [state for _, state in states()] == ["firing"]


def test_a_rule_that_the_result_no_longer_fits_says_so(world: World) -> None:
    rule = world.rule(row_rule(world.job))
    AlertRule.objects.filter(pk=rule.pk).update(
        document=row_rule(world.job, where="gone > 1"), changed_at=timezone.now()
    )
    world.follow()
    world.evaluator.tick()
    assert "gone" in AlertRule.objects.get(pk=rule.pk).problem


def test_a_rule_sees_the_fields_that_an_edit_gave(world: World) -> None:
    """The job is resumed with a version that keeps its state; rows of the earlier one stay as they are."""
    rule = world.rule(row_rule(world.job))
    AlertRule.objects.filter(pk=rule.pk).update(
        document=row_rule(world.job, where="mean < 5"), changed_at=timezone.now()
    )
    world.follow()
    world.evaluator.tick()
    assert "mean" in AlertRule.objects.get(pk=rule.pk).problem
    generation = world.run.generation
    added = {"name": "mean", "type": "double", "nullable": True}
    generation.result = {**generation.result, "schema": [*generation.result["schema"], added]}
    generation.save()
    Run.objects.filter(pk=world.run.pk).update(epoch=world.run.epoch + 1)
    world.follow()
    world.evaluator.tick()
    assert AlertRule.objects.get(pk=rule.pk).problem == ""


def test_offsets_are_stored_with_what_they_caused(world: World) -> None:
    world.rule(row_rule(world.job))
    world.rows({"low": 1.0})
    assert EvaluatedOffset.objects.get(partition=0).next_offset == 1


def test_a_failed_job_fires_and_resolves_when_it_runs(world: World) -> None:
    channel(world.workspace)
    world.rule(metric_rule("job.failed", above=0, severity="critical"))
    world.evaluator.tick()
    assert states() == []
    for state in ("failed", "starting"):  # a start alone is no recovery
        Run.objects.update(observed=state)
        world.evaluator.tick()
        assert states() == [(f"Job {world.job.name}", "firing")]
    Run.objects.update(observed="running", last_seen_at=timezone.now())
    world.evaluator.tick()
    assert changes() == ["fired", "resolved"]


class Clock:
    """A rule with a hold of 5 min over whether the home Kafka answers, on a clock of the test's own."""

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        self._world, self._now, self._patch = world, timezone.now(), monkeypatch
        world.rule(metric_rule("cluster.unreachable", above=0, hold="5m"))

    def state(self, after_s: int, *, reachable: bool | None) -> str:
        """What the alert is after so many seconds, looked at every 10 s; None: nothing is known."""
        Cluster.objects.update_or_create(pk=HOME, defaults={"reachable": reachable})
        read = read_snapshot(None)
        for _ in range(after_s // 10):
            self._now += timedelta(seconds=10)
            snapshot = replace(read, now=self._now)
            with self._patch.context() as patched:
                patched.setattr(evaluator, "read_snapshot", lambda _, seen=snapshot: seen)
                self._world.evaluator.tick()
        return next((state for _, state in states()), "none")


@pytest.mark.parametrize("killed", [False, True])
def test_time_in_which_nothing_is_known_of_a_metric_does_not_count_as_hold(
    world: World, monkeypatch: pytest.MonkeyPatch, killed: bool
) -> None:
    """Two readings ten minutes apart say nothing of what was between them."""
    clock = Clock(world, monkeypatch)
    assert clock.state(60, reachable=False) == "pending"
    assert clock.state(600, reachable=None) == "pending"
    if killed:
        world.crash()
    assert clock.state(10, reachable=False) == "pending"
    if killed:
        world.crash()
    assert clock.state(200, reachable=False) == "pending"
    assert clock.state(100, reachable=False) == "firing"


def test_what_held_before_a_restart_of_the_relay_counts_as_hold(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(world, monkeypatch)
    assert clock.state(240, reachable=False) == "pending"
    world.crash()
    assert clock.state(70, reachable=False) == "firing"


def test_a_job_that_is_stopped_ends_its_alerts(world: World) -> None:
    world.rule(metric_rule("job.failed", above=0))
    Run.objects.update(observed="failed")
    world.evaluator.tick()
    Job.objects.update(desired="stopped")
    world.evaluator.tick()
    assert Alert.objects.get().resolved_because == "What it was about is gone, or was stopped."


def test_a_rule_that_cannot_be_read_keeps_no_other_from_being_evaluated(world: World) -> None:
    """An older version of Weir has saved it; whether its alert is over is not known."""
    channel(world.workspace)
    unreadable = world.rule(row_rule(world.job), "unreadable")
    world.rows({"low": 3.0})
    AlertRule.objects.filter(pk=unreadable.pk).update(document={"watch": {"kind": "gone"}})
    Alert.objects.update(told="")
    world.crash()
    world.rule(row_rule(world.job, "low < 9"), "sound")
    world.rows({"symbol": "B", "low": 8.0})
    world.evaluator.tick()
    assert [state for _, state in states()] == ["firing", "firing"]
    assert AlertRule.objects.get(pk=unreadable.pk).problem == UNREADABLE
    AlertRule.objects.filter(pk=unreadable.pk).update(document=row_rule(world.job), changed_at=timezone.now())
    world.follow()
    world.evaluator.tick()
    assert AlertRule.objects.get(pk=unreadable.pk).problem == ""


def test_a_long_value_is_cut_and_still_tells_alerts_apart(world: World) -> None:
    long = "x" * 1_000_000
    world.rule(row_rule(world.job, by=["symbol"]))
    world.rows({"symbol": long + "1", "low": 1.0}, {"symbol": long + "2", "low": 1.0})
    found = list(Alert.objects.all())
    assert len(found) == len({alert.digest for alert in found}) == 2
    for alert in found:
        assert len(json.dumps(alert.group)) < 2_000
        assert len(alert.title) <= 300
    held = world.evaluator._book.open_keys
    assert all(len(key) < 2_000 for keys in held.values() for key in keys)
    world.crash()
    world.rows({"symbol": long + "2", "low": 9.0}, window=LATER)
    state = dict(Alert.objects.values_list("digest", "state"))
    assert state == {
        digest_of({"symbol": group_value(long + "1")}): "firing",
        digest_of({"symbol": group_value(long + "2")}): "resolved",
    }


def test_a_long_key_that_is_deleted_ends_its_alert(world: World) -> None:
    """Of one of two, after the process was killed."""
    keys = ["x" * 1_000_000 + number for number in "12"]
    result = {
        "identity": ["symbol"],
        "schema": [{"name": "symbol", "type": "string"}, {"name": "low", "type": "double"}],
    }
    rule = LoadedRule.of("rule", world.workspace.pk, "rule", parse_rule(row_rule(world.job)))
    rules = ResultRules(world.job.pk, 1, world.job.name, result, [rule], RuleCosts())
    book = Book()
    rules.evaluate([_row([key], {"symbol": key, "low": 1.0}) for key in keys], book, 1)
    loaded = Book(list(book.of("rule").values()))
    assert len(loaded.of("rule")) == 2
    rules.evaluate([_row([keys[1]], None)], loaded, 2)
    assert list(loaded.of("rule")) == [digest_of({"symbol": group_value(keys[0])})]


def _row(key: list[str], value: dict[str, Any] | None) -> ResultRecord:
    return ResultRecord(
        key=json.dumps(key), value=None if value is None else json.dumps(value), newest_input_us=1,
        partial=False, epoch=1, partition=0, offset=0, timestamp_ms=1,
    )  # fmt: skip


@pytest.mark.parametrize("value", [None, 1, 2.5, True, "short", ["x"], {"a": 1}])
def test_a_short_value_stays_as_it_is(value: object) -> None:
    assert group_value(value) == value


def test_a_long_nested_value_is_the_same_in_whatever_order_its_fields_are() -> None:
    one, same, other = {"a": "x" * 500, "b": 1}, {"b": 1, "a": "x" * 500}, {"a": "x" * 500, "b": 2}
    assert group_value(one) == group_value(same) != group_value(other)
