"""Rules over rows that take long: what a preview, a rule and a round of the relay may take, over real stored
rows. Times are processor time of the thread, which other processes do not change.
"""

import time
from collections.abc import Callable, Iterator

import pytest

from tests.support.alerting import World, channel, row_rule
from tests.support.run_factories import now_us
from tests.support.users import client_of, create_user, member, workspace_of
from weir.alerts.models import Alert, AlertRule, EvaluatedOffset, Notification
from weir.alerts.services import preview, rows
from weir.alerts.services.row_evaluation import MAX_CPU_S, TOO_SLOW
from weir.alerts.services.rows import CATCH_UP_CPU_S
from weir.alerts.services.rule_costs import INTERVAL_S, ROUND_CPU_S, SHARE_OF_TIME, RuleCosts
from weir.alerts.services.rules import change_rule
from weir.results.models import ALIAS, ResultRow
from weir.runs.services import planning
from weir.workspaces.models import Event, User, Workspace
from weir.workspaces.roles import Role

pytestmark = [pytest.mark.django_db(databases=["default", "results"], transaction=True), pytest.mark.thorough]

MANY = 2_000  # rows
CHECK = "/api/v1/workspaces/ops/alert-rules/check"
MARGIN_S = 4.0  # for what is not the rules': the first request of a process, reading rows, storing alerts


def slow(calls: int) -> str:
    """A condition that no row meets and that calls a function so often squared."""
    return f"exists(sequence(1, {calls}), x -> exists(sequence(1, {calls}), y -> x + y < n - n))"


def met_and_slow(calls: int) -> str:
    return f"not ({slow(calls)})"


def processor_time(work: Callable[[], object]) -> float:
    began = time.thread_time()
    work()
    return time.thread_time() - began


@pytest.fixture
def world(workspace: Workspace, owner: User) -> World:
    return World(workspace, owner)


@pytest.fixture
def labs(world: World) -> World:
    """Another workspace, whose rules the same relay evaluates."""
    eve = create_user("eve")
    made = World(workspace_of(eve, "labs"), eve)
    made.evaluator = world.evaluator
    return made


