"""Whether a contract's encodings and key can give its fields."""

from typing import Final

from jobs.base.problems import Problem, problem
from jobs.base.types import STRING, Array, Map, Struct, is_key_type, parse_type, type_text
from jobs.formats.contract import FieldContract, StreamContract
from jobs.formats.encodings import CsvEncoding, DebeziumEncoding, TextEncoding

PLANNED_FORMATS: Final = ("avro", "csv", "text", "debezium")  # read by no decoder yet: refused by name
PLANNED_KINDS: Final = ("table",)
PLANNED_KEY: Final = True
PLANNED_FRAMING: Final = ("confluent",)


def check_encoding(contract: StreamContract, path: tuple[str, ...]) -> list[Problem]:
    """Problems of kind, key and encoding.

    Returns:
        FORMAT_UNSUPPORTED, PARAMETER_MISSING, FIELD_UNKNOWN, NAME_TAKEN, KEY_TYPE, TYPE_MISMATCH.
    """
    return [*_planned(contract, path), *_key(contract, path), *_fields(contract, path)]


def _planned(contract: StreamContract, path: tuple[str, ...]) -> list[Problem]:
    encoding = contract.encoding
    inner = encoding.inner if isinstance(encoding, DebeziumEncoding) else encoding
    found = []
    for name in {encoding.format, inner.format}:
        if name in PLANNED_FORMATS:
            found.append(problem("FORMAT_UNSUPPORTED", (*path, "encoding"), f"Records in {name} cannot be read yet.", "Use json."))
    if not found and getattr(inner, "framing", "none") in PLANNED_FRAMING:
        found.append(problem("FORMAT_UNSUPPORTED", (*path, "encoding", "framing"), "Framed records cannot be read yet.", "Use none."))
    if contract.kind in PLANNED_KINDS:
        found.append(problem("FORMAT_UNSUPPORTED", (*path, "kind"), "Tables cannot be read yet.", "Register the topic as a stream."))
    elif contract.key and PLANNED_KEY:
        found.append(problem("FORMAT_UNSUPPORTED", (*path, "key"), "Keys cannot be read yet.", "Leave the key out."))
    return found


def _key(contract: StreamContract, path: tuple[str, ...]) -> list[Problem]:
    types = {field.name: parse_type(field.type) for field in contract.fields}
    found = []
    if contract.kind == "table" and not contract.key:
        found.append(problem("PARAMETER_MISSING", (*path, "key"), "A table needs its key.", "Name the fields that the record's key holds."))
    for place, name in enumerate(contract.key):
        here = (*path, "key", str(place))
        if name not in types:
            found.append(problem("FIELD_UNKNOWN", here, f"There is no field {name}.", "Declare it first."))
        elif name in contract.key[:place]:
            found.append(problem("NAME_TAKEN", here, f"{name} is named twice."))
        elif not is_key_type(types[name]):
            found.append(problem("KEY_TYPE", here, f"{type_text(types[name])} cannot be part of a key.", "Use text, whole numbers, times."))
    if isinstance(contract.key_encoding, TextEncoding) and len(contract.key) > 1:
        found.append(problem("FORMAT_UNSUPPORTED", (*path, "key_encoding"), "A text holds one key field.", "Use json for several."))
    return found


def value_fields(contract: StreamContract) -> list[FieldContract]:
    """The fields that a record's value holds: all, less those read from its key (a change event holds them too)."""
    if isinstance(contract.encoding, DebeziumEncoding):
        return list(contract.fields)
    return [field for field in contract.fields if field.name not in contract.key]


def _fields(contract: StreamContract, path: tuple[str, ...]) -> list[Problem]:
    held = value_fields(contract)
    match contract.encoding:
        case TextEncoding() if len(held) != 1 or parse_type(held[0].type) != STRING:
            hint = "Declare one field of type string; split it in a step."
            return [problem("TYPE_MISMATCH", (*path, "fields"), "A text value is one field of type string.", hint)]
        case CsvEncoding() as csv:
            return [*_columns(csv, held, path), *_flat(contract, held, path)]
        case _:
            return []


def _columns(csv: CsvEncoding, held: list[FieldContract], path: tuple[str, ...]) -> list[Problem]:
    if csv.columns is None:
        return []
    here = (*path, "encoding", "columns")
    twice = {name for name in csv.columns if csv.columns.count(name) > 1}
    absent = [field.name for field in held if field.name not in csv.columns]
    return [
        *(problem("NAME_TAKEN", here, f"The column {name} is named twice.") for name in sorted(twice)),
        *(problem("FIELD_UNKNOWN", here, f"No column holds the field {name}.", "Name all columns in their order.") for name in absent),
    ]


def _flat(contract: StreamContract, held: list[FieldContract], path: tuple[str, ...]) -> list[Problem]:
    return [
        problem("TYPE_MISMATCH", (*path, "fields", str(place), "type"), f"A CSV value cannot hold {field.type}.", "Use a plain type.")
        for place, field in enumerate(contract.fields)
        if field in held and isinstance(parse_type(field.type), Array | Map | Struct)
    ]
