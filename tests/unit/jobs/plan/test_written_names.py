"""An output under other names: every problem at once and where it stands, and nothing of it in the state."""

from typing import Any

import pytest

from jobs.plan import Plan, diff
from jobs.plan.render import render
from tests.support.plan_helpers import only, planned

ROWS = {"op": "select", "input": "s", "fields": {"k": "k", "n": "x"}}


def written(
    names: Any, form: str = "json", reference: str = "rows", steps: dict[str, Any] | None = None
) -> Plan:
    target = {"topic": "t", "format": form, "names": names}
    outputs = {"live": {"input": reference, "to": "result"}, "out": {"input": reference, "to": target}}
    return planned({"rows": ROWS, **(steps or {})}, outputs=outputs)


def test_names_reach_the_plan_and_the_document_keeps_its_form() -> None:
    plan = written({"k": "user-id", "n": ["total", "count"]})
    assert plan.ok, plan.problems
    assert [dict(sink.names) for sink in plan.sinks] == [{}, {"k": ("user-id",), "n": ("total", "count")}]
    assert plan.document is not None
    assert plan.document.as_json()["outputs"]["out"]["to"]["names"] == {
        "k": "user-id",
        "n": ["total", "count"],
    }


def test_a_name_of_its_own_says_nothing() -> None:
    assert [sink.names for sink in written({"k": "k", "n": ["n"]}).sinks] == [{}, {}]


@pytest.mark.parametrize(
    ("names", "form", "code", "field", "hint"),
    [
        ({"kk": "x"}, "json", "FIELD_UNKNOWN", "kk", "k"),
        ({"k": "n"}, "json", "NAME_TAKEN", "k", "another name"),
        ({"k": ["n", "inner"]}, "json", "NAME_TAKEN", "k", "another path"),
        ({"k": "x", "n": ["x", "y"]}, "json", "NAME_TAKEN", "n", "another path"),
        ({"k": "user-id"}, "avro", "NAME_INVALID", "k", "use JSON"),
        ({"k": ["user", "first name"]}, "avro", "NAME_INVALID", "k", "use JSON"),
        ({"k": ""}, "avro", "NAME_INVALID", "k", "use JSON"),
    ],
)
def test_what_cannot_be_written(names: Any, form: str, code: str, field: str, hint: str) -> None:
    found = only(written(names, form))
    assert (found.code, found.path) == (code, ("outputs", "out", "to", "names", field))
    assert hint in found.hint


@pytest.mark.parametrize("given", [5, [], [1], {"a": "b"}, "x" * 300])
def test_what_is_no_name(given: Any) -> None:
    found = only(written({"k": given}))
    assert (found.code, found.path) == ("PARAMETER_RANGE", ("outputs", "out", "to", "names", "k"))


def test_all_problems_come_at_once() -> None:
    problems = written({"k": "a-b", "n": "c d", "nobody": "x"}, "avro").problems
    assert {(found.code, found.path[-1]) for found in problems} == {
        ("NAME_INVALID", "k"),
        ("NAME_INVALID", "n"),
        ("FIELD_UNKNOWN", "nobody"),
    }


def test_objects_whose_names_are_too_long_for_avro() -> None:
    deep = ["x" * 200, "y" * 100, "z"]
    assert written({"k": deep}).ok
    assert only(written({"k": deep}, "avro")).code == "NAME_INVALID"


def test_names_may_begin_with_what_jobs_keep_for_themselves() -> None:
    assert written({"k": "_id", "n": "_time"}).ok
    assert written({"k": "_id", "n": "_time"}, "avro").ok


def test_of_a_step_with_an_error_only_what_is_known_is_said() -> None:
    broken = {"more": {"op": "derive", "input": "rows", "fields": {"z": "nothing + 1"}}}
    plan = written({"z": "x", "k": "k-1"}, reference="more", steps=broken)
    assert [found.path[:2] for found in plan.problems] == [("steps", "more")]


def test_other_names_keep_the_state() -> None:
    changed = diff(written({}), written({"k": "user-id"}))
    assert changed.same_state
    (change,) = changed.changes
    assert change.path == ("outputs", "out", "to")
    assert "k as user-id" in change.sentence


def test_a_script_writes_the_same_names() -> None:
    text = render(written({"k": "user-id", "n": ["total", "count"]})).text
    assert "selectExpr('`k`', \"named_struct('count', `n`)\").toDF('user-id', 'total')" in text
    assert "'live': rows_of_rows.selectExpr('`k`', '`n`')," in text


def test_a_script_cannot_write_its_own_mark() -> None:
    (refusal,) = render(written({"k": "_deleted"})).refusals
    assert "_deleted" in refusal
