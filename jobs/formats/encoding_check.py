"""Whether a contract's encodings and key can give its fields."""

from typing import Final

from jobs.base.problems import DocumentPath, Problem, problem
from jobs.base.schemas import Field
from jobs.base.types import (
    STRING,
    TIMESTAMP,
    Array,
    DataType,
    Map,
    Struct,
    is_key_type,
    parse_type,
    type_text,
)
from jobs.formats.avro_records import avro_fields, parsed
from jobs.formats.avro_tree import AvroSchemaError
from jobs.formats.avro_types import type_of
from jobs.formats.contract import FieldContract, StreamContract
from jobs.formats.debezium_avro import counted_units, fits_column, row_members
from jobs.formats.json_schema import JsonSchemaError, json_schema_values
from jobs.formats.json_schema_fields import JsonSchemaFields, can_read
from jobs.formats.json_tree import is_tree
from jobs.formats.record_formats import (
    AvroEncoding,
    CsvEncoding,
    DebeziumEncoding,
    JsonEncoding,
    TextEncoding,
)
from jobs.formats.record_key import key_fields
from jobs.formats.source_paths import ReadField, path_text
from jobs.formats.typed_paths import type_at

_CONVERSIONS: Final = {
    "ms": "timestamp_millis({})",
    "us": "timestamp_micros({})",
    "ns": "timestamp_micros({} div 1000)",
}


def check_encoding(contract: StreamContract, path: DocumentPath) -> list[Problem]:
    """Problems of kind, key and encoding.

    Returns:
        FORMAT_UNSUPPORTED, PARAMETER_MISSING, FIELD_UNKNOWN, NAME_TAKEN, KEY_TYPE, TYPE_MISMATCH.
    """
    return [
        *_avro_key(contract, path),
        *_json_elsewhere(contract, path),
        *_key(contract, path),
        *_key_paths(contract, path),
        *_fields(contract, path),
    ]


def _json_elsewhere(contract: StreamContract, path: DocumentPath) -> list[Problem]:
    """JSON Schemas are for values alone."""
    places: list[tuple[tuple[str, ...], object]] = [(("key_encoding",), contract.key_encoding)]
    if isinstance(contract.encoding, DebeziumEncoding):
        places.append((("encoding", "inner"), contract.encoding.inner))
    return [
        problem(
            "FORMAT_UNSUPPORTED",
            (*path, *place, "schema"),
            "JSON Schema validation only applies to values.",
            "Remove it here.",
        )
        for place, encoding in places
        if isinstance(encoding, JsonEncoding)
        and (encoding.json_schema is not None or encoding.subject is not None)
    ]


def _key(contract: StreamContract, path: DocumentPath) -> list[Problem]:
    types = {field.name: parse_type(field.type) for field in contract.fields}
    found = []
    if contract.kind == "table" and not contract.key:
        found.append(
            problem(
                "PARAMETER_MISSING",
                (*path, "key"),
                "A table needs a key.",
                "Set the fields in the record's key.",
            )
        )
    for place, name in enumerate(contract.key):
        here = (*path, "key", str(place))
        if name not in types:
            found.append(
                problem("FIELD_UNKNOWN", here, f"Unknown field {name}.", "Add it to the fields first.")
            )
        elif name in contract.key[:place]:
            found.append(problem("NAME_TAKEN", here, f"{name} is listed twice."))
        elif not is_key_type(types[name]):
            found.append(
                problem(
                    "KEY_TYPE",
                    here,
                    f"{type_text(types[name])} can't be part of a key.",
                    "Use strings, integers, timestamps or dates.",
                )
            )
    if isinstance(contract.key_encoding, TextEncoding) and len(contract.key) > 1:
        found.append(
            problem(
                "FORMAT_UNSUPPORTED",
                (*path, "key_encoding"),
                "A text key has exactly one field.",
                "Use json for several fields.",
            )
        )
    return found


def _key_paths(contract: StreamContract, path: DocumentPath) -> list[Problem]:
    """A text has no parts; a JSON key's are members of objects, each read once."""
    keyed = key_fields(contract)
    if isinstance(contract.key_encoding, TextEncoding):
        elsewhere, message, hint = (
            [field for field in keyed if not field.is_member],
            "A text key has no members.",
            "Remove the path.",
        )
    elif isinstance(contract.key_encoding, JsonEncoding) and not is_tree(keyed):
        elsewhere = [field for field in keyed if not field.is_member]
        message, hint = (
            "Each key field needs its own member of the key.",
            "Use member names only, no array elements.",
        )
    else:
        return []
    declared = [field.name for field in contract.fields]
    return [
        problem(
            "FORMAT_UNSUPPORTED", (*path, "fields", str(declared.index(field.name)), "path"), message, hint
        )
        for field in elsewhere
    ]


