"""What a play gave against what a test expects."""

from typing import Any

import pytest

from jobs.formats.contract import StreamContract
from jobs.job_tests.capture import MAX_CAPTURED_ROWS, TooManyRowsError, captured_expectation
from jobs.job_tests.check import check_test
from jobs.job_tests.compare import compare
from jobs.job_tests.divergence import first_divergence, step_digests
from jobs.job_tests.document import parse_test
from jobs.job_tests.playable import PlayableTest, judge, playable
from jobs.job_tests.results import Divergence, JobTestResult
from jobs.plan import Plan, plan_job
from jobs.play import PlayedBatch, PlayedRow, PlayedRows, PlayedSource, PlayProblem, PlayResult

CONTRACTS = {
    "s": StreamContract.model_validate(
        {"fields": [{"name": "k", "type": "string"}, {"name": "x", "type": "double"}], "delay": "0s"}
    )
}
DOCUMENT = {
    "format": 1,
    "name": "sums",
    "sources": {"s": {"stream": "s"}},
    "steps": {
        "big": {"op": "filter", "input": "s", "where": "x > 0"},
        "sums": {
            "op": "aggregate",
            "input": "big",
            "window": {"tumbling": {"size": "10s"}},
            "by": ["k"],
            "measures": {"total": "sum(x)", "n": "count()"},
        },
    },
    "outputs": {"out": {"input": "sums", "to": "result"}},
}
PLAN = plan_job(DOCUMENT, CONTRACTS)
Z = "2026-01-01T10:00:0{}.000000Z"


def result_row(k: str, total: float | None, n: int = 1, start: int = 0) -> PlayedRow:
    window = [f"2026-01-01T10:00:{start:02}.000000Z", f"2026-01-01T10:00:{start + 10:02}.000000Z"]
    key = f'["{window[0]}","{window[1]}","{k}"]'
    value = {"window_start": window[0], "window_end": window[1], "k": k, "total": total, "n": n}
    return PlayedRow(key=key, value=None if total is None else value, at_us=1)


def gave(*rows: PlayedRow, truncated: bool = False, **more: Any) -> PlayedBatch:
    shown = PlayedRows(rows=len(rows), first=rows, truncated=truncated)
    return PlayedBatch(outputs={"out": shown}, steps={"sums": shown}, **more)


def judged(
    played: list[PlayedBatch], at_end: dict[str, Any], *by_batch: dict[str, Any], plan: Plan = PLAN
) -> JobTestResult:
    steps = [{"expect": expect} for expect in by_batch]
    document = {
        "format": 1,
        "name": "t",
        "start": "2026-01-01T10:00:00Z",
        "batches": [*steps, *[{}] * (len(played) - len(steps))],
        "expect": at_end,
    }
    parsed = parse_test(document)
    assert parsed.test is not None, parsed.problems
    assert check_test(parsed.test, plan).problems == ()
    return compare(parsed.test, plan, PlayResult(batches=tuple(played)))


def out(**said: Any) -> dict[str, Any]:
    return {"outputs": {"out": said}}


def kinds(result: JobTestResult) -> list[str]:
    return [found.kind for found in result.differences]


A, B = result_row("a", 1.5), result_row("b", 2.5)


def test_rows_in_any_order_without_fields_that_are_left_out() -> None:
    assert PLAN.ok
    assert judged([gave(A, B)], out(rows=[{"k": "b", "total": 2.5}, {"k": "a"}])).status == "passed"


def test_times_are_durations_after_the_start_or_instants() -> None:
    expected = [{"window_start": "0s", "window_end": "2026-01-01T10:00:10Z", "k": "a"}]
    assert judged([gave(A)], out(rows=expected)).status == "passed"
    wrong = judged([gave(A)], out(rows=[{"k": "a", "window_start": "1s"}]))
    assert kinds(wrong) == ["missing", "unexpected"]  # another window is another row


