"""State goes on with other measures: those that stay are what they are without the edit, new ones are what
they are over the records after it, and windows that were open are marked partial.
"""

import json
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.engine import checkpoints
from jobs.engine.aggregate_layouts import StateLayout, StateLayoutError
from jobs.engine.checkpoints import find_checkpoint, keep_layout, open_checkpoint
from jobs.formats.contract import StreamContract
from jobs.plan import diff, empty_measures, kept_state, plan_job
from tests.oracle.answers import Batch, scripted
from tests.oracle.values import as_json
from tests.support.spark_document import Contents, SparkDocument

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]

FIELDS = [
    {"name": name, "type": type_, "nullable": True}
    for name, type_ in {
        "k": "string",
        "x": "int",
        "d": "decimal(20,4)",
        "y": "double",
        "f": "boolean",
    }.items()
]
CONTRACTS: dict[str, Any] = {
    **{name: {"fields": FIELDS, "delay": "1s"} for name in ("s", "r")},
    "t": {
        "kind": "table",
        "key": ["k"],
        "fields": [
            {"name": "k", "type": "string", "nullable": False},
            {"name": "v", "type": "int", "nullable": True},
        ],
    },
}
START = 1_767_261_600_000_000
EDITED = 2  # the batch before which the job is edited

Steps = dict[str, Any]
Measures = dict[str, str]

SIMPLE: Measures = {"n": "count()", "total": "sum(x)"}
# One of every kind of state: numbers, decimals, rows, sets, sketches and lists, with conditions.
MANY: Measures = {
    "n": "count()",
    "total": "sum(d)",
    "mean": "avg(x)",
    "least": "min(y)",
    "most": "max(k) where x > 1",
    "earliest": "first(x)",
    "newest": "last(d)",
    "kinds": "distinct(x)",
    "some": "approx_distinct(x)",
    "middle": "approx_percentile(x, 0.5)",
    "spread": "stddev(y)",
    "values": "collect_list(x)",
    "any": "any(f)",
    "where_most": "max_by(k, x)",
}
TUMBLING: Steps = {"op": "aggregate", "input": "s", "window": {"tumbling": {"size": "10s"}}, "by": ["k"]}
FINAL: Steps = {**TUMBLING, "emit": "final"}
HOPPING: Steps = {**FINAL, "window": {"hopping": {"size": "10s", "advance": "5s"}}, "grace": "2s"}
SESSION: Steps = {**FINAL, "window": {"session": {"gap": "5s"}}, "grace": "2s"}
WINDOWLESS: Steps = {"op": "aggregate", "input": "s", "by": ["k"]}


def row(k: str, x: int | None) -> dict[str, Any]:
    if x is None:
        return {"k": k, "x": None, "d": None, "y": None, "f": None}
    return {"k": k, "x": x, "d": f"{x}.2500", "y": x / 3, "f": x > 2}


ROWS: list[list[tuple[int, dict[str, Any]]]] = [
    [(0, row("a", 1)), (1, row("b", 2)), (3, row("a", 3))],
    [(4, row("a", 2)), (5, row("b", None)), (6, row("c", 9))],
    [(6, row("a", 4)), (7, row("b", 1)), (8, row("a", 2))],
    [(9, row("b", 5)), (12, row("a", 6)), (13, row("d", 7))],
    [(31, row("a", 8)), (32, row("d", 1))],
    [(60, row("z", 0))],
    [(61, row("z", 0))],
]  # fmt: skip
BATCHES: list[Batch] = [{"s": [(START + at * 1_000_000, values) for at, values in rows]} for rows in ROWS]


@dataclass(frozen=True)
class Edit:
    """An aggregate, its measures before and after, and those of them that begin empty."""

    title: str
    step: Steps
    old: Measures
    new: Measures
    empty: frozenset[str]
    after: Steps = field(default_factory=dict)  # steps that read it


def edit(title: str, step: Steps, old: Measures, new: Measures) -> Edit:
    known = set(old.values())
    return Edit(title, step, old, new, frozenset(name for name, text in new.items() if text not in known))


