"""A document split in two, run by the oracle: the first's output is the second's next batch."""

import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from tests.oracle.answers import Oracle
from tests.oracle.cases import Case, load_cases
from tests.oracle.expression_functions import MEANINGS
from tests.oracle.relations.through_topic import TIME, TOPIC, Split, split_at_topic
from tests.oracle.values import as_json

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SPLITS = [
    (case, split)
    for number, case in enumerate(load_cases())
    if (split := split_at_topic(case, Random(number))) is not None
]


def test_many_golden_cases_can_be_split() -> None:
    assert len(SPLITS) > 100
    stateful = [
        split
        for _, split in SPLITS
        if any(step["op"] == "aggregate" for step in split.second["steps"].values())
    ]
    assert stateful, "no state behind a topic"


def test_the_names_that_a_union_reads_stay() -> None:
    for case, split in SPLITS:
        before = {
            name: step["inputs"]
            for name, step in json.loads(case.document)["steps"].items()
            if step["op"] == "union"
        }
        after = {
            name: step["inputs"]
            for half in (split.first, split.second)
            for name, step in half["steps"].items()
            if step["op"] == "union"
        }
        assert before == after


def test_the_oracle_gives_the_same(monkeypatch: Any) -> None:
    monkeypatch.setitem(
        MEANINGS, "unix_micros(_time)", lambda row: (row["_time"] - EPOCH) // timedelta(microseconds=1)
    )
    for case, split in SPLITS:
        if "approx" not in case.document:
            assert _differing(case, split) == [], case.title


def _differing(case: Case, split: Split) -> list[str]:
    first, second = (
        Oracle(json.dumps(split.first), case.contracts),
        Oracle(json.dumps(split.second), {TOPIC: split.contract}),
    )
    (source,) = split.second["sources"]
    found, seen = [], 0
    for number, batch in enumerate(case.batches):
        first.batch(batch)
        rows = [as_json(row) for row in first.result()[TOPIC].values()]
        second.batch({source: [(row[TIME], row) for row in rows[seen:]]})
        seen = len(rows)
        after = {
            name: {key: as_json(row) for key, row in content.items()}
            for name, content in second.result().items()
        }
        found += split.differing(case, number, after)
    return found