def test_a_missing_an_unexpected_and_a_differing_row() -> None:
    c = result_row("c", 9.0)
    result = judged(
        [gave(A, B, c)],
        out(
            rows=[
                {"k": "a", "total": 1.0, "n": 1},
                {"window_start": "0s", "window_end": "10s", "k": "z"},
                {"k": "b"},
            ]
        ),
    )
    assert result.status == "failed"
    assert kinds(result) == ["differs", "missing", "unexpected"]
    differs, missing, unexpected = result.differences
    assert [(field.field, field.expected, field.got) for field in differs.fields] == [("total", 1.0, 1.5)]
    assert differs.path == ("expect", "outputs", "out", "rows", "0")
    assert missing.expected == {"window_start": "0s", "window_end": "10s", "k": "z"}
    assert missing.got is None
    assert unexpected.got == c.value
    assert unexpected.batch is None


def test_rows_of_another_identity_are_not_the_same_row() -> None:
    expected = {"window_start": "0s", "window_end": "10s", "k": "b", "total": 1.5, "n": 1}
    assert kinds(judged([gave(A)], out(rows=[expected]))) == ["missing", "unexpected"]


def test_at_the_end_the_newest_row_of_an_identity_counts() -> None:
    played = [gave(A), gave(result_row("a", 3.0)), gave(B), gave(result_row("b", None))]
    assert judged(played, out(rows=[{"k": "a", "total": 3.0}])).status == "passed"


def test_of_a_batch_what_it_gave_counts() -> None:
    played = [gave(A), gave(result_row("a", None))]
    given = judged(played, {}, out(rows=[{"k": "a"}]), out(rows=[{"k": "a", "_deleted": True}]))
    assert given.status == "passed"
    refused = judged(played, {}, out(rows=[{"k": "a", "_deleted": True}]), out(rows=[{"k": "a"}]))
    assert kinds(refused) == ["missing", "unexpected"] * 2
    assert [found.batch for found in refused.differences] == [0, 0, 1, 1]
    assert refused.differences[0].path == ("batches", "0", "expect", "outputs", "out", "rows", "0")


def test_contains_leaves_others_alone_and_absent_forbids() -> None:
    assert judged([gave(A, B)], out(contains=[{"k": "b"}])).status == "passed"
    assert kinds(judged([gave(A, B)], out(contains=[{"k": "c"}]))) == ["missing"]
    assert judged([gave(A, B)], out(absent=[{"k": "c"}])).status == "passed"
    forbidden = judged([gave(A, B)], out(absent=[{"k": "b"}]))
    assert kinds(forbidden) == ["forbidden"]
    assert forbidden.differences[0].got == B.value


def test_no_rows_at_all_can_be_expected() -> None:
    assert judged([gave()], out(rows=[])).status == "passed"
    assert kinds(judged([gave(A)], out(rows=[]))) == ["unexpected"]


def test_strict_rows_have_no_other_fields() -> None:
    whole = {"window_start": "0s", "window_end": "10s", "k": "a", "total": 1.5, "n": 1}
    assert judged([gave(A)], out(rows=[whole], strict=True)).status == "passed"
    assert kinds(judged([gave(A)], out(rows=[{"k": "a"}], strict=True))) == ["differs"]


def test_doubles_differ_by_less_than_the_tolerance() -> None:
    assert judged([gave(result_row("a", 0.1 + 0.2))], out(rows=[{"total": 0.3}])).status == "passed"
    assert judged([gave(result_row("a", 0.30001))], out(rows=[{"total": 0.3}])).status == "failed"


def test_a_count_is_no_text_and_no_boolean() -> None:
    for value in ("1", True, 1.5, None):
        assert judged([gave(A)], out(rows=[{"n": value}])).status == "failed", value


def test_rows_that_are_not_all_known_are_no_pass() -> None:
    assert kinds(judged([gave(A, truncated=True)], out(rows=[{"k": "a"}]))) == ["incomplete"]


def test_more_rows_than_can_be_compared_are_no_pass() -> None:
    rows = [result_row(str(number), 1.0) for number in range(1_001)]
    assert kinds(judged([gave(*rows)], out(contains=[{"n": 1}] * 1_000))) == ["incomplete"]


def test_steps_are_looked_at_too() -> None:
    assert judged([gave(A)], {"steps": {"sums": {"rows": [{"k": "a"}]}}}).status == "passed"
    assert kinds(judged([gave(A)], {"steps": {"big": {"contains": [{"k": "a"}]}}})) == ["missing"]