def around(measures: Measures) -> Measures:
    """The same in reverse, with a new one before, among and behind them; and one fewer."""
    kept = list(reversed(measures.items()))[:-1]
    half = len(kept) // 2
    return {
        "first_new": "max(x)",
        "new_count": "count(x)",
        **dict(kept[:half]),
        "new_set": "collect_set(k)",
        "new_sum": "sum(d) where x > 1",
        **dict(kept[half:]),
        "new_middle": "percentile(x, 0.5)",
        "new_spread": "stddev(y)",
        "new_some": "approx_distinct(k)",
        "last_new": "last(x)",
    }


EDITS = (
    edit("one in front", TUMBLING, SIMPLE, {"most": "max(x)", **SIMPLE}),
    edit("another definition", TUMBLING, SIMPLE, {"n": "count() where x > 1", "total": "sum(x)"}),
    edit("none of the old ones", TUMBLING, SIMPLE, {"most": "max(x)", "least": "min(x)"}),
    edit("of every kind, updates", TUMBLING, MANY, around(MANY)),
    edit("of every kind, hopping windows with grace", HOPPING, MANY, around(MANY)),
    edit("of every kind, sessions with grace", SESSION, MANY, around(MANY)),
    edit("of every kind, without a window", WINDOWLESS, MANY, around(MANY)),
    edit("every kind is new", FINAL, {"rows": "count(k)"}, {**MANY, "rows": "count(k)"}),
)


def document(step: Steps, measures: Measures, after: Steps | None = None) -> dict[str, Any]:
    steps = {"step": {**step, "measures": measures}, **(after or {})}
    used = ["s", *(["r"] if any("r" in one.values() for one in steps.values()) else [])]
    return {
        "format": 1,
        "name": "edited",
        "sources": {name: {"stream": name} for name in used},
        "steps": steps,
        "outputs": {"out": {"input": list(steps)[-1], "to": "result"}},
    }


def play(
    spark: SparkSession, folder: Path, versions: dict[int, dict[str, Any]], batches: list[Batch]
) -> tuple[dict[str, dict[str, Any]], set[str]]:
    """As `play_outputs`, of the result; its identities are those that any output marks."""
    after, partial = play_outputs(spark, folder, versions, batches)
    return after["out"], {key for _, key in partial}


def play_outputs(
    spark: SparkSession, folder: Path, versions: dict[int, dict[str, Any]], batches: list[Batch]
) -> tuple[Contents, set[tuple[str, str]]]:
    """The outputs after all batches, and the outputs and identities of rows that are marked as partial.

    Args:
        spark: a session.
        folder: new.
        versions: by the batch before which each is started.
        batches: of all.
    """
    contracts = {name: StreamContract.model_validate(one) for name, one in CONTRACTS.items()}
    played = SparkDocument(spark, folder, versions[0], CONTRACTS, restarts=True)
    now = versions[0]
    try:
        for number, batch in enumerate(batches):
            if number > 0 and number in versions:
                assert diff(plan_job(now, contracts), plan_job(versions[number], contracts)).same_state
                now = versions[number]
                played.become(now)
            after = played.batch(batch)
    finally:
        played.stop()
    return after, played.partial


def answer(of: dict[str, Any], batches: list[Batch], output: str = "out") -> dict[str, dict[str, Any]]:
    contents, _ = scripted(json.dumps(of), CONTRACTS, batches)
    return {key: as_json(found) for key, found in contents[-1][output].items()}


def keeps_state(old: dict[str, Any], new: dict[str, Any]) -> bool:
    contracts = {name: StreamContract.model_validate(one) for name, one in CONTRACTS.items()}
    return diff(plan_job(old, contracts), plan_job(new, contracts)).same_state


@pytest.mark.long
@pytest.mark.parametrize("edited", EDITS, ids=[one.title for one in EDITS])
def test_measures_stay_and_begin(spark: SparkSession, tmp_path: Path, edited: Edit) -> None:
    check(spark, tmp_path, edited)


