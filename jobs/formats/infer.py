"""Proposing a contract from a sample of records. It proposes; a person decides."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from jobs.base.instants import Instant, instant_text
from jobs.base.iso_times import read_date, read_instant
from jobs.base.names import is_name
from jobs.base.time_units import MILLISECOND_US, SECOND_US
from jobs.base.types import LONG_RANGE, MAX_PRECISION
from jobs.formats.contract import EventTime
from jobs.formats.field_names import proposed_names
from jobs.formats.infer_columns import is_readable, sampled_columns
from jobs.formats.infer_hints import FieldHint, encodable, field_hints
from jobs.formats.infer_records import sampled_record, with_usual_columns, within_bounds
from jobs.formats.json_text import NumberText
from jobs.formats.record_formats import CsvEncoding, Encoding, JsonEncoding
from jobs.formats.records import Malformed
from jobs.formats.source_paths import SourcePath

_MAX_FIELDS: Final = 500
_MAX_DEPTH: Final = 8  # of objects that become structs; deeper ones become maps
_DEEPEST: Final = 12  # of lists and objects; a type may be nested a little deeper
_TOO_DEEP: Final = f"Values nested deeper than {_DEEPEST} levels are left out."
_MAX_MEMBERS: Final = 50  # of an object that counts as a struct
_EXAMPLES: Final = 3
_ENOUGH: Final = 20  # records before a field is proposed as required
_YEAR_2000: Final = 946_684_800_000_000
_YEAR_2096: Final = 3_976_214_400_000_000
_UNITS: Final = {"s": SECOND_US, "ms": MILLISECOND_US, "us": 1, "ns": 0}
_TIME_NAME: Final = re.compile(
    r"(^|_)(ts|time|timestamp|date|datetime|at|when|created|event_time|occurred)($|_)|(_at|Time|Date|At)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class InferredField:
    """A field as the sample suggests it.

    Attributes:
        name: in jobs; proposed where the record's own cannot be one.
        path: where it is read from.
        type: text form.
        nullable: False when every record of a sample of some size had a value.
        notes: what is uncertain, one sentence each.
        examples: up to three values, as JSON text.
        present: in how many records it had a value.
        kinds: which kinds of value were seen and how often, most frequent first.
        hints: what its values seem to be, beyond their type.
    """

    name: str
    path: SourcePath
    type: str
    nullable: bool
    notes: tuple[str, ...]
    examples: tuple[str, ...]
    present: int = 0
    kinds: tuple[tuple[str, int], ...] = ()
    hints: tuple[FieldHint, ...] = ()


@dataclass(frozen=True, slots=True)
class TimeCandidate:
    """A way to read the event time, with the reason why it is proposed.

    Attributes:
        event_time: as in a contract.
        reason: for people.
        lacking: how many records of the sample have no such value, and would be malformed.
    """

    event_time: EventTime
    reason: str
    lacking: int = 0


@dataclass(frozen=True, slots=True)
class Inference:
    """What a sample suggests.

    Attributes:
        fields: in order of first appearance.
        event_times: best first; the broker's own time is always among them.
        records: how many records were read as rows.
        malformed: how many could not be; change events that leave no row are neither.
        notes: about the sample as a whole.
    """

    fields: tuple[InferredField, ...]
    event_times: tuple[TimeCandidate, ...]
    records: int
    malformed: int
    notes: tuple[str, ...]


def infer(samples: list[bytes], encoding: Encoding | None = None) -> Inference:
    """Fields, types and event-time candidates of a sample of record values.

    Types are the narrowest that hold every value seen; where none does, that of the kind seen most, of kinds
    seen equally often the first. Values of a line are texts, so they have a type that holds all.

    Args:
        samples: values of records, without tombstones.
        encoding: one of which `jobs.formats.infer_records.can_sample` is true; None: plain JSON.
    """
    written = encoding or JsonEncoding()
    looked_at = within_bounds(samples, written)
    parsed = [sampled_record(sample, written) for sample in looked_at]
    if isinstance(written, CsvEncoding) and written.columns is None:
        parsed = with_usual_columns(parsed)
    objects = [record for record in parsed if isinstance(record, dict)]
    bad = [record for record in parsed if isinstance(record, Malformed)]
    columns = sampled_columns(objects)
    if isinstance(written, CsvEncoding):
        columns = {path: _texts_where_mixed(values) for path, values in columns.items()}
    paths = _proposed_paths(columns)
    names = proposed_names(paths)
    inferred = [_field_and_time(names[path], path, columns[path], len(objects)) for path in paths]
    found = [one for one in inferred if one is not None]
    deep = (f"Members skipped because they are nested too deeply: {len(inferred) - len(found)}.",)
    return Inference(
        fields=tuple(field for field, _ in found),
        event_times=_event_times([timed for _, timed in found]),
        records=len(objects),
        malformed=len(bad),
        notes=(
            *_left_out(len(looked_at), len(samples)),
            *_notes(looked_at, bad, columns),
            *(deep if len(found) < len(inferred) else ()),
        ),
    )


def _texts_where_mixed(values: list[Any]) -> list[Any]:
    """The values of a line's column; as texts, which they are, if they look like several kinds."""
    kinds = {_type_kind(value) for value in values if value is not None}
    return [_written(value) for value in values] if len(kinds) > 1 else values