def _held(contract: StreamContract) -> list[FieldContract]:
    return [field for field in contract.fields if field.name not in contract.key]


def _fields(contract: StreamContract, path: DocumentPath) -> list[Problem]:
    held = _held(contract)
    match contract.encoding:
        case TextEncoding():
            return _text_field(contract, held, (*path, "fields"))
        case AvroEncoding() as avro:
            return _avro_fields(avro, held, contract, (*path, "encoding"))
        case DebeziumEncoding(inner=AvroEncoding() as inner):
            return _row_fields(inner, held, contract, (*path, "encoding", "inner"))
        case JsonEncoding(json_schema=str() as text):
            return _json_fields(text, held, contract, (*path, "encoding"))
        case JsonEncoding(subject=str()):
            return [
                problem(
                    "PARAMETER_MISSING",
                    (*path, "encoding", "schema"),
                    "The subject has no schema.",
                    "Enter the schema.",
                )
            ]
        case CsvEncoding() as csv:
            return [
                *_column_paths(contract, held, path),
                *_columns(csv, held, path),
                *_flat(contract, held, path),
            ]
        case _:
            return []


def _text_field(contract: StreamContract, held: list[FieldContract], path: DocumentPath) -> list[Problem]:
    if len(held) != 1 or parse_type(held[0].type) != STRING:
        message = "A text value has exactly one field of type string."
        hint = "Declare one field of type string, and split it in a step."
        return [problem("TYPE_MISMATCH", path, message, hint)]
    if held[0].path is None:
        return []
    here = (*path, str(contract.fields.index(held[0])), "path")
    return [problem("FORMAT_UNSUPPORTED", here, "A text value has no members.", "Remove the path.")]


def _columns(csv: CsvEncoding, held: list[FieldContract], path: DocumentPath) -> list[Problem]:
    if csv.columns is None:
        return []
    here = (*path, "encoding", "columns")
    twice = {name for name in csv.columns if csv.columns.count(name) > 1}
    absent = [str(field.read_from[0]) for field in held if field.read_from[0] not in csv.columns]
    return [
        *(problem("NAME_TAKEN", here, f"Column {name} is listed twice.") for name in sorted(twice)),
        *(
            problem(
                "FIELD_UNKNOWN",
                here,
                f"Column {name} isn't in the column list.",
                "List all columns in their order.",
            )
            for name in absent
        ),
    ]


def _column_paths(contract: StreamContract, held: list[FieldContract], path: DocumentPath) -> list[Problem]:
    return [
        problem(
            "FORMAT_UNSUPPORTED",
            (*path, "fields", str(place), "path"),
            "CSV columns have no members.",
            "Use the name of a column.",
        )
        for place, field in enumerate(contract.fields)
        if field in held and len(field.read_from) > 1
    ]


def _flat(contract: StreamContract, held: list[FieldContract], path: DocumentPath) -> list[Problem]:
    return [
        problem(
            "TYPE_MISMATCH",
            (*path, "fields", str(place), "type"),
            f"CSV values can't be {field.type}.",
            "Use a single-valued type.",
        )
        for place, field in enumerate(contract.fields)
        if field in held and isinstance(parse_type(field.type), Array | Map | Struct)
    ]


def _json_fields(
    text: str, held: list[FieldContract], contract: StreamContract, path: DocumentPath
) -> list[Problem]:
    try:
        fields = JsonSchemaFields(json_schema_values(text))
        given = [path_text((field.name,)) for field in fields.members()]
        types = [fields.type_at(field.read_from) for field in held]
    except JsonSchemaError as error:
        message = f"This JSON Schema can't validate records: {error}"
        return [_unsupported(path, message, "Use a self-contained JSON Schema of type object.")]
    found = []
    for field, read in zip(held, types, strict=True):
        here = _place_of(field, contract, path[:-1])
        if read is None:
            message = f"The schema has no property {path_text(field.read_from)} with a single type."
            found.append(_unknown(field, here, message, f"Its properties: {', '.join(given) or 'none'}."))
        elif not can_read(parse_type(field.type), read):
            found.append(_unreadable(field, here, read))
    return found


def _avro_fields(
    encoding: AvroEncoding, held: list[FieldContract], contract: StreamContract, path: DocumentPath
) -> list[Problem]:
    try:
        given = {field.name: field for field in avro_fields(encoding)}
    except AvroSchemaError as error:
        message = f"The schema can't be converted to fields: {error}"
        return [_unsupported(path, message, "Use a record schema.")]
    found = []
    for field in held:
        here = _place_of(field, contract, path[:-1])
        read = type_at(given, field.read_from)
        if read is None:
            message = f"The schema has no field {path_text(field.read_from)}."
            found.append(_unknown(field, here, message, f"Its fields: {', '.join(given)}."))
        elif field.type != type_text(read):
            found.append(
                _mismatch(here, f"{field.name} is {type_text(read)} in the schema, not {field.type}.")
            )
    return found