def check(spark: SparkSession, folder: Path, edited: Edit) -> None:
    old, new = (document(edited.step, measures) for measures in (edited.old, edited.new))
    found, partial = play(spark, folder / "played", {0: old, EDITED: new}, BATCHES)
    throughout = answer(new, BATCHES)
    since = answer(new, [*({"s": []} for _ in BATCHES[:EDITED]), *BATCHES[EDITED:]])
    windowed, is_final = "window" in edited.step, edited.step.get("emit") == "final"
    assert found.keys() == throughout.keys()
    updated = [key for key in found if is_final or key in since or window_of(key, since)]
    assert len(updated) > len(found) / 2
    began = {key for key in found if windowed and begun(key)}
    assert partial == {key for key in began & set(updated) if edited.empty}
    nothing = {name: value for name, value in zip(edited.new, empty_values(edited), strict=True)}
    for key in updated:
        whole, later = throughout[key], since.get(key) or window_of(key, since) or nothing
        for name in edited.new:
            expected = later[name] if name in edited.empty else whole[name]
            # Sums of doubles depend on the order in which parts are added.
            near = pytest.approx(expected) if isinstance(expected, float) else expected
            assert found[key][name] == near, (key, name)


def begun(key: str) -> bool:
    """The window of the row began before the edit: its rows, or those of another key, were there."""
    start = json.loads(key)[0]
    return str(start) < "2026-01-01T10:00:07"


def window_of(key: str, since: dict[str, dict[str, Any]]) -> dict[str, Any] | None:
    """Of a session, what the records after the edit make of it: it begins later."""
    start, end, *group = json.loads(key) if key.count(",") > 1 else (None, None)
    if start is None:
        return None
    inside = [
        made
        for other, made in since.items()
        if json.loads(other)[2:] == group and json.loads(other)[1] == end and json.loads(other)[0] >= start
    ]
    return inside[0] if inside else None


def empty_values(edited: Edit) -> list[Any]:
    """What the measures give over no record."""
    kinds = {"count": 0, "collect": [], "distinct": 0, "approx_distinct": 0}
    return [
        next((value for kind, value in kinds.items() if text.startswith(kind)), None)
        for text in edited.new.values()
    ]


CHAINED: Steps = {
    "op": "aggregate",
    "input": "step",
    "window": {"tumbling": {"size": "30s"}},
    "by": ["k"],
    "measures": {"sums": "sum(total)", "windows": "count()"},
    "emit": "final",
}


def chain(measures: Measures, **more: str) -> dict[str, Any]:
    later = {**CHAINED, "measures": {**more, **CHAINED["measures"]}}
    return document(FINAL, measures, {"later": later})


def test_a_later_aggregate_keeps_its_state(spark: SparkSession, tmp_path: Path) -> None:
    old, new = chain(SIMPLE), chain({"total": "sum(x)", "most": "max(x)"}, least="min(total)")
    found, partial = play(spark, tmp_path / "played", {0: old, EDITED: new}, BATCHES)
    expected = answer(new, BATCHES)
    assert {key: row["sums"] for key, row in found.items()} == {
        key: row["sums"] for key, row in expected.items()
    }
    # No window of the step had closed before the edit, so that the later one saw all of them since.
    assert found == expected
    assert partial == set(), "the later aggregate had no state yet"


@pytest.mark.long
def test_windows_of_a_later_aggregate_hold_windows_that_lack_rows(
    spark: SparkSession, tmp_path: Path
) -> None:
    old, new = chain(SIMPLE), chain({**SIMPLE, "most": "max(x)"}, peak="max(most)")
    found, partial = play(spark, tmp_path / "played", {0: old, EDITED: new}, BATCHES)
    expected = answer(new, BATCHES)
    since = answer(new, [*({"s": []} for _ in BATCHES[:EDITED]), *BATCHES[EDITED:]])
    assert found.keys() == expected.keys()
    for key, row in found.items():
        assert (row["sums"], row["windows"]) == (expected[key]["sums"], expected[key]["windows"])
        assert row["peak"] == (since[key]["peak"] if key in since else None)
    assert partial == {key for key in found if "T10:00:00" in json.loads(key)[0]}


