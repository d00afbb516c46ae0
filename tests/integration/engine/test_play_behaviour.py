"""Plays: what is counted and kept, restarts, bounds, and being broken off."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.engine.play import play
from jobs.formats.contract import EventTime, FieldContract, StreamContract
from jobs.play import (
    Advance,
    Heartbeat,
    PlayBatch,
    PlayedBatch,
    PlayedSource,
    PlayJob,
    PlayLimits,
    PlayRecord,
    PlayResult,
    PlayScript,
    Restart,
)
from tests.oracle.cases import load_cases
from tests.support.played_case import play_differences
from tests.support.spark_listeners import attached_sessions

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

BEGIN_S = 1_767_261_600  # 2026-01-01T10:00:00Z
CONTRACT = StreamContract(
    fields=(
        FieldContract(name="at", type="long", nullable=False),
        FieldContract(name="word", type="string", nullable=False),
        FieldContract(name="amount", type="double"),
        FieldContract(name="unread", type="long"),
    ),
    event_time=EventTime(kind="field", field="at", unit="s"),
    delay="0s",
)
STEPS: dict[str, Any] = {
    "kept": {"op": "filter", "input": "words", "where": "amount >= 0"},
    "shares": {"op": "derive", "input": "kept", "fields": {"share": "1 / amount"}},
    "counted": {
        "op": "aggregate",
        "input": "shares",
        "window": {"tumbling": {"size": "10s"}},
        "by": ["word"],
        "measures": {"n": "count()", "most": "max(share)"},
        "emit": "final",
    },
}


def script(
    *batches: PlayBatch, steps: dict[str, Any] = STEPS, limits: PlayLimits | None = None
) -> PlayScript:
    document = {
        "format": 1,
        "name": "words",
        "sources": {"words": {"stream": "words"}},
        "steps": steps,
        "outputs": {"out": {"input": list(steps)[-1], "to": "result"}},
    }
    job = PlayJob(document=document, contracts={"words": CONTRACT}, limits=limits or PlayLimits(seconds=300))
    return PlayScript(job=job, batches=batches)


def record(seconds: float, word: str = "a", amount: float = 1.0) -> PlayRecord:
    value = {"at": BEGIN_S + seconds, "word": word, "amount": amount, "unread": 1}
    return PlayRecord(value=json.dumps(value).encode(), timestamp_us=(BEGIN_S + 3_600) * 1_000_000)


def batch(*records: PlayRecord, before: tuple[Any, ...] = ()) -> PlayBatch:
    return PlayBatch(before=before, records={"words": records})


def windows(result: PlayResult) -> list[tuple[str, int]]:
    assert result.problem is None, result.problem
    rows = [row.value for one in result.batches for row in one.outputs["out"].first]
    return [(row["window_start"][14:19], row["n"]) for row in rows if row is not None]


def played(spark: SparkSession, folder: Path, given: PlayScript) -> list[PlayedBatch]:
    result = play(spark, given, folder / "play")
    assert result.problem is None, result.problem
    assert not (folder / "play").exists()
    return list(result.batches)


def test_every_step_shows_its_rows_and_what_it_lost(spark: SparkSession, tmp_path: Path) -> None:
    broken = PlayRecord(value=b"{nonsense", timestamp_us=1, partition=3, offset=77)
    first, second = played(
        spark,
        tmp_path,
        script(
            batch(record(1), record(2, amount=-1), record(3, amount=0), broken),
            batch(record(25), record(4)),
        ),
    )
    assert {name: rows.rows for name, rows in first.steps.items()} == {
        "words": 3,
        "kept": 2,
        "shares": 2,
        "counted": 0,
    }
    assert first.sources["words"].malformed == {"NOT_JSON": 1}
    (left_out,) = first.sources["words"].left_out
    assert (left_out.partition, left_out.offset, left_out.reason) == (3, 77, "NOT_JSON")
    assert first.nulls_by_expression == {"shares": {"share": 1}}
    assert (first.late, second.late) == (0, 0)
    assert [row.value["n"] for row in second.steps["counted"].first if row.value] == [3]
    assert second.steps["counted"].first == second.outputs["out"].first


def test_fields_that_the_job_does_not_read_are_not_shown(spark: SparkSession, tmp_path: Path) -> None:
    (only,) = played(spark, tmp_path, script(batch(record(1))))
    (row,) = only.steps["words"].first
    assert row.value is not None
    assert set(row.value) == {"at", "word", "amount"}


def test_a_row_behind_the_watermark_is_late(spark: SparkSession, tmp_path: Path) -> None:
    found = played(spark, tmp_path, script(batch(record(1)), batch(record(25)), batch(record(2))))
    assert [one.late for one in found] == [0, 0, 1]
    assert found[2].late_by_step == {"counted": 1}


def test_a_preview_reads_in_two_halves_what_may_be_late(spark: SparkSession, tmp_path: Path) -> None:
    """As `weir.preview.services.batching` asks; the empty batch's watermark is what makes the row late."""
    first, second = batch(record(1), record(25)), batch(record(2), record(26))
    halves = [first.model_copy(update={"closing": False}), PlayBatch(closing=False), second]
    found = played(spark, tmp_path, script(*halves))
    assert [one.late for one in found] == [0, 0, 1]
    assert list(found[1].watermark_us.values()) == [(BEGIN_S + 25) * 1_000_000]
    without = played(spark, tmp_path, script(halves[0], second))
    assert [one.late for one in without] == [0, 0]


