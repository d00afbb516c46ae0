"""What a reader of a followed stream sees, without a broker and without a database."""

import json
from typing import Any

import pytest
from django.db import DatabaseError

from jobs.formats.contract import StreamContract
from jobs.formats.framing import framed
from tests.support.fake_topic import PROFILE, READING, Record
from weir.live import tail_view
from weir.live.lookups import StreamInfo
from weir.live.tail_view import TailView
from weir.workspaces.errors import ServiceError

JSON = StreamContract.model_validate({"fields": [{"name": "n", "type": "long"}]})
FIRST = json.dumps({"type": "record", "name": "R", "fields": [{"name": "n", "type": "long"}]})
LATER = json.dumps(
    {
        "type": "record",
        "name": "R",
        "fields": [{"name": "more", "type": "long"}, {"name": "n", "type": "long"}],
    }
)
AVRO = StreamContract.model_validate(
    {
        "encoding": {"format": "avro", "schema": FIRST, "framing": "confluent", "writers": {"1": FIRST}},
        "fields": [{"name": "n", "type": "long"}],
    }
)


class Schemas:
    """The database's schemas by id; `error` stands in for a database that is away."""

    def __init__(self, **texts: str) -> None:
        self.texts = {int(number.removeprefix("id")): text for number, text in texts.items()}
        self.asked: list[int] = []
        self.error: DatabaseError | None = None

    def __call__(self, number: int) -> str | None:
        self.asked.append(number)
        if self.error is not None:
            raise self.error
        return self.texts.get(number)


@pytest.fixture(autouse=True)
def _no_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail_view, "close_old_connections", lambda: None)


def view(
    contract: StreamContract = JSON, where: str | None = None, schemas: Schemas | None = None
) -> TailView:
    return TailView(StreamInfo(READING, PROFILE, "t", contract, schemas or Schemas()), where)


def records(*values: bytes) -> list[Any]:
    return [Record(0, number, value, None, 1_767_261_600_000) for number, value in enumerate(values)]


def numbers(*values: int) -> list[Any]:
    return records(*(json.dumps({"n": n}).encode() for n in values))


def test_without_a_condition_the_newest_are_chosen() -> None:
    chosen = view().choose(numbers(*range(800)))
    assert (chosen.arrived, chosen.evaluated) == (800, 800)
    assert [message.offset() for message in chosen.matches] == list(range(300, 800))


def test_only_what_meets_the_condition_is_chosen() -> None:
    chosen = view(where="n > 1 AND _offset < 4").choose([*numbers(1, 2, 3), *records(b"no row")])
    assert (chosen.arrived, chosen.evaluated, [message.offset() for message in chosen.matches]) == (
        4,
        4,
        [1, 2],
    )


@pytest.mark.parametrize("where", ["n >", "nothing = 1", "n", "reflect('java.lang.System', 'exit')"])
def test_a_condition_with_faults_is_refused(where: str) -> None:
    with pytest.raises(ServiceError) as refused:
        view(where=where)
    assert refused.value.code == "FILTER_INVALID"


def test_a_stream_that_is_too_fast_is_tried_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_000.0]
    monkeypatch.setattr(tail_view.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(tail_view, "FILTER_TIME_S", 60.0)  # only their number is bounded here
    reader, batch = view(where="n >= 0"), numbers(*range(400))
    tried = [reader.choose(batch) for _ in range(3)]
    assert [(one.arrived, one.evaluated) for one in tried] == [(400, 400), (400, 100), (400, 1)]
    assert [message.offset() for message in tried[2].matches] == [399], "the newest"
    now[0] += 0.1
    assert reader.choose(batch).evaluated == pytest.approx(200, abs=2)


def test_a_version_that_is_registered_meanwhile_is_read() -> None:
    schemas = Schemas()
    reader = view(AVRO, "n = 5", schemas)
    assert [message.offset() for message in reader.choose(records(framed(1, b"\x0a"))).matches] == [0]
    assert (reader.show(records(framed(2, b"\x02\x0a")))[0]["malformed"] or {})["reason"] == "SCHEMA_UNKNOWN"
    schemas.texts[2] = LATER
    later = records(framed(2, b"\x02\x0a"), framed(2, b"\x02\x0c"))
    assert [message.offset() for message in reader.choose(later).matches] == [0]
    assert [shown["row"] for shown in reader.show(later)] == [{"n": 5}, {"n": 6}]
    assert schemas.asked.count(2) == 1


def test_ids_that_are_made_up_cost_little() -> None:
    schemas = Schemas()
    reader = view(AVRO, schemas=schemas)
    reader.choose(records(*(framed(number, b"\x02") for number in range(2, 400))))
    assert len(schemas.asked) == 10


def test_a_database_that_is_away_is_asked_again() -> None:
    schemas = Schemas(id2=LATER)
    reader, later = view(AVRO, "n = 5", schemas), records(framed(2, b"\x02\x0a"))
    schemas.error = DatabaseError("away")
    assert reader.choose(later).matches == []
    schemas.error = None
    assert reader.choose(later).matches == later