COUNTED = gave(
    late=3,
    late_by_step={"sums": 2},
    nulls={"big": 1},
    keyless={"sums": 4},
    sources={"s": PlayedSource(records=9, malformed={"NOT_JSON": 1, "FIELD_TYPE": 1})},
)


@pytest.mark.parametrize(
    ("expect", "passes"),
    [
        ({"malformed": {"s": 2}, "errors": {"big": 1}, "keyless": {"sums": 4}}, True),
        ({"malformed": {"s": 1}}, False),
        ({"errors": {"big": 0}}, False),
        ({"keyless": {"sums": 0}}, False),
        ({"late": 3}, True),
        ({"late": 5}, True),  # Spark may count fewer than there are
        ({"late": 2}, False),
        ({"late": 0}, False),
        ({"late_by_step": {"sums": 2}}, True),
        ({"late_by_step": {"sums": 2, "big": 1}}, True),  # of which step the third late row is isn't known
        ({"late_by_step": {"sums": 1}}, False),
        ({"late_by_step": {"sums": 0}}, False),
    ],
)
def test_counts(expect: dict[str, Any], passes: bool) -> None:
    assert (judged([COUNTED], expect).status == "passed") is passes
    assert (judged([COUNTED], {}, expect).status == "passed") is passes


def test_late_rows_that_are_expected_and_do_not_come() -> None:
    result = judged([gave()], {"late": 1, "late_by_step": {"sums": 1}})
    assert [found.path for found in result.differences] == [
        ("expect", "late"),
        ("expect", "late_by_step", "sums"),
    ]


def test_a_play_that_did_not_end_is_an_error() -> None:
    parsed = parse_test({"format": 1, "name": "t", "batches": [{}]})
    assert parsed.test is not None
    played = PlayResult(problem=PlayProblem(code="TIMED_OUT", message="It took too long."))
    assert compare(parsed.test, PLAN, played).as_json()["status"] == "error"


INCOMPATIBLE = [
    ({"outputs": {"other": {}}}, ("expect", "outputs", "other")),
    ({"steps": {"other": {}}}, ("expect", "steps", "other")),
    ({"outputs": {"out": {"rows": [{}, {"y": 1}]}}}, ("expect", "outputs", "out", "rows", "1", "y")),
    ({"steps": {"sums": {"absent": [{"x": 1}]}}}, ("expect", "steps", "sums", "absent", "0", "x")),
    ({"malformed": {"sums": 1}}, ("expect", "malformed", "sums")),
    ({"errors": {"s": 1}}, ("expect", "errors", "s")),
    ({"late_by_step": {"s": 1}}, ("expect", "late_by_step", "s")),
    ({"keyless": {"z": 1}}, ("expect", "keyless", "z")),
]


@pytest.mark.parametrize(("expect", "path"), INCOMPATIBLE, ids=lambda part: str(part)[:50])
def test_an_expectation_of_what_the_job_does_not_have(expect: dict[str, Any], path: tuple[str, ...]) -> None:
    found = playable({"format": 1, "name": "t", "batches": [{}], "expect": expect}, PLAN, CONTRACTS)
    assert isinstance(found, tuple)
    assert [problem.path for problem in found] == [path]


def played_test(plan: Plan = PLAN) -> PlayableTest:
    document = {"format": 1, "name": "t", "batches": [{}, {}], "expect": out(rows=[{"k": "a", "total": 1.5}])}
    found = playable(document, plan, CONTRACTS)
    assert isinstance(found, PlayableTest)
    return found


def of_steps(**rows: PlayedRow) -> PlayedBatch:
    shown = {name: PlayedRows(rows=1, first=(row,)) for name, row in rows.items()}
    return PlayedBatch(steps=shown, outputs={"out": shown["sums"]} if "sums" in shown else {})


def test_the_first_step_that_went_another_way_is_found() -> None:
    before = [of_steps(s=A, big=A), of_steps(s=B, big=B, sums=A)]
    first = judge(played_test(), PlayResult(batches=tuple(before)), None)
    assert first.result.status == "passed"
    now = [of_steps(s=A, big=A), of_steps(s=B, big=A, sums=B)]
    second = judge(played_test(), PlayResult(batches=tuple(now)), first.digests)
    assert second.result.status == "failed"
    assert second.result.diverged == Divergence(step="big", batch=1)