@pytest.fixture(autouse=True)
def _no_defect(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """The evaluator survives a defect; a test must not."""
    yield
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def fill(world: World, count: int = MANY, **values: object) -> None:
    world.store(*({"symbol": f"S{at}", **values} for at in range(count)))


def states(rule: AlertRule) -> list[str]:
    return list(Alert.objects.filter(rule=rule).values_list("state", flat=True))


def test_a_preview_has_one_budget_for_all_its_rows(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a viewer; each row is within its own bound."""
    monkeypatch.setattr(planning, "CHECK_TIMEOUT_S", 0.5)
    fill(world)
    client = client_of(member(world.workspace, "vera", Role.VIEWER))
    answers = []
    took = processor_time(
        lambda: answers.append(
            client.post(CHECK, {"document": row_rule(world.job, slow(60))}, format="json").json()
        )
    )
    assert took < 0.5 + MAX_CPU_S + MARGIN_S
    found = answers[0]["preview"]
    assert 0 < found["looked_at"] < MANY
    assert found["note"].startswith(TOO_SLOW)


def test_a_preview_reads_so_many_characters(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview, "MAX_CHARACTERS", 200_000)
    fill(world, 20, symbol="A")
    ResultRow.objects.using(ALIAS).all().delete()
    world.store(*({"symbol": f"{at}" + "x" * 40_000} for at in range(20)))
    answer = client_of(world.owner).post(CHECK, {"document": row_rule(world.job)}, format="json").json()
    assert answer["preview"]["looked_at"] < 8
    assert answer["preview"]["note"].startswith("The newest ")


def test_a_rule_that_takes_more_than_its_share_is_turned_off(world: World) -> None:
    channel(world.workspace)
    rule = world.rule(row_rule(world.job, met_and_slow(60), by=[]), "slow")
    quick = world.rule(row_rule(world.job, by=[]), "quick")
    world.rows({"low": 1.0})
    assert states(rule) == states(quick) == ["firing"]
    fill(world, low=1.0)
    world.rows({"low": 1.0})  # it is seen that rows were missed
    rounds = 0
    while AlertRule.objects.get(pk=rule.pk).enabled:
        assert processor_time(world.follow) < CATCH_UP_CPU_S + MAX_CPU_S + MARGIN_S
        rounds += 1
        assert rounds < 40
    assert rounds > 1, "a round has less than the share of a rule"
    rule.refresh_from_db()
    assert (rule.turned_off, rule.problem) == ("TOO_SLOW", f"Turned off. {TOO_SLOW}")
    world.follow()
    world.evaluator.tick()
    assert Alert.objects.get(rule=rule).resolved_because == "The rule was turned off."
    assert states(quick) == ["firing"]
    rule.refresh_from_db()
    assert rule.problem, "the next look at problems leaves it"
    said = Event.objects.filter(subject=rule.pk, text__contains="takes too long")
    assert [(event.workspace_id, event.actor) for event in said] == [(world.workspace.pk, "")]
    shown = client_of(world.owner).get(f"/api/v1/workspaces/ops/alert-rules/{rule.pk}").json()
    assert (shown["enabled"], shown["turned_off"]) == (False, "TOO_SLOW")


def test_it_is_turned_on_again_with_another_condition(world: World) -> None:
    rule = world.rule(row_rule(world.job, slow(400)))
    world.rows({"low": 1.0})
    rule.refresh_from_db()
    assert (rule.enabled, rule.turned_off) == (False, "TOO_SLOW"), "one row was too much"
    change_rule(rule, world.owner, "rule", row_rule(world.job), rule.revision, enabled=True)
    assert (rule.turned_off, rule.problem) == ("", "")
    world.follow()
    world.rows({"low": 1.0, "symbol": "B"})
    world.follow()  # the round before took more than its time
    rule.refresh_from_db()
    assert rule.enabled
    assert "firing" in states(rule)


def test_what_somebody_changed_meanwhile_stays(world: World) -> None:
    rule = world.rule(row_rule(world.job, slow(400)))
    change_rule(rule, world.owner, "rule", row_rule(world.job), rule.revision, enabled=True)
    world.rows({"low": 1.0})  # the evaluator does not know the change yet
    rule.refresh_from_db()
    assert rule.enabled


def test_rules_that_are_many_are_not_slow(world: World) -> None:
    """Together they exceed the bound of a row, and none does alone."""
    rules = [world.rule(row_rule(world.job, met_and_slow(50), by=[]), f"r{at}") for at in range(40)]
    took = processor_time(lambda: world.rows({"low": 1.0}))
    assert took > MAX_CPU_S
    assert AlertRule.objects.filter(enabled=True).count() == len(rules)
    assert Alert.objects.filter(state="firing").count() == len(rules)


def test_a_slow_rule_delays_no_other_workspace(world: World, labs: World) -> None:
    """What is stored together is evaluated in one round: first of who took the least."""
    world.rule(row_rule(world.job, slow(60)), "slow")
    theirs = labs.rule(row_rule(labs.job), "quick")
    world.follow()
    world.rows({"low": 1.0})
    flushes = [world.store(*({"symbol": f"S{at}"} for at in range(MANY))), labs.store({"low": 1.0})]
    took = processor_time(lambda: world.evaluator.rows(flushes, now_us()))
    assert took < ROUND_CPU_S + MAX_CPU_S + MARGIN_S
    assert states(theirs) == ["firing"]
    world.evaluator.tick()
    evaluated = EvaluatedOffset.objects.get(job_id=world.job.pk, partition=0)
    assert evaluated.next_offset < MANY, "the rest is left for later"


@pytest.mark.every_database
def test_after_a_pause_rows_are_evaluated_in_parts_and_a_kill_repeats_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel(world.workspace)
    rule = world.rule(row_rule(world.job))
    world.rows({"low": 9.0})
    world.evaluator.tick()
    fill(world, low=9.0)
    world.store({"symbol": "S7", "low": 1.0}, {"symbol": f"S{MANY - 1}", "low": 2.0})
    monkeypatch.setattr(rows, "CATCH_UP_CPU_S", 0.01)
    parts = []
    while not parts or parts[-1] < MANY + 3:
        world.crash() if len(parts) % 3 == 2 else world.follow()
        world.evaluator.tick()
        parts.append(EvaluatedOffset.objects.get(partition=0).next_offset)
        assert len(parts) < 500
    assert len(parts) > 3
    assert parts == sorted(parts)
    assert sorted(Alert.objects.values_list("group__symbol", flat=True)) == [f"S{MANY - 1}", "S7"]
    assert Notification.objects.count() == 2
    rule.refresh_from_db()
    assert rule.enabled
    world.rows({"symbol": "B", "low": 1.0})
    assert Alert.objects.filter(group__symbol="B").exists(), "it goes on with what is just stored"


def test_what_is_stored_while_missed_rows_are_evaluated_waits_for_no_further_row(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.rule(row_rule(world.job))
    fill(world, low=9.0)
    world.crash()
    monkeypatch.setattr(rows, "CATCH_UP_CPU_S", 0.01)
    world.follow()
    assert EvaluatedOffset.objects.get(partition=0).next_offset < MANY, "it is in the middle of it"
    world.rows({"symbol": "S0", "low": 1.0}, {"symbol": "late", "low": 1.0})
    for _ in range(500):
        world.follow()
        if EvaluatedOffset.objects.get(partition=0).next_offset == MANY + 2:
            break
    assert sorted(Alert.objects.values_list("group__symbol", flat=True)) == ["S0", "late"]


def test_a_rule_is_compiled_once_whatever_else_changes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    real = rows.compile_row_rule
    monkeypatch.setattr(
        rows, "compile_row_rule", lambda watch, result: compiled.append(watch.where) or real(watch, result)
    )
    first = world.rule(row_rule(world.job, "low < 5"), "first")
    world.rule(row_rule(world.job, "low < 6"), "second")
    assert compiled == ["low < 5", "low < 6"]
    change_rule(first, world.owner, "first", row_rule(world.job, "low < 7"), 1, enabled=True)
    world.follow()
    world.rows({"low": 6.5})
    assert compiled == ["low < 5", "low < 6", "low < 7"]
    assert states(first) == ["firing"]


def test_a_change_of_a_rule_is_no_pause_for_results(
    world: World, labs: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise who changes a rule again and again delays everybody's alerts."""
    theirs = labs.rule(row_rule(labs.job), "quick")
    world.follow()
    labs.rows({"low": 9.0})
    looked_for = []
    real = rows.read_missed
    monkeypatch.setattr(rows, "read_missed", lambda *which: looked_for.append(which[0]) or real(*which))
    world.rule(row_rule(world.job))
    labs.rows({"low": 1.0})
    assert states(theirs) == ["firing"]
    assert looked_for == []


def test_a_share_is_of_an_interval() -> None:
    now = 0.0
    costs = RuleCosts(limit_s=1.0, clock=lambda: now)
    assert not costs.charge(("r", 1), 0.9)
    costs.charge_workspace(7, 0.9)
    costs.begin_interval()
    assert costs.charge(("r", 1), 0.2)
    assert not costs.charge(("r", 2), 0.9), "changed since"
    now = INTERVAL_S
    costs.begin_interval()
    assert not costs.charge(("r", 1), 0.9)
    assert costs.of_workspace(7) == 0


def test_rounds_that_follow_each_other_closely_have_a_share_of_the_time() -> None:
    """While a backlog is stored there are many rounds a second."""
    now = 0.0
    costs = RuleCosts(clock=lambda: now)
    assert costs.begin_round() == ROUND_CPU_S
    costs.end_round(2 * ROUND_CPU_S)
    assert costs.begin_round() < 0
    now = 1.0
    assert costs.begin_round() == pytest.approx(SHARE_OF_TIME - ROUND_CPU_S)
    now = 60.0
    assert costs.begin_round() == ROUND_CPU_S, "what was not used is not kept"