def test_the_result_is_told_once_and_before_the_queries_are_stopped(
    spark: SparkSession, tmp_path: Path
) -> None:
    folder, seen = tmp_path / "play", []
    ended = play(
        spark, script(batch(record(1))), folder, told=lambda found: seen.append((found, folder.exists()))
    )
    assert ended.problem is None
    unknown = {"kept": {"op": "filter", "input": "words", "where": "nothing > 0"}}
    failed = play(
        spark, script(batch(), steps=unknown), folder, told=lambda found: seen.append((found, False))
    )
    assert failed.problem is not None
    assert seen == [(ended, True), (failed, False)]


def test_a_heartbeat_closes_windows_and_is_no_row(spark: SparkSession, tmp_path: Path) -> None:
    beat = Heartbeat(source="words", at_us=(BEGIN_S + 60) * 1_000_000)
    found = play(spark, script(batch(record(1)), batch(before=(beat,))), tmp_path / "play")
    assert windows(found) == [("00:00", 1)]
    assert found.batches[1].steps["words"].rows == 0


@pytest.mark.parametrize("uncommitted", [False, True])
def test_a_restart_goes_on_from_the_checkpoint(
    spark: SparkSession, tmp_path: Path, *, uncommitted: bool
) -> None:
    restart = Restart(uncommitted=uncommitted)
    found = play(
        spark,
        script(batch(record(1)), batch(record(2), before=(restart,)), batch(record(25))),
        tmp_path / "p",
    )
    assert windows(found) == [("00:00", 2)]


def test_a_restart_reads_a_broadcast_table_and_its_refresh_counts_from_there(
    spark: SparkSession, tmp_path: Path
) -> None:
    """As a run's timer does (`jobs.engine.broadcast_refresh`)."""
    table = StreamContract(
        kind="table",
        key=("word",),
        fields=(FieldContract(name="word", type="string"), FieldContract(name="rank", type="long")),
    )
    document = {
        "format": 1,
        "name": "ranked",
        "sources": {"words": {"stream": "words"}, "ranks": {"table": "ranks"}},
        "steps": {
            "ranked": {
                "op": "table_join",
                "input": "words",
                "table": "ranks",
                "on": {"word": "word"},
                "prefix": "t_",
                "broadcast": {"refresh": "10m"},
            }
        },
        "outputs": {"out": {"input": "ranked", "to": "result"}},
    }

    def ranks(rank: int) -> tuple[PlayRecord, ...]:
        return (PlayRecord(key=b'{"word":"a"}', value=b'{"rank":%d}' % rank, timestamp_us=1),)

    def step(rank: int, *before: Any) -> PlayBatch:
        return PlayBatch(before=before, records={"words": (record(rank),), "ranks": ranks(rank)})

    minutes = 60_000_000
    job = PlayJob(
        document=document, contracts={"words": CONTRACT, "ranks": table}, limits=PlayLimits(seconds=300)
    )
    batches = (
        step(1, Advance(by_us=6 * minutes)),  # before the table is read
        step(2, Advance(by_us=6 * minutes)),
        step(3, Restart()),
        step(4, Advance(by_us=6 * minutes)),
        step(5, Advance(by_us=6 * minutes)),
    )
    found = played(spark, tmp_path, PlayScript(job=job, batches=batches))
    rows = [row.value for one in found for row in one.outputs["out"].first if row.value]
    assert [row["rank"] for row in rows] == [1, 1, 3, 3, 5]