def test_order_inside_a_batch_is_no_divergence() -> None:
    before = step_digests(PlayResult(batches=(gave(A, B),)))
    assert first_divergence(PLAN, before, step_digests(PlayResult(batches=(gave(B, A),)))) is None
    assert first_divergence(PLAN, before, step_digests(PlayResult(batches=(gave(A),)))) is not None


def test_what_came_can_be_accepted() -> None:
    played = [gave(A, B, late=1, nulls={"big": 2}, keyless={"sums": 1}), gave(result_row("b", None))]
    expect = captured_expectation(PLAN, PlayResult(batches=tuple(played)))
    assert expect == {
        "outputs": {"out": {"rows": [A.value]}},
        "errors": {"big": 2},
        "keyless": {"sums": 1},
        "late": 1,
    }
    assert judged(played, expect).status == "passed"


def named(**names: str | list[str]) -> Plan:
    """The job with an output whose fields are written under these names."""
    outputs = {
        "live": {"input": "sums", "to": "result"},
        "out": {"input": "sums", "to": {"topic": "t", "names": names}},
    }
    made = plan_job({**DOCUMENT, "outputs": outputs}, CONTRACTS)
    assert made.ok, made.problems
    return made


def written(**members: Any) -> PlayedRow:
    return PlayedRow(key=A.key, value=members, at_us=1)


def test_a_deleted_row_is_named_by_its_key_as_it_is_written() -> None:
    plan = named(k="user-id", window_end=["window", "end"], window_start="from")
    gone = {"user-id": "a", "from": "0s", "window": {"end": "2026-01-01T10:00:10.000000Z"}}
    deleted = gave(result_row("a", None))
    expected = out(rows=[{**gone, "_deleted": True}], strict=True)
    assert judged([deleted], {}, expected, plan=plan).status == "passed"
    refused = judged([deleted], {}, out(rows=[{**gone, "user-id": "b", "_deleted": True}]), plan=plan)
    assert kinds(refused) == ["missing", "unexpected"]  # another key is another row
    assert refused.differences[1].got == {
        "user-id": "a",
        "from": Z.format(0),
        "window": {"end": "2026-01-01T10:00:10.000000Z"},
        "_deleted": True,
    }


@pytest.mark.parametrize(
    ("wanted", "passes"),
    [
        ({"window_end": "10s"}, True),  # a time, as a duration after the start
        ({"window_end": "2026-01-01T10:00:10Z"}, True),
        ({"window_end": "11s"}, False),
        ({"total": 1.5 + 1e-12}, True),  # a double, within the tolerance
        ({"total": 2.5}, False),
        ({"total": None}, False),
        ({"n": 1}, True),
        ({"n": 1.5}, False),
    ],
)
def test_what_is_written_inside_an_object_is_compared_by_its_type(
    wanted: dict[str, Any], passes: bool
) -> None:
    """As where it is a member of its own."""
    (name,) = wanted
    flat, nested = named(), named(**{name: ["made", "inner", name]})
    (value,) = [row.value for row in gave(A).outputs["out"].first]
    assert value is not None
    inside = {key: of for key, of in value.items() if key != name} | {"made": {"inner": {name: value[name]}}}
    for plan, given, expected in ((flat, value, wanted), (nested, inside, {"made": {"inner": wanted}})):
        played = [gave(written(**given))]
        statuses = [
            judged(played, {}, out(rows=[expected]), plan=plan).status,
            judged(played, {}, out(absent=[expected]), plan=plan).status,
        ]
        assert statuses == (["passed", "failed"] if passes else ["failed", "passed"])


def test_members_that_are_not_written_are_told_also_beside_nested_ones() -> None:
    plan = named(k="user-id", window_end=["window", "end"])
    expect = out(rows=[{"user-id": "a", "window": {}, "k": "a"}])
    found = playable({"format": 1, "name": "t", "batches": [{}], "expect": expect}, plan, CONTRACTS)
    assert isinstance(found, tuple)
    assert [problem.path for problem in found] == [("expect", "outputs", "out", "rows", "0", "k")]