@pytest.mark.long
def test_an_aggregate_under_a_join(spark: SparkSession, tmp_path: Path) -> None:
    """The join keeps whole rows: what it reads of the aggregate must stay, in whatever order."""
    join = {
        "op": "join",
        "left": "step",
        "right": "r",
        "on": {"k": "k"},
        "between": {"before": "1m", "after": "1m"},
        "prefix": "r_",
    }
    only = {"op": "select", "input": "step", "fields": ["k", "total"]}
    after = {"shown": only, "pairs": {**join, "left": "shown"}}
    old = document(FINAL, SIMPLE, after)
    new = document(FINAL, {"most": "max(x)", "total": "sum(x)", "kinds": "distinct(x)"}, after)
    batches = [{**batch, "r": [(START + 1_000_000 * at, row("a", at))]} for at, batch in enumerate(BATCHES)]
    batches += [{"s": [], "r": [(START + 61_000_000, row("q", 0))]}] * 2
    found, _ = play(spark, tmp_path / "played", {0: old, EDITED: new}, batches)
    assert found == answer(new, batches)
    wider = document(FINAL, SIMPLE, {"pairs": join})
    more = document(FINAL, {**SIMPLE, "most": "max(x)"}, {"pairs": join})
    contracts = {name: StreamContract.model_validate(one) for name, one in CONTRACTS.items()}
    assert not diff(plan_job(wider, contracts), plan_job(more, contracts)).same_state


@pytest.mark.long
def test_fields_of_a_later_step_in_another_order(spark: SparkSession, tmp_path: Path) -> None:
    """Spark merges the select into the aggregate, and keeps its functions in the order of the select."""
    measures = {"least": "min(x)", "most": "max(x)"}
    fields = ["window_start", "window_end", "k"]

    def shown(*names: str) -> dict[str, Any]:
        select = {"op": "select", "input": "step", "fields": [*fields, *names]}
        return document(TUMBLING, measures, {"shown": select})

    old, new = shown("least", "most"), shown("most", "least")
    found, partial = play(spark, tmp_path / "played", {0: old, EDITED: new}, BATCHES)
    assert found == answer(new, BATCHES)
    assert partial == set()


@pytest.mark.thorough
@pytest.mark.long
def test_beside_other_state_in_the_same_query(spark: SparkSession, tmp_path: Path) -> None:
    """Late rows are found by an operator of our own."""
    step = {**FINAL, "late": "dead_letter"}
    late = {"to": {"topic": "late"}, "input": "step.late"}
    old, new = document(step, SIMPLE), document(step, {"most": "max(x)", **SIMPLE})
    for version in (old, new):
        version["outputs"]["late"] = late
    batches = [*BATCHES[:5], {"s": [(START, row("q", 3))]}, *BATCHES[5:]]
    found, partial = play(spark, tmp_path / "played", {0: old, EDITED: new}, batches)
    expected = answer(new, batches)
    assert found.keys() == expected.keys()
    for key, each in found.items():
        assert (each["n"], each["total"]) == (expected[key]["n"], expected[key]["total"])
    assert partial == {key for key in found if begun(key)}


@pytest.mark.thorough
def test_twice_beside_other_state_in_the_same_query(spark: SparkSession, tmp_path: Path) -> None:
    """The second time the state of our own operator is copied from where the first had copied it to."""
    step = {**FINAL, "late": "dead_letter"}
    late = {"to": {"topic": "late"}, "input": "step.late"}
    versions = [document(step, {**SIMPLE, **more}) for more in ({}, {"most": "max(x)"}, {"least": "min(x)"})]
    for version in versions:
        version["outputs"]["late"] = late
    batches = [BATCHES[0], BATCHES[1], BATCHES[2], BATCHES[5], BATCHES[6]]
    found, partial = play(spark, tmp_path / "played", dict(enumerate(versions)), batches)
    expected = answer(versions[-1], batches)
    assert {key: (each["n"], each["total"]) for key, each in found.items()} == {
        key: (each["n"], each["total"]) for key, each in expected.items()
    }
    assert partial == found.keys()


JOIN: Steps = {
    "op": "join",
    "left": "s",
    "right": "r",
    "on": {"k": "k"},
    "between": {"before": "5s", "after": "5s"},
    "prefix": "r_",
}
KEYS = ["window_start", "window_end", "k"]
RAW: Steps = {"raw": {"input": "step", "to": {"topic": "raw"}}}


