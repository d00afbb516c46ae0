"""What is read from Spark's progress of a batch."""

import json
from typing import Any

import pytest

from jobs.engine.progress import read_progress
from jobs.engine.step_progress import late_rows
from jobs.kafka_messages import ExchangeTopic, MalformedExample, SourceRead
from tests.support.desired_runs import bound_source, desired_run
from tests.support.plan_helpers import contract


@pytest.mark.parametrize(
    ("counted", "times", "late"),
    [([], 1, 0), ([3, 2], 1, 5), ([0], 2, 0), ([1], 2, 1), ([2], 2, 1), ([2, 1], 2, 2), ([3, 3, 3], 3, 3)],
)
def test_late_rows_are_never_counted_too_many_nor_as_none(counted: list[int], times: int, late: int) -> None:
    states: list[dict[str, Any]] = [{"numRowsDroppedByWatermark": number} for number in counted]
    assert late_rows([*states, {"numRowsDroppedByWatermark": None}], times=times) == late


def test_exchanged_rows_are_not_output_and_the_exchange_topic_is_no_input() -> None:
    progress = {
        "batchId": 3,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "sink": {"numOutputRows": 7},
        "observedMetrics": {"exchanged": {"rows": 5}},
        "sources": [
            {
                "description": "KafkaV2[Subscribe[weir.exchange.j.1]]",
                "endOffset": {"weir.exchange.j.1": {"0": 12}},
                "numInputRows": 4,
            }
        ],
    }
    run = desired_run({}, exchange=ExchangeTopic(topic="weir.exchange.j.1", topic_id="x"))
    batch = read_progress(json.dumps(progress), run)
    assert (batch.rows_out, batch.exchange_offset, batch.sources, batch.committed) == (2, 12, {}, {})


@pytest.mark.parametrize("as_list", [False, True])
def test_what_was_read_of_a_source(as_list: bool) -> None:
    counted = {"KEY_INVALID": 3, "FIELD_TYPE": 1}
    example = {"reason": "KEY_INVALID", "partition": 2, "offset": 41}
    texts = {
        "s": json.dumps({"records": 9, "rows": 5, "malformed": counted, "example": example}),
        "t": json.dumps({"records": 2, "rows": 0, "malformed": {}}),
    }
    progress = {
        "batchId": 3,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "observedMetrics": {
            f"read:{name}": [text] if as_list else {"read": text} for name, text in texts.items()
        },
    }
    batch = read_progress(json.dumps(progress), desired_run({}))
    assert batch.read == {
        "s": SourceRead(records=9, malformed=counted, example=MalformedExample.model_validate(example)),
        "t": SourceRead(records=2),
    }
    assert batch.malformed == {"s": 4, "t": 0}


def test_watermarks_of_sources() -> None:
    told = {"s": 1_767_225_605_000_999, "early": -1_000, "silent": None}
    progress = {
        "batchId": 3,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "observedMetrics": {
            f"read:{name}": [
                json.dumps(
                    {"records": 9, "rows": 9, "malformed": {}, **({} if at is None else {"watermark_us": at})}
                )
            ]
            for name, at in told.items()
        },
    }
    batch = read_progress(json.dumps(progress), desired_run({}))
    assert batch.source_watermarks_us == {"s": 1_767_225_605_000_000, "early": 0}


@pytest.mark.parametrize(
    ("latest", "ends"),
    [
        ({"t": {"0": 9, "1": 4}}, {0: 9, 1: 6}),
        ({"t": {"0": 9}}, {0: 9, 1: None}),
        (None, {0: None, 1: None}),
    ],
)
def test_a_partition_whose_end_is_not_told_has_no_lag_of_zero(
    latest: dict[str, Any] | None, ends: dict[int, int | None]
) -> None:
    read = {
        "description": "KafkaV2[Subscribe[t]]",
        "endOffset": {"t": {"0": 5, "1": 6}},
        "latestOffset": latest,
    }
    progress = {"batchId": 3, "timestamp": "2026-01-01T00:00:00.000Z", "sources": [read]}
    batch = read_progress(json.dumps(progress), desired_run({"s": bound_source(contract())}))
    assert {partition: seen.end for partition, seen in batch.sources["s"].items()} == ends
    assert batch.committed == {"s": {0: 5, 1: 6}}
