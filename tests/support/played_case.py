"""A case of the oracle's as a play: what differs."""

import json
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from jobs.engine.play import Player
from jobs.formats.contract import StreamContract
from jobs.play import PlayBatch, PlayedBatch, PlayHeader, PlayJob, PlayLimits, PlayRecord, Restart
from tests.oracle.cases import Case, Contents, all_differences
from tests.oracle.records import PARTITION
from tests.support.record_texts import headers_of, key_and_value
from tests.support.spark_case import allowed_late, count_differences, restarts_of

ALL_ROWS = PlayLimits(rows=20_000, bytes=16_000_000, seconds=300)


def play_job(case: Case, *, steps: bool = True) -> PlayJob:
    """The job of a case. The case says which batches there are."""
    contracts = {name: StreamContract.model_validate(written) for name, written in case.contracts.items()}
    return PlayJob(
        document=json.loads(case.document), contracts=contracts, steps=steps, closing=False, limits=ALL_ROWS
    )


def play_batches(case: Case) -> list[PlayBatch]:
    """The batches of a case."""
    contracts = {
        name: case.contracts[ref.get("stream") or ref["table"]]
        for name, ref in json.loads(case.document)["sources"].items()
    }
    return [
        PlayBatch(
            records={
                name: tuple(_record(contracts[name], *record) for record in records)
                for name, records in batch.items()
            }
        )
        for batch in case.batches
    ]


def play_differences(spark: SparkSession, folder: Path, case: Case, *, restarts: bool = False) -> list[str]:
    """What differs, by batch: rows, late rows, errors and malformed records.

    Args:
        spark: a session.
        folder: new.
        case: what to play, and what it must give.
        restarts: kill the queries after a batch, stop them after the next one, and compare the end only.
    """
    contents: Contents = {name: {} for name in case.outputs}
    played: list[PlayedBatch] = []
    found: list[str] = []
    last = len(case.batches) - 1
    with Player(spark, play_job(case), folder) as player:
        for number, batch in enumerate(play_batches(case)):
            played.append(player.batch(_restarted(batch, case, number) if restarts else batch))
            _take(contents, played[-1])
            if number == last or not (restarts or case.only_end):
                differing = all_differences(case.expected_after[number], contents, case.approximate)
                found += [f"after batch {number + 1}: {text}" for text in differing]
    if restarts:
        return found
    late = sum(batch.late for batch in played)
    if late not in allowed_late(case):
        found.append(f"{late} late rows instead of {case.late}")
    return found + count_differences(case, _totals(played, "nulls"), _malformed(played))


def _restarted(batch: PlayBatch, case: Case, number: int) -> PlayBatch:
    repeated, fresh = restarts_of(case)
    actions = {repeated + 1: Restart(uncommitted=True), fresh: Restart()}
    return batch.model_copy(update={"before": (actions[number],)}) if number in actions else batch


def _take(contents: Contents, batch: PlayedBatch) -> None:
    for output, rows in batch.outputs.items():
        assert not rows.truncated
        for row in rows.first:
            assert row.key is not None
            contents[output].pop(row.key, None)
            if row.value is not None:
                contents[output][row.key] = row.value


def _totals(played: list[PlayedBatch], counts: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for batch in played:
        for name, count in getattr(batch, counts).items():
            found[name] = found.get(name, 0) + count
    return {name: count for name, count in found.items() if count}


def _malformed(played: list[PlayedBatch]) -> dict[str, int]:
    found = _totals(played, "keyless")
    for batch in played:
        for name, source in batch.sources.items():
            found[name] = found.get(name, 0) + sum(source.malformed.values())
    return {name: count for name, count in found.items() if count}


def _record(
    contract: dict[str, Any], at_us: int, values: dict[str, Any] | tuple[bytes | None, bytes | None]
) -> PlayRecord:
    if isinstance(values, tuple):
        return PlayRecord(key=values[0], value=values[1], timestamp_us=at_us)
    key, value = key_and_value(contract.get("key", ()), values)
    return PlayRecord(
        key=key,
        value=value,
        timestamp_us=at_us,
        partition=values.get(PARTITION, 0),
        headers=tuple(PlayHeader(key=name, value=said) for name, said in headers_of(values)),
    )
