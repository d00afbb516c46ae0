"""What edits of a running job's operators do to its state, beside the twenty of `test_edits`; and the outputs
around them.
"""

from typing import Any

import pytest

from jobs.plan import Plan, diff, plan_job
from tests.support.plan_helpers import contract

CATALOG = {"s": contract(), "r": contract(), "o": contract(), "t": contract(kind="table", key=["k"])}
TUMBLING = {"tumbling": {"size": "10s"}}
KEPT = {"op": "filter", "input": "s", "where": "x > 0"}
AGGREGATE = {"op": "aggregate", "input": "s", "window": TUMBLING, "by": ["k"], "measures": {"n": "count()"}}
CHANGE = {"op": "change", "input": "step", "of": ["n"]}
CHANGES = {**CHANGE, "input": "sums"}
BOTH = {"op": "union", "inputs": ["j", "s"]}
JOIN = {"op": "join", "left": "s", "right": "r", "on": {"k": "k"}, "between": {"after": "1m"}, "prefix": "r_"}
TABLE_JOIN = {"op": "table_join", "input": "s", "table": "t", "on": {"k": "k"}, "prefix": "t_"}
LATEST = {"op": "latest", "input": "s", "by": ["k"]}
DEDUPLICATE = {"op": "deduplicate", "input": "s", "by": ["k"], "within": "exact"}
RESULT = {"out": {"input": "step", "to": "result"}}
TOPIC = {"out": {"input": "kept", "to": "result"}, "more": {"input": "step", "to": {"topic": "o"}}}

SAME, NEW = "same_state", "new_generation"

Steps = dict[str, Any]

EDITS: tuple[tuple[str, Steps, Steps, str, str], ...] = (
    ("type of a join", JOIN, {"type": "left"}, NEW, "step: type inner → left."),
    (
        "bounds of a join",
        JOIN,
        {"between": {"after": "2m"}},
        NEW,
        "0 s before to 1 min after → 0 s before to 2 min after.",
    ),
    ("keys of a join", JOIN, {"on": {"k": "k", "x": "x"}}, NEW, "step: keys k = k → k = k and x = x."),
    ("condition of a join", JOIN, {"where": "x > 1"}, NEW, "step: where added: x > 1."),
    ("sides of a join", JOIN, {"left": "r", "right": "s"}, NEW, "step: left s → r."),
    ("prefix of a join", JOIN, {"prefix": "other_"}, SAME, "step: prefix r_ → other_."),
    ("time of pairs that no state reads", JOIN, {"time": "left"}, SAME, "step: time later → left."),
    (
        "searches to clicks that were not searched",
        {**JOIN, "type": "semi"},
        {"type": "anti"},
        NEW,
        "step: type semi → anti.",
    ),
    ("type of a join with a table", TABLE_JOIN, {"type": "left"}, NEW, "step: type inner → left."),
    ("the table as it was", TABLE_JOIN, {"version": "as_of"}, NEW, "step: version current → as_of."),
    ("a copy of the table", TABLE_JOIN, {"broadcast": {}}, NEW, "step: broadcast added"),
    ("retention", {**TABLE_JOIN, "version": "as_of"}, {"retention": "2d"}, NEW, "step: retention 1 d → 2 d."),
    ("prefix of a join with a table", TABLE_JOIN, {"prefix": "other_"}, SAME, "step: prefix t_ → other_."),
    ("key of latest", LATEST, {"by": ["id"]}, NEW, "step: added group key id, removed group key k."),
    ("order of latest", LATEST, {"order": "offset"}, NEW, "step: order event_time → offset."),
    ("time that takes keys away", LATEST, {"ttl": "1m"}, NEW, "step: ttl added: 1 min."),
    (
        "condition that takes keys away",
        LATEST,
        {"delete_when": "x > 1"},
        NEW,
        "step: delete when added: x > 1.",
    ),
    ("how long repeats are known", DEDUPLICATE, {"within": "1m"}, NEW, "step: within exact → 1 min."),
    ("what a repeat is", DEDUPLICATE, {"by": ["k", "x"]}, NEW, "step: added group key x."),
    (
        "gap of sessions",
        {**AGGREGATE, "window": {"session": {"gap": "1m"}}},
        {"window": {"session": {"gap": "2m"}}},
        NEW,
        "gaps of 1 min",
    ),
    (
        "zone of days",
        {**AGGREGATE, "window": {"calendar": {"unit": "day", "zone": "UTC"}}},
        {"window": {"calendar": {"unit": "day", "zone": "Europe/Berlin"}}},
        NEW,
        "step: window day in UTC → day in Europe/Berlin.",
    ),
)

