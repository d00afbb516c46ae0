"""Rules for the fields that a step outputs: names, types, number."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from jobs.base.budget import spend
from jobs.base.names import is_name, is_reserved
from jobs.base.problems import DocumentPath, Problem, problem
from jobs.base.types import DURATION, NULL, TOO_LARGE, Array, DataType, Map, Struct, type_size, type_text

MAX_FIELDS: Final = 500


def check_name(name: str, path: DocumentPath) -> list[Problem]:
    """NAME_RESERVED or NAME_INVALID when `name` cannot be the name of a field, step, source or output."""
    if is_reserved(name):
        return [
            problem(
                "NAME_RESERVED",
                path,
                f"Invalid name {name!r}: names starting with _ are reserved.",
                "Start with a letter.",
            )
        ]
    if not is_name(name):
        return [
            problem(
                "NAME_INVALID",
                path,
                f"Invalid name {name[:80]!r}.",
                "Start with a letter; use letters, digits, _ (max 63).",
            )
        ]
    return []


def check_type(data_type: DataType, path: DocumentPath) -> list[Problem]:
    """TYPE_NOT_OUTPUT when a field cannot have the type: a bare null, a type that contains durations, or one
    that is too large.
    """
    if too_large := check_size(data_type, path):
        return too_large
    if data_type == NULL:
        return [problem("TYPE_NOT_OUTPUT", path, "null has no type here.", "Cast it: cast(null as string).")]
    if _holds_duration(data_type):
        message = f"Durations can't be output; this is {type_text(data_type)}."
        return [problem("TYPE_NOT_OUTPUT", path, message, "Convert it to a number with to_micros(…).")]
    return []


def check_size(data_type: DataType, path: DocumentPath) -> list[Problem]:
    """TYPE_NOT_OUTPUT for a type that is too large. The size of others counts as work, because every step
    below looks at it again.
    """
    size = type_size(data_type)
    if size is None:
        return [problem("TYPE_NOT_OUTPUT", path, "The type of this field is too large.", TOO_LARGE)]
    spend(size)
    return []


def _holds_duration(data_type: DataType) -> bool:
    match data_type:
        case Array(element):
            return _holds_duration(element)
        case Map(value):
            return _holds_duration(value)
        case Struct(members):
            return any(_holds_duration(member.type) for member in members)
        case _:
            return data_type == DURATION


def check_count(count: int, path: DocumentPath) -> list[Problem]:
    """EMPTY_SCHEMA when the step outputs no field, PARAMETER_RANGE for more than 500."""
    if count == 0:
        return [problem("EMPTY_SCHEMA", path, "The step drops all fields.", "Keep at least one field.")]
    if count > MAX_FIELDS:
        return [
            problem(
                "PARAMETER_RANGE",
                path,
                f"The step outputs {count} fields; the limit is {MAX_FIELDS}.",
                "Drop unused fields with select.",
            )
        ]
    return []


def nearest(name: str, allowed: Iterable[str]) -> str:
    """A hint with the allowed name that is most similar, else with up to 20 allowed names; "" if there are
    none.
    """
    choices = sorted(allowed)
    close = get_close_matches(name, choices, n=1, cutoff=0.6)
    if close:
        return f"Did you mean {close[0]}?"
    if not choices:
        return ""
    return "Available: " + ", ".join(choices[:20]) + (", …" if len(choices) > 20 else ".")
