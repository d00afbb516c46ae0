"""A test as a play: its clock is moved, times and values become records of Kafka."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from jobs.base.instants import Instant
from jobs.base.problems import DocumentPath, Problem, problem
from jobs.base.time_units import MILLISECOND_US
from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.records import Row
from jobs.job_tests.document import BatchStep, JobTest, SentRecord
from jobs.job_tests.record_bytes import (
    CannotWriteError,
    deletion_bytes,
    key_bytes,
    value_bytes,
)
from jobs.job_tests.time_values import time_value
from jobs.job_tests.times import TimeTextError, read_start, read_time
from jobs.play import Action, Advance, Heartbeat, PlayBatch, PlayRecord, Restart

_FORMS: Final = "Write values, or for a table delete, or the record's own key and value."
Contracts = Mapping[str, StreamContract]
"""By source of the job document."""


@dataclass
class _Clock:
    """The test's time: it never goes back, and follows what arrives."""

    start: Instant
    now: Instant
    silent: frozenset[str] = frozenset()
    problems: list[Problem] = field(default_factory=list)

    def read(self, text: str, path: DocumentPath) -> Instant | None:
        try:
            return read_time(text, self.start)
        except TimeTextError as error:
            self.problems.append(problem("PARAMETER_RANGE", path, str(error)))
            return None

    def read_ms(self, text: str, path: DocumentPath) -> Instant | None:
        """A time that Kafka or a change event holds."""
        found = self.read(text, path)
        if found is not None and found % MILLISECOND_US:
            message = "Kafka timestamps and times of changes are whole milliseconds."
            self.problems.append(problem("PARAMETER_RANGE", path, message, "Leave the rest out."))
            return None
        return found


def batches_of(test: JobTest, contracts: Contracts) -> tuple[tuple[PlayBatch, ...], list[Problem]]:
    """The batches of a test as a play reads them.

    Args:
        test: parsed.
        contracts: by source of the job document.

    Returns:
        The batches, and what cannot be sent as it is written, with its place in the test.
    """
    try:
        start = read_start(test.start)
    except TimeTextError as error:
        return (), [problem("PARAMETER_RANGE", ("start",), str(error))]
    clock = _Clock(start, start)
    made = tuple(
        _batch(batch, ("batches", str(number)), clock, contracts) for number, batch in enumerate(test.batches)
    )
    return made, clock.problems


def _batch(batch: BatchStep, path: DocumentPath, clock: _Clock, contracts: Contracts) -> PlayBatch:
    before: list[Action] = []
    if batch.restart is not None:
        before.append(Restart(uncommitted=batch.restart == "crash"))
    if batch.silent is not None:
        clock.problems += [
            _unknown_source(name, (*path, "silent", str(at)), contracts)
            for at, name in enumerate(batch.silent)
            if name not in contracts
        ]
        clock.silent = frozenset(batch.silent)
    if batch.advance is not None:
        before += _advanced(batch.advance, (*path, "advance"), clock, contracts)
    for name, text in batch.heartbeats.items():
        before += _heartbeats(name, text, (*path, "heartbeats", name), clock, contracts)
    records = {
        name: _records(name, sent, (*path, "records", name), clock, contracts)
        for name, sent in batch.records.items()
    }
    return PlayBatch(before=tuple(before), records=records)


def _records(
    name: str, sent: list[SentRecord], path: DocumentPath, clock: _Clock, contracts: Contracts
) -> tuple[PlayRecord, ...]:
    if name not in contracts:
        clock.problems.append(_unknown_source(name, path, contracts))
        return ()
    made = [_record(record, (*path, str(at)), clock, contracts[name]) for at, record in enumerate(sent)]
    return tuple(record for record in made if record is not None)


def _unknown_source(name: str, path: DocumentPath, contracts: Contracts) -> Problem:
    return problem(
        "PARAMETER_RANGE",
        path,
        f"The job has no source {name[:80]!r}.",
        f"Its sources are {', '.join(contracts) or 'not known'}.",
    )


def _advanced(text: str, path: DocumentPath, clock: _Clock, contracts: Contracts) -> list[Action]:
    try:
        moved = read_time(text, clock.now)
    except TimeTextError as error:
        clock.problems.append(problem("PARAMETER_RANGE", path, str(error)))
        return []
    if moved < clock.now:
        clock.problems.append(
            problem("PARAMETER_RANGE", path, "Time only passes forward.", "Write a duration such as 10m.")
        )
        return []
    going_on = [
        name for name, contract in contracts.items() if contract.kind == "stream" and name not in clock.silent
    ]
    passed = Advance(by_us=moved - clock.now)
    clock.now = moved
    return [passed, *(Heartbeat(source=name, at_us=moved) for name in going_on)]