def _written(value: Any) -> Any:
    match value:
        case NumberText():
            return value.text
        case bool():
            return "true" if value else "false"
        case _:
            return value


def _left_out(looked_at: int, samples: int) -> tuple[str, ...]:
    if looked_at == samples:
        return ()
    return (f"Only {looked_at} of {samples} records were looked at: together they have too many values.",)


def _notes(samples: list[bytes], bad: list[Malformed], columns: Iterable[SourcePath]) -> list[str]:
    """What of the sample is missing in the proposal."""
    notes: list[str] = []
    if bad:
        reasons = ", ".join(sorted({one.reason for one in bad}))
        notes.append(f"{len(bad)} of {len(samples)} records couldn't be decoded: {reasons}.")
    paths = list(columns)
    unread = sum(not is_readable(path) for path in paths)
    if unread or len(paths) > _MAX_FIELDS:
        missed = max(unread, len(paths) - _MAX_FIELDS)
        notes.append(f"{missed} members were skipped: too many, or with names that no contract can have.")
    return notes


def _proposed_paths(columns: Iterable[SourcePath]) -> list[SourcePath]:
    return [path for path in columns if is_readable(path)][:_MAX_FIELDS]


def _field_and_time(
    name: str, path: SourcePath, values: list[Any], records: int
) -> tuple[InferredField, TimeCandidate | None] | None:
    plain = _field(name, path, values, records)
    if plain is None:
        return None
    timed = _candidate(plain, values, records)
    return replace(plain, hints=_hints(plain, values, timed)), timed


def _event_times(timed: Iterable[TimeCandidate | None]) -> tuple[TimeCandidate, ...]:
    """The candidates that every record has, those whose names suggest a time first; the Kafka timestamp; then
    those that some records lack.
    """
    candidates = [found for found in timed if found is not None]
    candidates.sort(key=lambda found: not _TIME_NAME.search(found.event_time.field or ""))
    kafka = TimeCandidate(
        EventTime(kind="kafka_timestamp"), "The Kafka timestamp of each record; always set."
    )
    complete = [found for found in candidates if found.lacking == 0]
    return (*complete, kafka, *(found for found in candidates if found.lacking))


def _field(name: str, path: SourcePath, values: list[Any], records: int) -> InferredField | None:
    """A member's field; None where no type can hold its values."""
    given = [value for value in values if value is not None]
    notes: list[str] = []
    data_type = _type(given, notes, 0)
    if data_type is None:
        return None
    if len(given) < records:
        notes.append(f"Missing or null in {records - len(given)} of {records} records.")
    elif records < _ENOUGH:
        notes.append(f"Always present, but only in a sample of {records} records.")
    required = len(given) == records and records >= _ENOUGH
    examples = tuple(dict.fromkeys(_example(value) for value in given[:50]))[:_EXAMPLES]
    kinds = Counter(_KIND_WORDS[_kind(value)] for value in given)
    return InferredField(
        name,
        path,
        data_type,
        not required,
        tuple(dict.fromkeys(notes)),
        examples,
        len(given),
        tuple(kinds.most_common()),
    )


def _hints(field: InferredField, values: list[Any], timed: TimeCandidate | None) -> tuple[FieldHint, ...]:
    if timed is not None:
        return (FieldHint("time", timed.reason),)
    given = [value.text if isinstance(value, NumberText) else value for value in values if value is not None]
    kinds = {kind for kind, _ in field.kinds}
    return field_hints(field.name, given, texts=kinds == {"text"}) if kinds in ({"text"}, {"integer"}) else ()


def _type(values: list[Any], notes: list[str], depth: int) -> str | None:
    """The type of some values; None where they are nested too deeply for any."""
    kinds = Counter(map(_type_kind, values))
    if not kinds:
        notes.append("All values were null; the type is a guess.")
        return "string"
    if len(kinds) > 1:
        notes.append(
            "The values have different types ("
            + ", ".join(sorted(kinds))
            + "); records with the other types will be malformed."
        )
    ((most_frequent, _),) = kinds.most_common(1)
    if most_frequent in ("list", "object") and depth >= _DEEPEST:
        notes.append(_TOO_DEEP)
        return None
    return _type_of_kind(most_frequent, values, notes, depth)


def _type_of_kind(kind: str, values: list[Any], notes: list[str], depth: int) -> str | None:
    """The type of those values that are of this kind."""
    chosen = [value for value in values if _type_kind(value) == kind]
    match kind:
        case "list":
            return _list_type(chosen, notes, depth)
        case "object":
            return _object_type(chosen, notes, depth)
        case "text":
            return _text_type(chosen)
        case "boolean":
            return "boolean"
        case _:
            return _number_type(chosen, notes)


