"""What a redrive sends for a dead letter, and when it sends nothing."""

from dataclasses import dataclass
from typing import Any, cast

import pytest
from confluent_kafka import Message
from django.utils import timezone

from jobs.formats import dead_letters
from jobs.formats.malformed_reasons import MAX_BYTES
from tests.support.run_factories import trades
from tests.support.validator_factories import create_validator
from weir.dead_letters.models import DeadLetter, Redrive, Validator
from weir.dead_letters.services.edits import dump_edit, load_edit, parse_edit
from weir.dead_letters.services.redriven_records import CannotSendError, RedrivenRecords
from weir.dead_letters.services.replacement_record import dump
from weir.streams.models import Stream
from weir.streams.services import decoding
from weir.streams.services.record_input import NewRecord
from weir.workspaces.models import Workspace

pytestmark = pytest.mark.django_db
HEADERS: list[tuple[str, bytes | None]] = [
    ("trace", b"7"),
    (dead_letters.TOPIC, b"trades"),
    (dead_letters.TOPIC_ID, b"id-1"),
    (dead_letters.PARTITION, b"1"),
    (dead_letters.OFFSET, b"41"),
    (dead_letters.TIMESTAMP, b"1750000000000"),
    (dead_letters.REJECTED_BY, b"decode"),
    (dead_letters.REASON, b"NOT_JSON"),
    (dead_letters.KEY, b"a"),
]


@dataclass(frozen=True)
class Kept:
    """A record of a dead-letter topic."""

    content: bytes | None
    said: list[tuple[str, bytes | None]]

    def value(self) -> bytes | None:
        return self.content

    def headers(self) -> list[tuple[str, bytes | None]]:
        return self.said


@pytest.fixture
def validator(workspace: Workspace) -> Validator:
    return create_validator(workspace)


def sent(
    validator: Validator,
    target: Stream | None = None,
    kept: bytes | None = b"{",
    headers: list[tuple[str, bytes | None]] = HEADERS,
    partition: int = 1,
    edit: Any = (),
    **redrive: Any,
) -> NewRecord:
    row = DeadLetter(validator=validator, partition=partition, offset=41, timestamp=timezone.now())
    made = Redrive(id="r1", validator=validator, rate=1, edit=dump_edit(parse_edit(list(edit))), **redrive)
    records = RedrivenRecords(made, load_edit(made.edit), target or validator.stream)
    return records.record_of(row, cast("Message", Kept(kept, headers)))


def test_unchanged_it_goes_back_to_its_partition(validator: Validator) -> None:
    record = sent(validator)
    assert (record.value, record.key, record.partition, record.timestamp_ms) == (
        b"{", b"a", 1, 1_750_000_000_000,
    )  # fmt: skip
    assert record.headers == (
        ("trace", b"7"),
        (dead_letters.REDRIVEN_FROM, b"trades/1/41"),
        (dead_letters.REDRIVEN_BY, b"r1"),
        (dead_letters.REDRIVEN_TIMES, b"1"),
    )


def test_another_stream_or_fewer_partitions_leave_the_partition_to_the_key(validator: Validator) -> None:
    other = trades(validator.stream.workspace, name="other", topic="other")
    assert sent(validator, other).partition is None
    assert sent(validator, partition=2).partition is None


def test_a_value_or_an_edit_changes_the_value_alone(validator: Validator) -> None:
    typed = sent(validator, value=b'{"symbol":"A"}')
    assert (typed.value, typed.key, typed.partition) == (b'{"symbol":"A"}', b"a", 1)
    edit = [{"op": "set", "field": "symbol", "value": "A"}]
    edited = sent(validator, kept=b'{"price":1.50,"at":1750000000000}', edit=edit)
    assert edited.value == b'{"price":1.50,"at":1750000000000,"symbol":"A"}'
    assert (typed.timestamp_ms, edited.timestamp_ms) == (1_750_000_000_000, 1_750_000_000_000)


def test_an_edited_record_that_takes_too_long_to_check_is_not_sent(
    validator: Validator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decoding, "MAX_CPU_S", 0.0)
    edit = [{"op": "set", "field": "symbol", "value": "A"}]
    with pytest.raises(CannotSendError, match="Edited, it has too many values to be checked here"):
        sent(validator, kept=b'{"price":1.50,"at":1750000000000}', edit=edit)


def test_a_record_that_had_no_timestamp_gets_that_of_now(validator: Validator) -> None:
    without = [(name, b"-1" if name == dead_letters.TIMESTAMP else value) for name, value in HEADERS]
    assert sent(validator, headers=without).timestamp_ms is None


def test_a_replacement_with_another_key_goes_where_that_key_goes(validator: Validator) -> None:
    same = sent(validator, record=dump(NewRecord(b"1", b"a", (("own", b"1"),))))
    assert (same.value, same.partition, same.headers[0]) == (b"1", 1, ("own", b"1"))
    assert same.timestamp_ms == 1_750_000_000_000
    other = sent(validator, record=dump(NewRecord(b"1", b"b")))
    assert (other.key, other.partition) == (b"b", None)
    assert (dead_letters.REDRIVEN_FROM, b"trades/1/41") in other.headers


@pytest.mark.parametrize(
    ("kept", "headers", "redrive", "says"),
    [
        (b"{", [("trace", b"7")], {}, "The topic was recreated; the record is gone."),
        (b"{", [*HEADERS, (dead_letters.TRUNCATED, b"31457281")], {}, "it had 31457281 bytes"),
        (b"{", HEADERS, {"edit": [{"op": "remove", "field": "price"}]}, "isn't a JSON object"),
        (b"x" * MAX_BYTES, HEADERS, {}, "the limit is 991808"),
    ],
)
def test_what_cannot_be_sent(
    validator: Validator,
    kept: bytes,
    headers: list[tuple[str, bytes | None]],
    redrive: dict[str, Any],
    says: str,
) -> None:
    with pytest.raises(CannotSendError, match=says):
        sent(validator, kept=kept, headers=headers, **redrive)


def test_a_value_of_its_own_is_sent_for_a_truncated_one(validator: Validator) -> None:
    headers = [*HEADERS, (dead_letters.TRUNCATED, b"31457281")]
    assert sent(validator, headers=headers, value=b"{}").value == b"{}"