def _heartbeats(
    name: str, text: str, path: DocumentPath, clock: _Clock, contracts: Contracts
) -> list[Action]:
    if name not in contracts:
        clock.problems.append(_unknown_source(name, path, contracts))
        return []
    moment = clock.read(text, path)
    if moment is None:
        return []
    clock.now = max(clock.now, moment)
    return [Heartbeat(source=name, at_us=moment)]


def _record(
    record: SentRecord, path: DocumentPath, clock: _Clock, contract: StreamContract
) -> PlayRecord | None:
    if len(record.forms) != 1:
        message = "The record says nothing." if not record.forms else "The record is said in two ways."
        clock.problems.append(problem("PARAMETER_MISSING", path, message, _FORMS))
        return None
    times = _times(record, path, clock, contract)
    if times is None:
        return None
    at, arrives = times
    try:
        key, value = _bytes(record, contract, clock.start, at)
    except CannotWriteError as error:
        place = (*path, record.forms[0])
        clock.problems.append(problem("TYPE_MISMATCH", place, str(error), _FORMS))
        return None
    if arrives is None:
        said = at if record.at is not None else _said_time(key, value, contract, clock.now)
        arrives = max(clock.now, said)
    clock.now = max(clock.now, arrives)
    return PlayRecord(key=key, value=value, timestamp_us=arrives // MILLISECOND_US * MILLISECOND_US)


def _said_time(key: bytes | None, value: bytes | None, contract: StreamContract, now: Instant) -> Instant:
    """The event time that a record's own bytes say; the clock's time where they say none."""
    # The record does not arrive before its time: `max_ahead` refuses none.
    row = decode(value, key, contract.model_copy(update={"max_ahead": None}), now)
    return row.event_time if isinstance(row, Row) else now


def _times(
    record: SentRecord, path: DocumentPath, clock: _Clock, contract: StreamContract
) -> tuple[Instant, Instant | None] | None:
    """Event time and Kafka timestamp of a record; None: one of them cannot be read, or both are one.

    The Kafka timestamp is None where the record does not say it.
    """
    by_kafka = _is_timed_by_kafka(record, contract)
    read_at = clock.read_ms if by_kafka or contract.event_time.kind == "change" else clock.read
    at = clock.now if record.at is None else read_at(record.at, (*path, "at"))
    arrives = None if record.arrives is None else clock.read_ms(record.arrives, (*path, "arrives"))
    if at is None or (record.arrives is not None and arrives is None):
        return None
    if by_kafka and record.at is not None:
        if arrives not in (None, at):
            message = "Its event time is the Kafka timestamp, so at and arrives are one."
            clock.problems.append(
                problem("PARAMETER_RANGE", (*path, "arrives"), message, "Leave one of them out.")
            )
            return None
        return at, at
    return at, arrives


def _is_timed_by_kafka(record: SentRecord, contract: StreamContract) -> bool:
    """Whether its event time is its Kafka timestamp: also that of a deletion without the field of the time
    (`docs/semantics/time.md#event-time-of-a-record`).
    """
    rule = contract.event_time
    deleted = record.delete is not None and not set(rule.read_from) <= set(contract.key)
    return rule.kind == "kafka_timestamp" or deleted


def _bytes(
    record: SentRecord, contract: StreamContract, start: Instant, at: Instant
) -> tuple[bytes | None, bytes | None]:
    if record.values is None and record.delete is None:
        return _encoded(record.key, record.base64), _encoded(record.value, record.base64)
    if record.delete is not None:
        if contract.kind != "table":
            raise CannotWriteError("Only rows of a table can be deleted.")
        by_key = contract.event_time.field in contract.key
        gone = _with_event_time(record.delete, record, contract, at) if by_key else record.delete
        return key_bytes(gone, contract, start), deletion_bytes(gone, contract, start, at)
    values = _with_event_time(record.values or {}, record, contract, at)
    return key_bytes(values, contract, start), value_bytes(values, contract, start, at)


def _with_event_time(
    given: Mapping[str, object], record: SentRecord, contract: StreamContract, at: Instant
) -> dict[str, object]:
    """The values, with the event time in its field where they don't have that."""
    values = dict(given)
    rule = contract.event_time
    if rule.kind == "corrected" and record.at is not None:
        raise CannotWriteError(
            "The event time of this stream is made of several clocks; write their fields in values."
        )
    if rule.kind != "field" or rule.field is None:
        return values
    if rule.field in values:
        if record.at is not None:
            raise CannotWriteError(f"Its event time is in at and in {rule.field}; leave one of them out.")
        return values
    declared = {field.name: field.type for field in contract.schema_of_rows}[rule.field]
    return {**values, rule.field: time_value(at, rule, declared)}


def _encoded(text: str | None, is_base64: bool) -> bytes | None:
    if text is None:
        return None
    if not is_base64:
        return text.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:
        raise CannotWriteError("Key and value must be base64, as the record says.") from error