OUTPUT_EDITS: tuple[tuple[str, Steps, Steps, str], ...] = (
    (
        "a topic is given final results",
        {"steps": {"step": {**AGGREGATE, "emit": "update"}, "kept": KEPT}, "outputs": TOPIC},
        {"steps": {"step": {**AGGREGATE, "emit": "final"}, "kept": KEPT}, "outputs": TOPIC},
        NEW,
    ),
    (
        "a topic is given results as they grow",
        {"steps": {"step": {**AGGREGATE, "emit": "final"}, "kept": KEPT}, "outputs": TOPIC},
        {"steps": {"step": {**AGGREGATE, "emit": "update"}, "kept": KEPT}, "outputs": TOPIC},
        NEW,
    ),
    (
        "a topic is given changes as they grow",
        {"steps": {"sums": {**AGGREGATE, "emit": "final"}, "step": CHANGES, "kept": KEPT}, "outputs": TOPIC},
        {"steps": {"sums": {**AGGREGATE, "emit": "update"}, "step": CHANGES, "kept": KEPT}, "outputs": TOPIC},
        NEW,
    ),
    (
        "time of pairs that a window is made by",
        {"steps": {"j": JOIN, "step": {**AGGREGATE, "input": "j"}}},
        {"steps": {"j": {**JOIN, "time": "left"}, "step": {**AGGREGATE, "input": "j"}}},
        NEW,
    ),
    (
        "time of pairs that a window behind a union is made by",
        {"steps": {"j": {**JOIN, "time": "right"}, "both": BOTH, "step": {**AGGREGATE, "input": "both"}}},
        {"steps": {"j": {**JOIN, "time": "left"}, "both": BOTH, "step": {**AGGREGATE, "input": "both"}}},
        NEW,
    ),
    (
        "time of pairs that a change is made by",
        {"steps": {"j": JOIN, "step": {**AGGREGATE, "input": "j"}, "c": CHANGE}},
        {"steps": {"j": {**JOIN, "time": "left"}, "step": {**AGGREGATE, "input": "j"}, "c": CHANGE}},
        NEW,
    ),
    (
        "time of pairs that a second join compares",
        {"steps": {"j": JOIN, "step": {**JOIN, "left": "j", "right": "s", "prefix": "s_"}}},
        {
            "steps": {
                "j": {**JOIN, "time": "left"},
                "step": {**JOIN, "left": "j", "right": "s", "prefix": "s_"},
            }
        },
        NEW,
    ),
    (
        "time of pairs that find the table as it was",
        {"steps": {"j": JOIN, "step": {**TABLE_JOIN, "input": "j", "version": "as_of"}}},
        {"steps": {"j": {**JOIN, "time": "left"}, "step": {**TABLE_JOIN, "input": "j", "version": "as_of"}}},
        NEW,
    ),
    (
        "time of pairs that find the table as it is",
        {"steps": {"j": JOIN, "step": {**TABLE_JOIN, "input": "j"}}},
        {"steps": {"j": {**JOIN, "time": "left"}, "step": {**TABLE_JOIN, "input": "j"}}},
        SAME,
    ),
    (
        "time of pairs in groups without a window",
        {"steps": {"j": JOIN, "step": {**AGGREGATE, "input": "j", "window": None}}},
        {"steps": {"j": {**JOIN, "time": "left"}, "step": {**AGGREGATE, "input": "j", "window": None}}},
        SAME,
    ),
    (
        "time of pairs that pass an exchange",
        {"steps": {"j": {**JOIN, "type": "left"}, "step": {**AGGREGATE, "input": "j", "window": None}}},
        {
            "steps": {
                "j": {**JOIN, "type": "left", "time": "left"},
                "step": {**AGGREGATE, "input": "j", "window": None},
            }
        },
        NEW,
    ),
    (
        "one more topic of rows without state",
        {"steps": {"step": AGGREGATE}, "outputs": RESULT},
        {
            "steps": {"step": AGGREGATE, "kept": KEPT},
            "outputs": {**RESULT, "more": {"input": "kept", "to": {"topic": "o"}}},
        },
        NEW,
    ),
    (
        "changes beside measures",
        {"steps": {"step": AGGREGATE}, "outputs": RESULT},
        {"steps": {"step": AGGREGATE, "c": CHANGE}},
        NEW,
    ),
    (
        "what stands for a window that was not there",
        {"steps": {"step": AGGREGATE, "c": CHANGE}},
        {"steps": {"step": AGGREGATE, "c": {**CHANGE, "missing": "zero"}}},
        SAME,
    ),
    (
        "a second query",
        {"steps": {"step": AGGREGATE}},
        {
            "steps": {"step": AGGREGATE, "ended": {**AGGREGATE, "emit": "final"}},
            "outputs": {**RESULT, "more": {"input": "ended", "to": {"topic": "o"}}},
        },
        NEW,
    ),
    (
        "inputs of a union in another order",
        {"steps": {"both": {"op": "union", "inputs": ["s", "r"]}, "step": {**AGGREGATE, "input": "both"}}},
        {"steps": {"both": {"op": "union", "inputs": ["r", "s"]}, "step": {**AGGREGATE, "input": "both"}}},
        NEW,
    ),
)


