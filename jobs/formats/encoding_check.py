"""Whether a contract's encodings and key can give its fields."""

from typing import Final

from jobs.base.problems import Problem, problem
from jobs.base.types import STRING, Array, Map, Struct, is_key_type, parse_type, type_text
from jobs.formats.contract import FieldContract, StreamContract
from jobs.formats.encodings import CsvEncoding, DebeziumEncoding, TextEncoding

PLANNED_FORMATS: Final = ("avro",)  # refused by name until Spark reads them


def check_encoding(contract: StreamContract, path: tuple[str, ...]) -> list[Problem]:
    """Problems of kind, key and encoding.

    Returns:
        FORMAT_UNSUPPORTED, PARAMETER_MISSING, FIELD_UNKNOWN, NAME_TAKEN, KEY_TYPE, TYPE_MISMATCH.
    """
    return [*_planned(contract, path), *_key(contract, path), *_fields(contract, path)]


def _planned(contract: StreamContract, path: tuple[str, ...]) -> list[Problem]:
    encoding = contract.encoding
    names = {encoding.format, encoding.inner.format if isinstance(encoding, DebeziumEncoding) else "", contract.key_encoding.format}
    found = []
    for name in sorted(names & set(PLANNED_FORMATS)):
        found.append(problem("FORMAT_UNSUPPORTED", (*path, "encoding"), f"Records in {name} cannot be read yet.", "Use json."))
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


def _held(contract: StreamContract) -> list[FieldContract]:
    return [field for field in contract.fields if field.name not in contract.key]


def _fields(contract: StreamContract, path: tuple[str, ...]) -> list[Problem]:
    held = _held(contract)
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