def _row_fields(
    encoding: AvroEncoding, held: list[FieldContract], contract: StreamContract, path: DocumentPath
) -> list[Problem]:
    try:
        columns = {
            name: Field(name, member.type, member.nullable)
            for name, member in row_members(avro_fields(encoding)).items()
        }
    except AvroSchemaError as error:
        message = f"The schema isn't a change event schema: {error}"
        return [_unsupported(path, message, "Use the envelope schema that the connector registered.")]
    units = counted_units(parsed(encoding.avro_schema or ""))
    unit = contract.encoding.time_unit if isinstance(contract.encoding, DebeziumEncoding) else ""
    found = []
    for field in held:
        here = _place_of(field, contract, path[:-2])
        column = type_at(columns, field.read_from)
        if column is None:
            message = f"The row has no column {path_text(field.read_from)}."
            found.append(_unknown(field, here, message, f"Its columns: {', '.join(columns)}."))
        elif not fits_column(parse_type(field.type), column):
            found.append(_unreadable(field, here, column))
        elif parse_type(field.type) == TIMESTAMP and units.get(str(field.read_from[0]), unit) != unit:
            found.append(_of_another_unit(field, here, units[str(field.read_from[0])], unit))
    return found


def _place_of(field: FieldContract, contract: StreamContract, path: DocumentPath) -> DocumentPath:
    return (*path, "fields", str(contract.fields.index(field)))


def _unsupported(path: DocumentPath, message: str, hint: str) -> Problem:
    return problem("FORMAT_UNSUPPORTED", (*path, "schema"), message, hint)


def _unknown(field: FieldContract, here: DocumentPath, message: str, known: str) -> Problem:
    return problem("FIELD_UNKNOWN", (*here, _named(field)), message, known)


def _unreadable(field: FieldContract, here: DocumentPath, read: DataType) -> Problem:
    return _mismatch(
        here, f"{field.name} is {type_text(read)} in the schema, which can't be read as {field.type}."
    )


def _of_another_unit(field: FieldContract, here: DocumentPath, counts: str, unit: str) -> Problem:
    return problem(
        "TYPE_MISMATCH",
        (*here, "type"),
        f"{field.name} counts {counts} in the schema, and time_unit is {unit}.",
        f"Set time_unit to {counts}, or declare {field.name} as long and convert it in a step: "
        f"{_CONVERSIONS[counts].format(field.name)}.",
    )


def _mismatch(here: DocumentPath, message: str) -> Problem:
    return problem(
        "TYPE_MISMATCH", (*here, "type"), message, "Declare the schema's type, and cast in a step."
    )


def _avro_key(contract: StreamContract, path: DocumentPath) -> list[Problem]:
    encoding, here = contract.key_encoding, (*path, "key_encoding", "schema")
    if not isinstance(encoding, AvroEncoding):
        return []
    try:
        held = _held_by_key(encoding)
    except AvroSchemaError as error:
        return [
            problem(
                "FORMAT_UNSUPPORTED",
                here,
                f"The key's schema can't be converted to fields: {error}",
                "Enter the key's schema.",
            )
        ]
    message = "The key's schema doesn't have the key fields with these types."
    keyed = key_fields(contract)
    if len(keyed) < len(contract.key):
        return [problem("TYPE_MISMATCH", here, message, "Add the key fields first.")]
    if not isinstance(held, dict) and len(keyed) > 1:
        return [problem("TYPE_MISMATCH", here, "A key that is no record has exactly one field.")]
    if all(_gives(held, field) for field in keyed):
        return []
    return [problem("TYPE_MISMATCH", here, message, f"Its fields: {_listed(held)}.")]


def _held_by_key(encoding: AvroEncoding) -> dict[str, Field] | DataType:
    """The fields of the key's record by name, or the type of a key that is no record."""
    tree = parsed(encoding.avro_schema or "")
    if tree.kind == "record":
        return {field.name: field for field in avro_fields(encoding)}
    return type_of(tree)[0]


def _gives(held: dict[str, Field] | DataType, field: ReadField) -> bool:
    given = type_at(held, field.path) if isinstance(held, dict) else held
    return given is not None and type_text(given) == type_text(field.type)


def _listed(held: dict[str, Field] | DataType) -> str:
    if isinstance(held, dict):
        return ", ".join(f"{field.name}: {type_text(field.type)}" for field in held.values())
    return type_text(held)


def _named(field: FieldContract) -> str:
    """Which part of a declared field says where it is read from."""
    return "name" if field.path is None else "path"