_KIND_WORDS: Final = {
    "boolean": "true or false",
    "whole": "integer",
    "real": "number",
    "text": "text",
    "list": "list",
    "object": "object",
}


def _kind(value: Any) -> str:
    match value:
        case bool():
            return "boolean"
        case NumberText():
            return "whole" if value.whole else "real"
        case str():
            return "text"
        case list():
            return "list"
        case _:
            return "object"


def _type_kind(value: Any) -> str:
    """As `_kind`, with one kind for all numbers, since a type holds them all."""
    return "number" if isinstance(value, NumberText) else _kind(value)


def _number_type(values: list[NumberText], notes: list[str]) -> str:
    """Long rather than int, however small the numbers of the sample are: a counter grows."""
    if not all(value.whole for value in values):
        return "double"
    if all(len(value.text) <= 20 and int(value.text) in LONG_RANGE for value in values):
        return "long"
    if any(len(value.text.lstrip("-")) > MAX_PRECISION for value in values):
        notes.append(f"Some integers have more than {MAX_PRECISION} digits; as double they are rounded.")
        return "double"
    notes.append("Some integers don't fit into long.")
    return f"decimal({MAX_PRECISION},0)"


def _list_type(values: list[list[Any]], notes: list[str], depth: int) -> str | None:
    inner = _type([part for value in values for part in value if part is not None], notes, depth + 1)
    return None if inner is None else f"array<{inner}>"


def _text_type(values: list[str]) -> str:
    if all(read_date(value) is not None for value in values):
        return "date"
    return (
        "timestamp" if all("T" in value and read_instant(value) is not None for value in values) else "string"
    )


def _object_type(values: list[dict[str, Any]], notes: list[str], depth: int) -> str | None:
    columns = _columns(values)
    if depth <= _MAX_DEPTH and _are_members(columns):
        types = {
            name: _type([part for part in parts if part is not None], notes, depth + 1)
            for name, parts in columns.items()
        }
        members = [f"{name}:{inner}" for name, inner in types.items() if inner is not None]
        return f"struct<{','.join(members)}>" if members else None
    inner = _type([part for value in values for part in value.values() if part is not None], notes, depth + 1)
    return None if inner is None else f"map<string,{inner}>"


def _columns(values: list[dict[str, Any]]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {}
    for value in values:
        for name, part in value.items():
            columns.setdefault(name, []).append(part)
    return columns


def _are_members(names: Collection[str]) -> bool:
    """True when these can be the members of a struct, rather than the keys of a map."""
    return 0 < len(names) <= _MAX_MEMBERS and all(is_name(name) for name in names)


def _example(value: Any) -> str:
    match value:
        case NumberText():
            return value.text[:80]
        case bool():
            return "true" if value else "false"
        case str():
            return encodable(json.dumps(value, ensure_ascii=False)[:80])
        case _:
            return "[…]" if isinstance(value, list) else "{…}"


def _candidate(field: InferredField, values: list[Any], records: int) -> TimeCandidate | None:
    """A candidate when every value of the sample is a sensible time."""
    given = [value for value in values if value is not None]
    found = _candidate_of(field, given)
    lacking = records - len(given)
    if found is None or not lacking:
        return found
    reason = f"{found.reason} Missing in {lacking} of {records} records, which would be malformed."
    return replace(found, reason=reason, lacking=lacking)


def _candidate_of(field: InferredField, given: list[Any]) -> TimeCandidate | None:
    if field.type in ("timestamp", "date", "string") and _are_iso_times(given):
        as_text = {"format": "iso"} if field.type == "string" else {}
        reason = f"All values are ISO strings, e.g. {given[0]}."
        return TimeCandidate(
            EventTime.model_validate({"kind": "field", "field": field.name, **as_text}), reason
        )
    if field.type in ("long", "double") and _are_numbers(given):
        return _number_candidate(field.name, [float(value.text) for value in given])
    return None


def _are_iso_times(values: list[Any]) -> bool:
    return bool(values) and all(isinstance(value, str) and _is_event_time(value) for value in values)


def _is_event_time(text: str) -> bool:
    """True for an ISO time or date that a record may have: those up to the begin of 1970 are out of range."""
    instant = read_instant(text)
    if instant is None and read_date(text) is not None:
        instant = read_instant(f"{text}T00:00:00Z")
    return instant is not None and 0 < instant < _YEAR_2096


def _are_numbers(values: list[Any]) -> bool:
    return bool(values) and all(isinstance(value, NumberText) and not value.word for value in values)


def _number_candidate(name: str, numbers: Iterable[float]) -> TimeCandidate | None:
    values = list(numbers)
    for unit, factor in _UNITS.items():
        micros = [value * factor if factor else value / 1_000 for value in values]
        if all(_YEAR_2000 < micro < _YEAR_2096 for micro in micros):
            shown = instant_text(Instant(int(micros[0])))
            return TimeCandidate(
                EventTime(kind="field", field=name, unit=unit),
                f"All values are times in {unit}; the first is {shown}.",
            )
    return None