@pytest.mark.long
def test_over_a_join_that_another_output_reads(spark: SparkSession, tmp_path: Path) -> None:
    """Spark keeps of the rows of the join for each output what that reads, with no more to tell them than
    types: a sum of another field over the rows that are there would be one of the first field.
    """

    def joined(measures: Measures) -> dict[str, Any]:
        made = document({**FINAL, "input": "pairs"}, measures, {"pairs": JOIN})
        outputs = {
            "out": {"input": "step", "to": "result"},
            "raw": {"input": "pairs", "to": {"topic": "raw"}},
        }
        return {**made, "outputs": outputs}

    old, new = joined({"total": "sum(x)"}), joined({"most": "max(x)", "total": "sum(x)"})
    assert not keeps_state(old, joined({"total": "sum(r_x)"}))
    assert not keeps_state(old, joined({"total": "sum(x)", "other": "sum(r_x)"}))
    batches = [{**batch, "r": batch["s"]} for batch in BATCHES]
    after, _ = play_outputs(spark, tmp_path / "played", {0: old, EDITED: new}, batches)
    assert after["raw"] == answer(new, batches, "raw")
    totals = {key: each["total"] for key, each in after["out"].items()}
    assert totals
    assert totals == {key: each["total"] for key, each in answer(new, batches).items()}


@pytest.mark.long
def test_beside_a_change_that_shows_none_of_them(spark: SparkSession, tmp_path: Path) -> None:
    """The change counts by itself, and its state is copied as it is."""

    def compared(*shown: str, **measures: str) -> dict[str, Any]:
        change = {"op": "change", "input": "step", "of": ["n"]}
        only = {"op": "select", "input": "diff", "fields": [*KEYS, "n", "n_previous", "n_delta", *shown]}
        made = document(TUMBLING, measures, {"diff": change, "shown": only})
        return {**made, "outputs": {**made["outputs"], **RAW}}

    old = {"n": "count()", "total": "sum(x)", "rows": "count(x)"}
    new = {"most": "max(x)", "rows": "count(x)", "total": "sum(x)", "n": "count()"}
    for other in (new, {"total": "sum(x)", "rows": "count(x)", "n": "count()"}):
        assert not keeps_state(compared("total", **old), compared("total", **other))
    assert not keeps_state(compared("total", **old), compared("rows", **old))
    versions = {0: compared(**old), EDITED: compared(**new)}
    after, _ = play_outputs(spark, tmp_path / "played", versions, BATCHES)
    assert after["out"] == answer(versions[EDITED], BATCHES)
    raw = answer(versions[EDITED], BATCHES, "raw")
    for name in ("n", "total", "rows"):
        assert {key: each[name] for key, each in after["raw"].items()} == {
            key: each[name] for key, each in raw.items()
        }


@pytest.mark.long
def test_a_measure_that_only_another_output_had_read(spark: SparkSession, tmp_path: Path) -> None:
    def named(*shown: str) -> dict[str, Any]:
        join = {"op": "table_join", "input": "step", "table": "t", "on": {"k": "k"}, "broadcast": {}}
        only = {"op": "select", "input": "named", "fields": [*KEYS, *shown]}
        after = {"named": {**join, "prefix": "t_"}, "shown": only}
        made = document(FINAL, SIMPLE, after)
        made["sources"]["t"] = {"table": "t"}
        return {**made, "outputs": {**made["outputs"], **RAW}}

    old, new = named("n"), named("n", "total")
    contracts = {name: StreamContract.model_validate(one) for name, one in CONTRACTS.items()}
    plans = [plan_job(each, contracts) for each in (old, new)]
    empty = empty_measures(kept_state(plans[0]), plans[1])
    assert [(one.step, one.measure) for one in empty or ()] == [("step", "total")]
    entries = [(START, {"k": key, "v": at}) for at, key in enumerate("abcdz")]
    batches = [{**batch, "t": [] if at else entries} for at, batch in enumerate(BATCHES)]
    after, partial = play_outputs(spark, tmp_path / "played", {0: old, EDITED: new}, batches)
    assert after["raw"] == answer(new, batches, "raw")
    since = answer(new, [{"s": [], "t": entries}, {"s": [], "t": []}, *batches[EDITED:]])
    for key, each in answer(new, batches).items():
        assert after["out"][key]["n"] == each["n"]
        assert after["out"][key]["total"] == (since[key]["total"] if key in since else None)
    assert {key for output, key in partial if output == "out"} == {key for key in after["out"] if begun(key)}


