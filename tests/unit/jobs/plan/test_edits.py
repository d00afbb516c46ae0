"""Twenty edits of a running job and what each does to its state, with the sentence that the user reads.

The first three are those that Spark itself accepts on the old checkpoint and then answers wrongly.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest

from jobs.plan import Plan, diff, plan_job
from tests.support.plan_helpers import contract

RUNNING: dict[str, Any] = {
    "format": 1,
    "name": "shop",
    "sources": {"s": {"stream": "s"}, "clicks": {"stream": "clicks"}},
    "steps": {
        "kept": {"op": "filter", "input": "s", "where": "x > 0"},
        "more": {"op": "derive", "input": "kept", "fields": {"twice": "x * 2", "loud": "upper(k)"}},
        "stats": {
            "op": "aggregate",
            "input": "more",
            "window": {"hopping": {"size": "5s", "advance": "1s"}},
            "grace": "2s",
            "by": ["k"],
            "measures": {"n": "count()", "total": "sum(twice)"},
            "emit": "update",
        },
        "shown": {"op": "derive", "input": "stats", "fields": {"mean": "total / n"}},
    },
    "outputs": {"live": {"input": "shown", "to": "result"}},
}


def running() -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(RUNNING))
    del copy["sources"]["clicks"]
    return copy


def setting(path: str, value: Any) -> Callable[[], dict[str, Any]]:
    """An edit of one place; a value of None takes it out."""

    def edit() -> dict[str, Any]:
        changed = running()
        *above, last = path.split(".")
        inside = changed
        for part in above:
            inside = inside.setdefault(part, {})
        if value is None:
            del inside[last]
        else:
            inside[last] = value
        return changed

    return edit


def without_filter() -> dict[str, Any]:
    changed = running()
    del changed["steps"]["kept"]
    changed["steps"]["more"]["input"] = "s"
    return changed


def other_name_of_a_step() -> dict[str, Any]:
    changed = running()
    changed["steps"] = {
        ("sums" if name == "stats" else name): step for name, step in changed["steps"].items()
    }
    changed["steps"]["shown"]["input"] = "sums"
    return changed


def other_name_and_input(source: str, stream: str) -> Callable[[], dict[str, Any]]:
    """An edit that renames a step and has it read another source."""

    def edit() -> dict[str, Any]:
        changed = running()
        changed["sources"][source] = {"stream": stream}
        changed["steps"] = {"only": changed["steps"].pop("kept") | {"input": source}, **changed["steps"]}
        changed["steps"]["more"]["input"] = "only"
        return changed

    return edit


def cyclic() -> dict[str, Any]:
    changed = running()
    changed["steps"]["kept"]["input"] = "more"
    return changed


SAME, NEW, ILLEGAL = "same_state", "new_generation", "illegal"

EDITS: tuple[tuple[str, Callable[[], dict[str, Any]], str, str], ...] = (
    (
        "window 5 s to 10 s",
        setting("steps.stats.window.hopping.size", "10s"),
        NEW,
        "stats: window 5 s every 1 s → 10 s every 1 s.",
    ),
    ("count to sum", setting("steps.stats.measures.n", "sum(twice)"), SAME, "stats: n count() → sum(twice)."),
    ("count to max", setting("steps.stats.measures.n", "max(big)"), SAME, "stats: n count() → max(big)."),
    (
        "kind of window",
        setting("steps.stats.window", {"tumbling": {"size": "1m30s"}}),
        NEW,
        "stats: window hopping 5 s every 1 s → tumbling 1 min 30 s.",
    ),
    ("grace", setting("steps.stats.grace", "1m"), NEW, "stats: grace 2 s → 1 min."),
    ("one key more", setting("steps.stats.by", ["k", "id"]), NEW, "stats: added group key id."),
    (
        "another key",
        setting("steps.stats.by", ["id"]),
        NEW,
        "stats: added group key id, removed group key k.",
    ),
    ("one measure more", setting("steps.stats.measures.most", "max(x)"), SAME, "stats: most added: max(x)."),
    (
        "what a measure reads, further up",
        setting("steps.more.fields.twice", "x * 3"),
        SAME,
        "more: twice x * 2 → x * 3.",
    ),
    ("delay of the source", setting("sources.s.delay", "1h"), NEW, "s: delay added: 1 h."),
    ("another stream", setting("sources.s.stream", "t"), NEW, "s: stream s → t."),
    ("final results", setting("steps.stats.emit", "final"), NEW, "stats: emit update → final."),
    ("watermark of the fastest", setting("settings.watermark", "max"), NEW, "settings: watermark min → max."),
    ("the filter's condition", setting("steps.kept.where", "x > 5"), SAME, "kept: where x > 0 → x > 5."),
    ("no filter", without_filter, SAME, "Step kept removed."),
    (
        "a field that no state reads",
        setting("steps.more.fields.loud", "lower(k)"),
        SAME,
        "more: loud upper(k) → lower(k).",
    ),
    (
        "a step behind the state",
        setting("steps.shown.fields.mean", "n / total"),
        SAME,
        "shown: mean total / n → n / total.",
    ),
    ("another name of a step", other_name_of_a_step, SAME, "Step stats renamed to sums."),
    ("another name and input of a step", other_name_and_input("t", "t"), NEW, "only: input s → t."),
    ("the trigger", setting("settings.trigger", "1500ms"), SAME, "settings: trigger 1 s → 1 s 500 ms."),
    (
        "a key that is not there",
        setting("steps.stats.by", ["colour"]),
        ILLEGAL,
        "stats: added group key colour, removed group key k.",
    ),
    (
        "a window shorter than its advance",
        setting("steps.stats.window.hopping.advance", "9s"),
        ILLEGAL,
        "every 1 s → 5 s every 9 s",
    ),
    ("steps in a circle", cyclic, ILLEGAL, "kept: input s → more."),
)


def plan_of(document: dict[str, Any]) -> Plan:
    return plan_job(document, {"s": contract(), "t": contract()})


@pytest.mark.parametrize(("title", "edit", "outcome", "sentence"), EDITS, ids=[row[0] for row in EDITS])
def test_every_edit_is_judged_rightly(
    title: str, edit: Callable[[], dict[str, Any]], outcome: str, sentence: str
) -> None:
    old = plan_of(running())
    assert old.ok, old.problems
    verdict = diff(old, plan_of(edit()))
    assert verdict.outcome == outcome
    said = [change for change in verdict.changes if sentence in change.sentence]
    assert said, [change.sentence for change in verdict.changes]
    assert any(change.breaks_state for change in verdict.changes) == (outcome == NEW)
    assert said[0].breaks_state == (outcome == NEW), "the edit itself is named as the reason"


def test_a_renamed_step_that_reads_a_renamed_one_is_only_renamed() -> None:
    changed = running()
    names = {"kept": "only", "more": "wide", "stats": "sums"}
    changed["steps"] = {names.get(name, name): step for name, step in changed["steps"].items()}
    for step in changed["steps"].values():
        step["input"] = names.get(step["input"], step["input"])
    assert [change.sentence for change in diff(plan_of(running()), plan_of(changed)).changes] == [
        "Step kept renamed to only.",
        "Step more renamed to wide.",
        "Step stats renamed to sums.",
        "shown: input stats → sums.",
    ]


def test_another_input_of_a_renamed_step_is_a_reason_only_where_state_depends_on_it() -> None:
    changed = running()
    changed["steps"]["stats"]["grace"] = "1m"
    changed["steps"]["mean"] = {**changed["steps"].pop("shown"), "input": "more"}
    changed["steps"]["mean"]["fields"] = {"mean": "total / n"}
    changed["outputs"]["live"]["input"] = "mean"
    changed["steps"]["more"]["fields"] |= {"total": "x", "n": "x"}
    verdict = diff(plan_of(running()), plan_of(changed))
    reasons = {change.sentence: change.breaks_state for change in verdict.changes}
    assert verdict.outcome == NEW
    assert not reasons["mean: input stats → more."]


def test_no_sentence_shows_a_raw_structure() -> None:
    for _, edit, _, _ in EDITS:
        for change in diff(plan_of(running()), plan_of(edit())).changes:
            assert not set("{}[]") & set(change.sentence), change.sentence
            assert "None" not in change.sentence
