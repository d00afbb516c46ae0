"""Outputs: which are computed together, which topics they may name, what they mean for mode and state."""

from typing import Any

import pytest

from jobs.plan import Plan, PlanningContext, diff
from tests.support.plan_helpers import found, only, planned

LEVELS = {"op": "branch", "input": "s", "branches": {"up": "x > 0"}, "rest": "others"}
COUNTS = {"op": "aggregate", "input": "s", "by": ["k"], "measures": {"n": "count()"}}
MANY = {"op": "filter", "input": "counts", "where": "n > 3"}


def outputs(result: str, **topics: str) -> dict[str, Any]:
    more = {name: {"input": reference, "to": {"topic": name}} for name, reference in topics.items()}
    return {"outputs": {**more, "out": {"input": result, "to": "result"}}}


def groups(plan: Plan) -> list[tuple[str, list[str], tuple[str, ...]]]:
    assert plan.ok, plan.problems
    return [(group.root, [sink.reference for sink in group.sinks], group.steps) for group in plan.groups]


def test_the_result_comes_first() -> None:
    plan = planned({"levels": LEVELS}, **outputs("levels.others", up="levels.up"))
    assert [(sink.name, sink.topic) for sink in plan.sinks] == [("out", None), ("up", "up")]
    assert plan.outputs == ("levels.others", "levels.up")


@pytest.mark.parametrize(
    ("steps", "outputs", "said"),
    [
        ({"levels": LEVELS}, {"a": ("levels.up", {}), "b": ("levels.others", {})}, None),
        (
            {"levels": LEVELS},
            {"a": ("levels.up", {}), "b": ("levels.others", {"format": "avro"})},
            "Output a writes to this topic: it has another format.",
        ),
        (
            {"counts": COUNTS, "many": MANY},
            {"a": ("counts", {}), "b": ("many", {})},
            "Output a writes to this topic: each would delete and replace rows of the other.",
        ),
    ],
)
@pytest.mark.parametrize("topics", [None, {"z": "z", "zeds": "z"}])
def test_outputs_share_a_topic_only_where_their_rows_go_together(
    steps: dict[str, Any],
    outputs: dict[str, tuple[str, dict[str, str]]],
    said: str | None,
    topics: dict[str, str] | None,
) -> None:
    names = {"a": "z", "b": "z" if topics is None else "zeds"}
    written = {
        name: {"input": reference, "to": {"topic": names[name], **more}}
        for name, (reference, more) in outputs.items()
    }
    written["out"] = {"input": written["a"]["input"], "to": "result"}
    plan = planned(steps, outputs=written, context=PlanningContext(topics=topics))
    assert [one.message for one in plan.problems if one.severity == "error"] == ([said] if said else [])


def test_rows_of_one_node_go_to_all_outputs_in_one_pass() -> None:
    plan = planned({"levels": LEVELS}, **outputs("levels.others", up="levels.up", all="s"))
    assert groups(plan) == [("s", ["levels.others", "levels.up", "s"], ("levels",))]
    assert plan.mode.mode == "realtime"


def test_state_above_is_kept_once() -> None:
    plan = planned({"counts": COUNTS, "many": MANY}, **outputs("counts", many="many"))
    assert groups(plan) == [("counts", ["counts", "many"], ("many",))]


def test_outputs_without_a_common_node_read_their_sources_again() -> None:
    plan = planned({"counts": COUNTS, "levels": LEVELS}, **outputs("counts", up="levels.up"))
    assert groups(plan) == [("counts", ["counts"], ()), ("levels.up", ["levels.up"], ())]
    assert plan.mode.mode == "microbatch"
    assert "reads a source once" in plan.mode.reasons[0]


def test_a_step_that_feeds_state_too_is_not_carried() -> None:
    steps = {
        "more": {"op": "derive", "input": "s", "fields": {"z": "x + 1"}},
        "counts": {**COUNTS, "input": "more"},
    }
    plan = planned(steps, **outputs("counts", more="more", all="s"))
    assert groups(plan) == [("counts", ["counts"], ()), ("more", ["more"], ()), ("s", ["s"], ())]


def test_the_format_of_a_topic_keeps_the_state() -> None:
    def written(form: str) -> Plan:
        return planned(
            {},
            outputs={
                "out": {"input": "s", "to": "result"},
                "more": {"input": "s", "to": {"topic": "t", "format": form}},
            },
        )

    as_json, avro = written("json"), written("avro")
    assert [sink.format for sink in avro.sinks] == ["json", "avro"]
    changed = diff(as_json, avro)
    assert changed.same_state
    assert [change.sentence for change in changed.changes] == ["more: target topic t → topic t in Avro."]
    (refused,) = written("csv").problems
    assert refused.path[:2] == ("outputs", "more")


def test_a_topic_is_one_of_the_home_cluster() -> None:
    document = outputs("s", errors="s")
    assert planned({}, PlanningContext(topics={"errors": "app.errors"}), **document).ok
    missing = only(planned({}, PlanningContext(topics={"error": "app.errors"}), **document))
    assert (missing.code, missing.path, missing.hint) == (
        "PARAMETER_RANGE",
        ("outputs", "errors", "to", "topic"),
        "Did you mean error?",
    )


@pytest.mark.parametrize("topic", ["s", "weir.runs", "weir.results.j1.1"])
def test_a_job_writes_neither_what_it_reads_nor_the_services_topics(topic: str) -> None:
    document = {
        "outputs": {"copy": {"input": "s", "to": {"topic": topic}}, "out": {"input": "s", "to": "result"}}
    }
    assert found(planned({}, **document)) == [("PARAMETER_RANGE", "outputs.copy.to.topic")]


@pytest.mark.parametrize(
    ("home", "topic", "loops"),
    [
        ({}, "s", False),
        ({"s": "orders"}, "orders", True),
        ({"s": "orders", "copied": "orders"}, "copied", True),
        (None, "s", True),
    ],
)
def test_a_stream_of_another_cluster_may_have_the_name_of_a_topic_here(
    home: dict[str, str] | None, topic: str, loops: bool
) -> None:
    written = {"copy": {"input": "s", "to": {"topic": topic}}, "out": {"input": "s", "to": "result"}}
    context = PlanningContext(topics={"s": "s", "orders": "orders", "copied": "orders"}, home_topics=home)
    expected = [("PARAMETER_RANGE", "outputs.copy.to.topic")] if loops else []
    assert found(planned({}, context, outputs=written)) == expected


def test_a_topic_beside_the_result_leaves_the_state_as_it_is() -> None:
    alone = planned({"counts": COUNTS}, **outputs("counts"))
    beside = planned({"counts": COUNTS, "many": MANY}, **outputs("counts", many="many"))
    assert groups(beside)[0][0] == "counts"
    assert diff(alone, beside).same_state


def test_a_topic_for_which_a_source_is_read_again_begins_a_new_generation() -> None:
    alone = planned({"counts": COUNTS}, **outputs("counts"))
    twice = planned({"counts": COUNTS, "levels": LEVELS}, **outputs("counts", up="levels.up"))
    verdict = diff(alone, twice)
    assert verdict.outcome == "new_generation"
    assert "source reads changed" in next(
        change.sentence for change in verdict.changes if change.breaks_state
    )