@pytest.mark.long
def test_behind_a_join_with_a_table(spark: SparkSession, tmp_path: Path) -> None:
    def joined(measures: Measures) -> dict[str, Any]:
        made = document({**TUMBLING, "input": "pairs"}, measures)
        made["sources"]["t"] = {"table": "t"}
        join = {"op": "table_join", "input": "s", "table": "t", "on": {"k": "k"}, "prefix": "t_"}
        made["steps"] = {"pairs": join, **made["steps"]}
        return made

    old, new = joined({"n": "count()", "v": "sum(v)"}), joined({"v": "sum(v)", "most": "max(v)"})
    wider = joined({"v": "sum(v)", "most": "max(x)"})
    contracts = {name: StreamContract.model_validate(one) for name, one in CONTRACTS.items()}
    same = diff(plan_job(old, contracts), plan_job(wider, contracts)).same_state
    assert not same, "the join keeps no x of the rows that wait"
    entries = [(START, {"k": key, "v": at}) for at, key in enumerate("abcdz")]
    batches = [{**batch, "t": [] if at else entries} for at, batch in enumerate(BATCHES)]
    found, _ = play(spark, tmp_path / "played", {0: old, EDITED: new}, batches)
    expected = answer(new, batches)
    changed = [key for key in found if "most" in found[key]]
    assert changed
    assert {key: found[key]["v"] for key in changed} == {key: expected[key]["v"] for key in changed}


@pytest.mark.thorough
def test_there_and_back_again(spark: SparkSession, tmp_path: Path) -> None:
    """A measure that was removed has no past when it comes back."""
    old, new = document(TUMBLING, SIMPLE), document(TUMBLING, {"most": "max(x)", "n": "count()"})
    batches = [{"s": [(START + at * 1_000_000, row("a", at + 1))]} for at in range(4)]
    found, partial = play(spark, tmp_path / "played", {0: old, 1: new, 2: old}, batches)
    assert [(each["n"], each["total"]) for each in found.values()] == [(4, 3 + 4)]
    assert partial == found.keys()


@pytest.mark.thorough
def test_only_fewer_measures_in_another_order_mark_nothing(spark: SparkSession, tmp_path: Path) -> None:
    old, new = (
        document(TUMBLING, MANY),
        document(TUMBLING, dict(list(reversed(MANY.items()))[1:])),
    )
    found, partial = play(spark, tmp_path / "played", {0: old, EDITED: new}, BATCHES)
    expected = answer(new, BATCHES)
    changed = [key for key in found if "where_most" not in found[key]]
    assert changed
    for key in changed:
        spreads = found[key].pop("spread"), expected[key].pop("spread")
        assert spreads[0] == pytest.approx(spreads[1])
        assert found[key] == expected[key]
    assert partial == set()


def test_a_batch_that_was_not_committed_is_repeated_with_the_new_measures(
    spark: SparkSession, tmp_path: Path
) -> None:
    old, new = document(TUMBLING, SIMPLE), document(TUMBLING, {"most": "max(x)", **SIMPLE})
    played = SparkDocument(spark, tmp_path / "played", old, CONTRACTS, restarts=True)
    played.batch(BATCHES[0])
    played.batch(BATCHES[1])
    played.kill()
    played.become(new)
    found = played.batch(BATCHES[2])["out"]
    played.stop()
    whole, since = answer(new, BATCHES[:3]), answer(new, [{"s": []}, *BATCHES[1:3]])
    for key, each in found.items():
        assert (each["n"], each["total"]) == (whole[key]["n"], whole[key]["total"])
        assert each["most"] == since[key]["most"], "over the records since the last commit"