def _listed(names: Any) -> list[str]:
    return names if isinstance(names, list) else [names]


SUMS = {**AGGREGATE, "measures": {"n": "count()", "total": "sum(x)"}}


def shown(*measures: str, emit: str = "update") -> Steps:
    fields = ["window_start", "window_end", "k", *measures]
    return {"sums": {**SUMS, "emit": emit}, "step": {"op": "select", "input": "sums", "fields": fields}}


@pytest.mark.parametrize(
    ("old", "new"), [(("n",), ("n", "total")), (("n",), ("total",)), (("n", "total"), ("n",))]
)
def test_a_measure_that_nothing_read_has_no_past(old: tuple[str, ...], new: tuple[str, ...]) -> None:
    assert diff(plan_of(shown(*old)), plan_of(shown(*new))).outcome == SAME, "it begins empty"
    verdict = diff(plan_of(shown(*old)), plan_of(shown(*new)), adapts=False)
    assert verdict.outcome == NEW
    (reason,) = [change.sentence for change in verdict.changes if change.breaks_state]
    assert reason == "The measures of sums that other steps use changed. State exists only for used measures."
    assert diff(plan_of(shown(*old)), plan_of(shown(*reversed(old)))).outcome == SAME


def plan_of(steps: Steps, outputs: Steps | None = None) -> Plan:
    read = {
        name
        for step in steps.values()
        for part in ("input", "left", "right", "inputs")
        for name in _listed(step.get(part))
    }
    sources: Steps = {name: {"stream": name} for name in sorted(read & {"s", "r"})}
    if any(step["op"] == "table_join" for step in steps.values()):
        sources["t"] = {"table": "t"}
    shown = outputs or {"out": {"input": list(steps)[-1], "to": "result"}}
    plan = plan_job(
        {"format": 1, "name": "job", "sources": sources, "steps": steps, "outputs": shown}, CATALOG
    )
    assert plan.ok, plan.problems
    return plan


@pytest.mark.parametrize(
    ("title", "step", "edit", "outcome", "sentence"), EDITS, ids=[row[0] for row in EDITS]
)
def test_every_edit_of_a_step_is_judged_rightly(
    title: str, step: Steps, edit: Steps, outcome: str, sentence: str
) -> None:
    verdict = diff(plan_of({"step": step}), plan_of({"step": {**step, **edit}}))
    assert verdict.outcome == outcome
    assert any(sentence in change.sentence for change in verdict.changes), [
        change.sentence for change in verdict.changes
    ]
    assert any(change.breaks_state for change in verdict.changes) == (outcome == NEW)


@pytest.mark.parametrize(
    ("title", "old", "new", "outcome"), OUTPUT_EDITS, ids=[row[0] for row in OUTPUT_EDITS]
)
def test_every_edit_around_a_step_is_judged_rightly(title: str, old: Steps, new: Steps, outcome: str) -> None:
    verdict = diff(plan_of(**old), plan_of(**new))
    assert verdict.outcome == outcome
    assert any(change.breaks_state for change in verdict.changes) == (outcome == NEW)


@pytest.mark.parametrize(
    ("key", "edit"),
    [
        ("emit", OUTPUT_EDITS[1]),
        ("emit", OUTPUT_EDITS[2]),
        ("time", OUTPUT_EDITS[3]),
        ("time", OUTPUT_EDITS[6]),
    ],
    ids=lambda given: given if isinstance(given, str) else given[0],
)
def test_the_parameter_that_breaks_state_is_named(key: str, edit: tuple[str, Steps, Steps, str]) -> None:
    _, old, new, _ = edit
    breaking = [change for change in diff(plan_of(**old), plan_of(**new)).changes if change.breaks_state]
    assert [change.path[-1] for change in breaking] == [key]


def test_a_part_of_the_meaning_that_comes_or_goes_breaks_the_state() -> None:
    """Going ended in an error, and coming was told as harmless."""
    without = {"op": "latest", "input": "s", "by": ["k"]}
    old, new = plan_of({"step": without}), plan_of({"step": {**without, "ttl": "1d"}})
    for pair in ((old, new), (new, old)):
        verdict = diff(*pair)
        assert verdict.outcome == NEW
        assert [change.path for change in verdict.changes if change.breaks_state] == [
            ("steps", "step", "ttl")
        ]
