"""Whether a stream's contract makes sense: what pydantic cannot see field by field."""

from typing import Final

from jobs.base.durations import MAX_SPAN, ZERO, parse_duration
from jobs.base.names import is_reserved
from jobs.base.problems import DocumentPath, Problem, problem
from jobs.base.time_patterns import compile_pattern
from jobs.base.time_units import MILLISECOND_US
from jobs.base.time_zones import is_zone
from jobs.base.types import DATE, DURATION, STRING, TIMESTAMP, holds, is_numeric, parse_type, type_text
from jobs.formats.contract import EventTime, StreamContract, TimeFormat
from jobs.formats.encoding_check import check_encoding
from jobs.formats.shared_places import check_shared_places

MAX_TYPES_CHARS: Final = 200_000  # of the types of all fields: each check of a job reads them again
_TIME_TYPES: Final = (STRING, TIMESTAMP, DATE)


def check_contract(contract: StreamContract, path: DocumentPath = ()) -> list[Problem]:
    """All problems of a contract: names, types, and whether its event time can be read
    (`docs/semantics/time.md#event-time-of-a-record`).

    Args:
        contract: well-formed by itself.
        path: where it stands in the request or document.

    Returns:
        NAME_TAKEN, NAME_RESERVED, TYPE_NOT_OUTPUT, FIELD_UNKNOWN, TYPE_MISMATCH, KEY_TYPE, PARAMETER_MISSING,
        FORMAT_UNSUPPORTED, ZONE_UNKNOWN, PARAMETER_RANGE.
    """
    found: list[Problem] = []
    seen: set[str] = set()
    for place, field in enumerate(contract.fields):
        here = (*path, "fields", str(place))
        if field.name in seen:
            found.append(problem("NAME_TAKEN", (*here, "name"), f"Duplicate field {field.name}."))
        if is_reserved(field.name):
            found.append(problem("NAME_RESERVED", (*here, "name"), "Names starting with _ are reserved."))
        if holds(parse_type(field.type), lambda leaf: leaf == DURATION):
            found.append(
                problem(
                    "TYPE_NOT_OUTPUT",
                    (*here, "type"),
                    "Records can't contain durations.",
                    "Use long, with the unit in the field name.",
                )
            )
        seen.add(field.name)
    return (
        found
        + _size(contract, (*path, "fields"))
        + check_encoding(contract, path)
        + check_shared_places(contract, path)
        + _event_time(contract, (*path, "event_time"))
        + _durations(contract, path)
    )


def _size(contract: StreamContract, path: DocumentPath) -> list[Problem]:
    size = sum(len(field.type) for field in contract.fields)
    if size <= MAX_TYPES_CHARS:
        return []
    message = f"The types of the fields have {size:,} characters; the limit is {MAX_TYPES_CHARS:,}."
    return [problem("PARAMETER_RANGE", path, message, "Declare only the members that jobs need.")]


def _durations(contract: StreamContract, path: DocumentPath) -> list[Problem]:
    """The engine counts watermark delays in milliseconds, and no time beyond a long."""
    found = []
    for name, written in (("delay", contract.delay), ("max_ahead", contract.max_ahead)):
        span = ZERO if written is None else parse_duration(written)
        if not ZERO <= span <= MAX_SPAN:
            hint = f"Use a duration from {ZERO} to {MAX_SPAN}."
            found.append(problem("PARAMETER_RANGE", (*path, name), f"{written} is out of range.", hint))
        elif name == "delay" and span.us % MILLISECOND_US:
            message = "The delay must be in whole milliseconds."
            found.append(problem("PARAMETER_RANGE", (*path, name), message, "Example: 10s"))
    return found


def _event_time(contract: StreamContract, path: DocumentPath) -> list[Problem]:
    rule = contract.event_time
    if rule.kind == "corrected":
        return _corrected(contract, rule, path)
    if rule.kind == "change" and contract.format != "debezium":
        hint = "Use kafka_timestamp or a field."
        return [problem("TYPE_MISMATCH", (*path, "kind"), "change needs Debezium records.", hint)]
    if rule.kind == "field" and rule.field is None:
        return [problem("PARAMETER_MISSING", (*path, "field"), "Set the field with the event time.")]
    return _reading(contract, rule.field if rule.kind == "field" else None, rule, path)


def _corrected(contract: StreamContract, rule: EventTime, path: DocumentPath) -> list[Problem]:
    found: list[Problem] = []
    for name, part in (("device", rule.device), ("sent", rule.sent), ("received", rule.received)):
        if part is not None:
            found += _reading(contract, part.field, part, (*path, name))
        elif name != "received":
            hint = (
                "event time = device + (received − sent): the device's time of the event and of sending, "
                "and the time of receipt."
            )
            found.append(problem("PARAMETER_MISSING", (*path, name), f"Set the field of `{name}`.", hint))
    return found


def _reading(
    contract: StreamContract, name: str | None, rule: TimeFormat, path: DocumentPath
) -> list[Problem]:
    """Whether a field can be read as an instant; None: only what is said without one."""
    if not is_zone(rule.zone):
        return [
            problem(
                "ZONE_UNKNOWN",
                (*path, "zone"),
                f"Unknown time zone {rule.zone!r}.",
                "Use an IANA name such as Europe/Berlin, or UTC.",
            )
        ]
    if name is None:
        return []
    declared = contract.schema_of_rows.get(name)
    if declared is None:
        return [
            problem(
                "FIELD_UNKNOWN", (*path, "field"), f"Unknown field {name}.", "Add it to the fields first."
            )
        ]
    if is_numeric(declared.type):
        return (
            []
            if rule.unit
            else [
                problem(
                    "PARAMETER_MISSING",
                    (*path, "unit"),
                    "A numeric event time needs a unit.",
                    "Set unit: s, ms, us or ns.",
                )
            ]
        )
    if declared.type not in _TIME_TYPES:
        message = f"{type_text(declared.type)} can't be an event time."
        return [
            problem("TYPE_MISMATCH", (*path, "field"), message, "Use a number, string, timestamp or date.")
        ]
    return _text_rule(rule, path) if declared.type == STRING else []


def _text_rule(rule: TimeFormat, path: DocumentPath) -> list[Problem]:
    if rule.format is None:
        return [
            problem(
                "PARAMETER_MISSING",
                (*path, "format"),
                "A string event time needs a format.",
                "Set format: iso, or a pattern such as dd.MM.yyyy HH:mm:ss.",
            )
        ]
    if rule.format == "iso" or compile_pattern(rule.format) is not None:
        return []
    hint = "Patterns support yyyy MM dd HH mm ss, up to 9 times S, XXX and quoted text, each once."
    return [problem("FORMAT_UNSUPPORTED", (*path, "format"), f"Invalid pattern {rule.format!r}.", hint)]
