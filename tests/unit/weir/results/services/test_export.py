import csv
import io
import json

import pytest
from asgiref.sync import sync_to_async

from weir.results.services.export import export
from weir.results.services.fencing import Fence
from weir.results.services.records import ResultRecord
from weir.results.services.store import TopicFlush, open_topic, store
from weir.streams.services.csv_cells import cell


@pytest.mark.parametrize(
    ("value", "shown"),
    [("=1+1", "'=1+1"), ("+x", "'+x"), ("-x", "'-x"), ("@x", "'@x"), ("\tx", "'\tx"), ("\rx", "'\rx"),
     ("a=b", "a=b"), (-5, "-5"),
     (None, ""), (True, "true"), ([1, "a"], '[1, "a"]')],
)  # fmt: skip
def test_cells_are_no_formulas(value: object, shown: str) -> None:
    assert cell(value) == shown


@pytest.mark.django_db(transaction=True, databases=["default", "results"])
async def test_everything_is_in_the_file() -> None:
    await _store()
    lines = [
        json.loads(line)
        for line in ("".join([part async for part in export("jsonl", "job", 1)])).splitlines()
    ]
    assert sorted(line["key"][0] for line in lines) == list(range(2_100))
    assert lines[0]["value"].keys() == {"n", "text"}
    rows = list(csv.reader(io.StringIO("".join([part async for part in export("csv", "job", 1)]))))
    assert rows[0] == ["_key", "n", "text", "_newest_input_us", "_partial"]
    assert len(rows) == 2_101
    assert all(row[2] == "'=cmd" for row in rows[1:])


async def _store() -> None:
    def write() -> None:
        topic = open_topic(job_id="job", generation=1, topic="t", topic_id="id", partitions=1)
        rows = [
            ResultRecord(f"[{at}]", json.dumps({"n": at, "text": "=cmd"}), at, False, 1, 0, at, 0)
            for at in range(2_100)
        ]
        store([TopicFlush(topic.pk, "job", 1, "t", rows, {0: (0, 2_100)}, Fence())])

    await sync_to_async(write)()
