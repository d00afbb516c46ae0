"""The late port batch by batch, each batch after a restart: which rows come, and by how much they were late.

See `docs/semantics/late-rows.md`.
"""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.formats.contract import StreamContract
from tests.support.batch_document import BatchDocument
from tests.support.plan_helpers import contract

pytestmark = pytest.mark.integration
LONG = pytest.mark.long

SCRIPT = [101, 112, 103, 109, 104, None, 90]
"""The contract's example 6.7, an empty batch and one more late row. L: 0, 0, 99, 110, 110, 110, 110."""


def late_of(
    spark: SparkSession, folder: Path, step: dict[str, Any], delay: str = "2s"
) -> list[dict[str, Any]]:
    document = {
        "format": 1,
        "name": "late",
        "sources": {"s": {"stream": "s"}},
        "steps": {
            "n": {
                "op": "aggregate",
                "input": "s",
                "measures": {"n": "count()"},
                "late": "dead_letter",
                **step,
            }
        },
        "outputs": {"out": {"input": "n.late", "to": "result"}},
    }
    contracts: dict[str, StreamContract] = {"s": contract({"k": "string"}, delay=delay)}
    query = BatchDocument(spark, folder / "script", document, contracts)
    found: list[dict[str, Any]] = []
    for at in SCRIPT:
        out = query.batch(**({} if at is None else {"s": [(at, {"k": str(at)})]}))
        found += [row for row in out.values() if row is not None]
    return found


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        # 109 is late for [100, 110) only: no late row. 104 is late for both windows, 6 s after 110 - 0 - 104.
        pytest.param(
            {"window": {"hopping": {"size": "10s", "advance": "5s"}}, "emit": "final"},
            [("104", 6_000_000), ("90", 20_000_000)],
            marks=LONG,
        ),
        # A session row is late by itself: 104 + 5 + 1 <= 110.
        pytest.param(
            {"window": {"session": {"gap": "5s"}}, "grace": "1s"},
            [("104", 5_000_000), ("90", 19_000_000)],
            marks=LONG,
        ),
        # Sliding: 109 and 104 are not newer than 110.
        pytest.param(
            {"window": {"sliding": {"size": "5s"}}},
            [("109", 1_000_000), ("104", 6_000_000), ("90", 20_000_000)],
            marks=LONG,
        ),
        # The UTC day of 103 s after 1970 is open all the time.
        pytest.param({"window": {"calendar": {"unit": "day", "zone": "UTC"}}}, [], marks=LONG),
    ],
    ids=["hopping", "session", "sliding", "calendar"],
)
def test_late_rows(
    spark: SparkSession, tmp_path: Path, step: dict[str, Any], expected: list[tuple[str, int]]
) -> None:
    found = late_of(spark, tmp_path, step)
    assert [(row["k"], row["late_by"]) for row in found] == expected
    assert all(
        row["late_step"] == "n" and row["late_watermark"] == "1970-01-01T00:01:50.000000Z" for row in found
    )


JOINED = {
    "pairs": {
        "op": "join",
        "left": "s",
        "right": "r",
        "on": {"k": "k"},
        "between": {"before": "5s", "after": "5s"},
        "prefix": "r_",
    },
    "keys": {"op": "select", "input": "pairs", "fields": ["k"]},
    "all": {"op": "union", "inputs": ["keys", "q"]},
    "n": {
        "op": "aggregate",
        "input": "all",
        "window": {"tumbling": {"size": "10s"}},
        "by": ["k"],
        "measures": {"n": "count()"},
        "emit": "final",
        "late": "dead_letter",
    },
}


@LONG
@pytest.mark.parametrize(("after", "less_us"), [("5s", 0), ("4s999ms500us", 500)])
def test_no_late_row_is_lost_behind_a_join(
    spark: SparkSession, tmp_path: Path, after: str, less_us: int
) -> None:
    """Spark holds its watermark back behind a join, by 5.001 s here: by whole milliseconds."""
    sources = ("s", "r", "q")
    document = {
        "format": 1,
        "name": "late",
        "sources": {name: {"stream": name} for name in sources},
        "steps": JOINED | {"pairs": JOINED["pairs"] | {"between": {"before": "0s", "after": after}}},
        "outputs": {"out": {"input": "n.late", "to": "result"}},
    }
    contracts = {name: contract({"k": "string"}, delay="1s") for name in sources}
    query = BatchDocument(spark, tmp_path / "joined", document, contracts)
    for at in (100, 130, 131):
        assert query.batch(**{name: [(at, {"k": "a"})] for name in sources}) == {}
    # L is 129 s. The slack is 5 s: 110 + 5 and 120 + 5 are late, 130 + 5 is not.
    found = query.batch(q=[(105, {"k": "b"}), (115, {"k": "c"}), (121, {"k": "d"})])
    assert {row["k"]: row["late_by"] for row in found.values() if row is not None} == {
        "b": 19_000_000 + less_us,
        "c": 9_000_000 + less_us,
    }
    assert {row["late_watermark"] for row in found.values() if row is not None} == {
        "1970-01-01T00:02:09.000000Z"
    }
