"""Whether a stream's contract makes sense: what pydantic cannot see field by field."""

from typing import Final

from jobs.base.names import is_reserved
from jobs.base.problems import Problem, problem
from jobs.base.time_zones import is_zone
from jobs.base.types import DATE, DURATION, STRING, TIMESTAMP, holds, is_numeric, parse_type, type_text
from jobs.formats.contract import EventTime, StreamContract, TimeReading
from jobs.formats.encoding_check import check_encoding
from jobs.formats.time_patterns import compile_pattern

_TIME_TYPES: Final = (STRING, TIMESTAMP, DATE)


def check_contract(contract: StreamContract, path: tuple[str, ...] = ()) -> list[Problem]:
    """All problems of a contract: names, types, and whether its event time can be read (`docs/semantics/time.md#event-time-of-a-record`).

    Args:
        contract: well-formed by itself.
        path: where it stands in the request or document.

    Returns:
        NAME_TAKEN, NAME_RESERVED, TYPE_NOT_OUTPUT, FIELD_UNKNOWN, TYPE_MISMATCH, KEY_TYPE, PARAMETER_MISSING, FORMAT_UNSUPPORTED,
        ZONE_UNKNOWN.
    """
    found: list[Problem] = []
    seen: set[str] = set()
    for place, field in enumerate(contract.fields):
        here = (*path, "fields", str(place))
        if field.name in seen:
            found.append(problem("NAME_TAKEN", (*here, "name"), f"There are two fields {field.name}."))
        if is_reserved(field.name):
            found.append(problem("NAME_RESERVED", (*here, "name"), "Names that start with _ belong to the system."))
        if holds(parse_type(field.type), lambda leaf: leaf == DURATION):
            found.append(
                problem("TYPE_NOT_OUTPUT", (*here, "type"), "A record cannot hold a duration.", "Use long and say its unit in the name.")
            )
        seen.add(field.name)
    return found + check_encoding(contract, path) + _event_time(contract, (*path, "event_time"))


def _event_time(contract: StreamContract, path: tuple[str, ...]) -> list[Problem]:
    rule = contract.event_time
    if rule.kind == "corrected":
        return _corrected(contract, rule, path)
    if rule.kind == "change" and contract.format != "debezium":
        hint = "Say kafka_timestamp, or the field that holds it."
        return [problem("TYPE_MISMATCH", (*path, "kind"), "Only change events say when a change was made.", hint)]
    if rule.kind == "field" and rule.field is None:
        return [problem("PARAMETER_MISSING", (*path, "field"), "Say which field holds the event time.")]
    return _reading(contract, rule.field if rule.kind == "field" else None, rule, path)


def _corrected(contract: StreamContract, rule: EventTime, path: tuple[str, ...]) -> list[Problem]:
    found: list[Problem] = []
    for name, part in (("device", rule.device), ("sent", rule.sent), ("received", rule.received)):
        if part is not None:
            found += _reading(contract, part.field, part, (*path, name))
        elif name != "received":
            hint = "The event time is device + (received − sent): what the device's clock said of the event, and when it sent the record."
            found.append(problem("PARAMETER_MISSING", (*path, name), f"Say which field holds `{name}`.", hint))
    return found


def _reading(contract: StreamContract, name: str | None, rule: TimeReading, path: tuple[str, ...]) -> list[Problem]:
    """Whether a field can be read as an instant; None: only what is said without one."""
    if not is_zone(rule.zone):
        return [problem("ZONE_UNKNOWN", (*path, "zone"), f"{rule.zone!r} is not a zone.", "Use a name such as Europe/Berlin or UTC.")]
    if name is None:
        return []
    declared = contract.schema_of_rows.get(name)
    if declared is None:
        return [problem("FIELD_UNKNOWN", (*path, "field"), f"There is no field {name}.", "Declare it first.")]
    if is_numeric(declared.type):
        return [] if rule.unit else [problem("PARAMETER_MISSING", (*path, "unit"), "A number needs its unit.", "Say s, ms, us or ns.")]
    if declared.type not in _TIME_TYPES:
        message = f"{type_text(declared.type)} cannot be an event time."
        return [problem("TYPE_MISMATCH", (*path, "field"), message, "Use a number, a text, a timestamp or a date.")]
    return _text_rule(rule, path) if declared.type == STRING else []


def _text_rule(rule: TimeReading, path: tuple[str, ...]) -> list[Problem]:
    if rule.format is None:
        return [
            problem(
                "PARAMETER_MISSING", (*path, "format"), "A text needs its format.", "Say iso, or a pattern such as dd.MM.yyyy HH:mm:ss."
            )
        ]
    if rule.format == "iso" or compile_pattern(rule.format) is not None:
        return []
    hint = "Patterns hold yyyy MM dd HH mm ss, S up to 9 times, XXX and quoted text, each once."
    return [problem("FORMAT_UNSUPPORTED", (*path, "format"), f"{rule.format!r} is not a pattern that can be read.", hint)]