def test_records_of_a_broadcast_table_are_counted_once_each(spark: SparkSession, tmp_path: Path) -> None:
    """However often it is read: at each start, and by each query."""
    table = StreamContract(
        kind="table",
        key=("word",),
        fields=(FieldContract(name="word", type="string"), FieldContract(name="rank", type="long")),
    )
    ranked = {"op": "table_join", "input": "words", "table": "ranks", "on": {"word": "word"}, "prefix": "t_"}
    counted = {"op": "aggregate", "input": "ranked", "by": ["word"], "measures": {"n": "count()"}}
    windows = {**counted, "window": {"tumbling": {"size": "1h"}}, "emit": "final"}
    document = {
        "format": 1,
        "name": "ranked",
        "sources": {"words": {"stream": "words"}, "ranks": {"table": "ranks"}},
        "steps": {"ranked": {**ranked, "broadcast": {}}, "totals": counted, "windows": windows},
        "outputs": {
            "out": {"input": "totals", "to": "result"},
            "hourly": {"input": "windows", "to": {"topic": "hourly"}},
        },
    }
    entry = PlayRecord(key=b'{"word":"a"}', value=b'{"rank":1}', timestamp_us=1)
    unreadable = PlayRecord(key=b"a", value=b'{"rank":1}', timestamp_us=1)
    limits = PlayLimits(seconds=300)
    job = PlayJob(document=document, contracts={"words": CONTRACT, "ranks": table}, limits=limits)
    batches = (
        PlayBatch(records={"words": (record(1),), "ranks": (entry, unreadable)}),
        PlayBatch(records={"words": (record(2),)}),
        PlayBatch(before=(Restart(),), records={"words": (record(3),), "ranks": (unreadable,)}),
    )
    found = played(spark, tmp_path, PlayScript(job=job, batches=batches))
    counts = [
        (source.records, source.malformed)
        for source in (one.sources.get("ranks", PlayedSource()) for one in found)
    ]
    assert counts == [(2, {"KEY_INVALID": 1}), (0, {}), (1, {"KEY_INVALID": 1})]


def test_rows_are_bounded_and_counts_are_not(spark: SparkSession, tmp_path: Path) -> None:
    limits = PlayLimits(rows=5, seconds=300)
    (only,) = played(spark, tmp_path, script(batch(*(record(1) for _ in range(40))), limits=limits))
    words = only.steps["words"]
    assert (words.rows, len(words.first), words.truncated) == (40, 5, True)


def test_a_play_can_be_broken_off(spark: SparkSession, tmp_path: Path) -> None:
    began = time.monotonic()
    batches = (batch(record(at)) for at in range(100))
    found = play(spark, script(*batches), tmp_path / "p", canceled=lambda: True)
    assert found.problem is not None
    assert found.problem.code == "CANCELED"
    assert len(found.batches) < 100, time.monotonic() - began


def test_a_play_leaves_nothing_that_listens_to_spark(spark: SparkSession, tmp_path: Path) -> None:
    """An engine plays thousands of previews; each event would be given to all that they had left."""
    played(spark, tmp_path, script(batch(record(1))))
    before = attached_sessions(spark)
    for _ in range(3):
        played(spark, tmp_path, script(batch(record(1))))
    assert attached_sessions(spark) <= before


def test_a_document_with_errors_is_no_crash(spark: SparkSession, tmp_path: Path) -> None:
    steps = {"kept": {"op": "filter", "input": "words", "where": "nothing > 1"}}
    found = play(spark, script(batch(record(1)), steps=steps), tmp_path / "p")
    assert found.problem is not None
    assert found.problem.code == "DOCUMENT_INVALID"


@pytest.mark.parametrize(
    "title",
    [
        "6.7 hopping with late rows",
        pytest.param("6.5 sessions merged by a late event", marks=pytest.mark.long),
    ],
)
def test_golden_cases_with_restarts(spark: SparkSession, tmp_path: Path, title: str) -> None:
    (case,) = [case for case in load_cases() if case.title == title]
    assert play_differences(spark, tmp_path / "p", case, restarts=True) == []