def test_what_is_written_under_the_names_of_a_tests_own_members_is_compared() -> None:
    plan = named(k="_id", window_start="_time", window_end="_deleted")
    row = written(_id="a", _time=Z.format(0), _deleted="2026-01-01T10:00:10.000000Z", total=1.5, n=1)
    expected = {"_id": "a", "_time": "0s", "_deleted": "10s", "total": 1.5, "n": 1}
    assert judged([gave(row)], out(rows=[expected], strict=True), plan=plan).status == "passed"
    for name, value in (("_id", "b"), ("_time", "1s"), ("_deleted", "9s")):
        wrong = judged([gave(row)], out(rows=[{**expected, name: value}]), plan=plan)
        assert wrong.status == "failed", name
        assert wrong.differences[-1].got == row.value
    accepted = captured_expectation(plan, PlayResult(batches=(gave(row),)))
    assert accepted["outputs"]["out"] == {"rows": [row.value]}
    assert judged([gave(row)], accepted, plan=plan).status == "passed"


def test_a_written_flag_is_no_deletion_and_a_deletion_still_has_to_be_named() -> None:
    plan = named(n="_deleted", total="_id")
    row = written(k="a", _deleted=1, _id=1.5)
    assert judged([gave(row)], out(rows=[{"k": "a", "_deleted": 1}]), plan=plan).status == "passed"
    assert judged([gave(row)], out(rows=[{"k": "a"}]), plan=plan).status == "passed"
    assert kinds(judged([gave(row)], out(rows=[{"k": "a", "_deleted": 2}]), plan=plan)) == ["differs"]
    gone = gave(result_row("a", None))
    assert judged([gone], {}, out(rows=[{"k": "a", "_deleted": True}]), plan=plan).status == "passed"
    refused = judged([gone], {}, out(rows=[{"k": "a"}]), plan=plan)
    assert kinds(refused) == ["missing", "unexpected"]
    assert "_id" not in (refused.differences[1].got or {})


def test_nobody_looks_at_thousands_of_rows() -> None:
    rows = [result_row(str(number), 1.0) for number in range(MAX_CAPTURED_ROWS + 1)]
    with pytest.raises(TooManyRowsError):
        captured_expectation(PLAN, PlayResult(batches=(gave(*rows),)))


RANKS = StreamContract.model_validate(
    {
        "kind": "table",
        "key": ["k"],
        "fields": [{"name": "k", "type": "string"}, {"name": "rank", "type": "long"}],
    }
)


@pytest.mark.parametrize(
    ("expect", "path"),
    [
        ({"steps": {"ranks": {"absent": [{"k": "a"}]}}}, ("steps", "ranks")),
        ({"steps": {"doubled": {"rows": []}}}, ("steps", "doubled")),
        ({"errors": {"doubled": 0}}, ("errors", "doubled")),
    ],
)
def test_nothing_is_expected_of_rows_that_a_play_does_not_see(
    expect: dict[str, Any], path: tuple[str, ...]
) -> None:
    """It would be green or red whatever the table has."""
    plan = plan_job(
        {
            "format": 1,
            "name": "ranked",
            "sources": {"s": {"stream": "s"}, "ranks": {"table": "ranks"}},
            "steps": {
                "doubled": {"op": "derive", "input": "ranks", "fields": {"twice": "rank * 2"}},
                "ranked": {
                    "op": "table_join",
                    "input": "s",
                    "table": "doubled",
                    "on": {"k": "k"},
                    "prefix": "t_",
                    "broadcast": {},
                },
            },
            "outputs": {"out": {"input": "ranked", "to": "result"}},
        },
        {"s": CONTRACTS["s"], "ranks": RANKS},
    )
    assert plan.problems == ()

    def problems(expect: dict[str, Any]) -> list[tuple[str, ...]]:
        document = {"format": 1, "name": "t", "start": Z.format(0), "batches": [{}], "expect": expect}
        test = parse_test(document).test
        assert test is not None
        return [found.path for found in check_test(test, plan).problems]

    assert [found[-2:] for found in problems(expect)] == [path]
    assert problems({"malformed": {"ranks": 1}, "steps": {"ranked": {"rows": []}}}) == []