@pytest.mark.long
def test_an_adaptation_that_was_interrupted_begins_again(spark: SparkSession, tmp_path: Path) -> None:
    old, new = document(TUMBLING, SIMPLE), document(TUMBLING, {"most": "max(x)", **SIMPLE})
    played = SparkDocument(spark, tmp_path / "played", old, CONTRACTS, restarts=True)
    played.batch(BATCHES[0])
    played.batch(BATCHES[1])
    played.stop()
    (base,) = (tmp_path / "played" / "checkpoint").iterdir()
    played.become(new)
    whole = played.batch(BATCHES[2])["out"]
    played.stop()
    assert find_checkpoint(spark, str(base)).folder == f"{base}/adapted-1"
    # As if the process had died before the last file of the new checkpoint.
    shutil.copytree(base / "adapted-1", tmp_path / "half")
    (tmp_path / "half" / "layout.json").unlink()
    shutil.rmtree(tmp_path / "half" / "commits")
    again = SparkDocument(spark, tmp_path / "again", old, CONTRACTS, restarts=True)
    again.batch(BATCHES[0])
    again.batch(BATCHES[1])
    again.stop()
    (other,) = (tmp_path / "again" / "checkpoint").iterdir()
    shutil.copytree(tmp_path / "half", other / "adapted-1")
    assert find_checkpoint(spark, str(other)).folder == str(other)
    again.become(new)
    assert again.batch(BATCHES[2])["out"] == whole
    again.stop()


def test_without_knowing_where_measures_are_the_same_version_goes_on_and_another_is_refused(
    spark: SparkSession, tmp_path: Path
) -> None:
    old, new = document(TUMBLING, SIMPLE), document(TUMBLING, {"most": "max(x)", **SIMPLE})
    played = SparkDocument(spark, tmp_path / "played", old, CONTRACTS, restarts=True)
    played.batch(BATCHES[0])
    played.stop()
    (base,) = (tmp_path / "played" / "checkpoint").iterdir()
    # As if the process had died between the first commit and the end of the question.
    kept = StateLayout.from_text((base / "layout.json").read_text())
    unasked = replace(kept, aggregates=None).to_text()
    (base / "layout.json").write_text(unasked)
    played.become(old)
    found = played.batch(BATCHES[1])["out"]
    played.stop()
    assert found.items() <= answer(old, BATCHES[:2]).items()
    assert StateLayout.from_text((base / "layout.json").read_text()) == kept
    (base / "layout.json").write_text(unasked)
    played.become(new)
    with pytest.raises(StateLayoutError, match="ended before"):
        played.batch(BATCHES[2])
    played.stop()


@pytest.mark.thorough
def test_what_is_answered_late_is_kept_for_its_own_version_only(spark: SparkSession, tmp_path: Path) -> None:
    first, second = document(TUMBLING, SIMPLE), document(TUMBLING, {"most": "max(x)", **SIMPLE})
    contracts = {name: StreamContract.model_validate(one) for name, one in CONTRACTS.items()}
    plans = [plan_job(each, contracts) for each in (first, second)]
    records = [spark.range(1) for _ in plans]
    base = str(tmp_path / "base")
    for number, plan in enumerate(plans):  # nothing is committed, so the second begins anew
        assert open_checkpoint(records[number], plan, base, str(number)).is_pending
    before = (tmp_path / "base" / "layout.json").read_text()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoints, "_planned", lambda *_: (StateLayout("", "0", {}), []))
        keep_layout(records[0], plans[0], base, "0")
        assert (tmp_path / "base" / "layout.json").read_text() == before
        keep_layout(records[0], plans[0], str(tmp_path / "gone"), "0")
        assert not (tmp_path / "gone").exists()


def test_state_that_differs_in_more_than_measures_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    """The platform lets no such version resume; the engine would go on with wrong values."""
    played = SparkDocument(spark, tmp_path / "played", document(TUMBLING, SIMPLE), CONTRACTS, restarts=True)
    played.batch(BATCHES[0])
    by_time = {**TUMBLING, "by": ["k", "x"]}
    played.become(document(by_time, {"most": "max(x)", **SIMPLE}))
    with pytest.raises(StateLayoutError, match="in more than measures"):
        played.batch(BATCHES[1])
    played.stop()
