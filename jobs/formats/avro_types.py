"""Which fields a stream has whose records are of an Avro schema."""

from typing import Final

from jobs.base.schemas import Field
from jobs.base.types import (
    BOOLEAN,
    BYTES,
    DATE,
    DOUBLE,
    INT,
    LONG,
    MAX_DEPTH,
    MAX_PRECISION,
    MEMBER_NAME,
    STRING,
    TIMESTAMP,
    Array,
    DataType,
    Decimal,
    Map,
    Member,
    Struct,
)
from jobs.formats.avro_tree import MAX_FIELDS, AvroSchemaError, AvroType

_PLAIN: Final[dict[str, DataType]] = {
    "boolean": BOOLEAN,
    "int": INT,
    "long": LONG,
    "float": DOUBLE,
    "double": DOUBLE,
    "bytes": BYTES,
    "fixed": BYTES,
    "string": STRING,
    "enum": STRING,
}
_TIMESTAMPS: Final = {
    f"{local}timestamp-{unit}" for local in ("", "local-") for unit in ("millis", "micros", "nanos")
}


class _Count:
    """How many fields the types have when written out:
    shared types count each time, so that none can explode.
    """

    def __init__(self) -> None:
        self.fields = 0


def fields_of(schema: AvroType) -> tuple[Field, ...]:
    """The fields of a record schema, in order.

    Raises:
        AvroSchemaError: not a record; recursive; an array of values without width; a name that cannot be a
            field's; too large.
    """
    if schema.kind != "record":
        raise AvroSchemaError(f"The schema of a stream must be a record, not {schema.described}.")
    if not schema.fields:
        raise AvroSchemaError("The record has no fields.")
    count = _Count()
    return tuple(
        Field(part.name, *_type(part.type, part.name, (schema.name,), count)) for part in schema.fields
    )


def type_of(schema: AvroType) -> tuple[DataType, bool]:
    """The type of a schema that need not be a record, and whether it may be null.

    Raises:
        AvroSchemaError: as for `fields_of`.
    """
    return _type(schema, "", (), _Count())


def branches_of(union: AvroType) -> tuple[AvroType, ...]:
    """The branches of a union without null."""
    return tuple(part for part in union.parts if part.kind != "null")


def merged_type(union: AvroType) -> DataType | None:
    """The one type that holds every branch of a union of several, or None: then it is a struct of members."""
    kinds = {part.kind if not part.logical else f"{part.kind} {part.logical}" for part in branches_of(union)}
    if kinds == {"int", "long"}:
        return LONG
    return DOUBLE if kinds == {"float", "double"} else None


def _type(node: AvroType, at: str, above: tuple[str, ...], count: _Count) -> tuple[DataType, bool]:
    """The type of a node and whether it may be null."""
    _check_nesting(node, at, above)
    inside = (*above, node.name or node.kind) if node.kind in ("record", "array", "map") else above
    match node.kind:
        case "null":
            raise AvroSchemaError("The field is always null, so it has no type.", at)
        case "record":
            return _struct(node, at, inside, count), False
        case "array":
            return _array(node, at, inside, count), False
        case "map":
            return Map(*_type(node.parts[0], f"{at}{{}}", inside, count)), False
        case "union":
            return _union(node, at, above, count), any(part.kind == "null" for part in node.parts)
        case _:
            return leaf_type(node, at), False


def _check_nesting(node: AvroType, at: str, above: tuple[str, ...]) -> None:
    if len(at.split(".")) > MAX_DEPTH or len(above) > MAX_DEPTH:
        raise AvroSchemaError(f"The schema is nested deeper than {MAX_DEPTH} levels.", at)
    if node.name and node.name in above:
        raise AvroSchemaError(f"{node.name} contains itself; recursive schemas aren't supported.", at)


def _array(node: AvroType, at: str, inside: tuple[str, ...], count: _Count) -> Array:
    if has_no_width(node.parts[0]):
        raise AvroSchemaError(
            "The items take no bytes, so a small record could claim any number of them.", at
        )
    return Array(*_type(node.parts[0], f"{at}[]", inside, count))


def leaf_type(node: AvroType, at: str = "") -> DataType:
    """The type of a node without parts."""
    if node.logical == "date":
        return DATE
    if node.logical in _TIMESTAMPS:
        return TIMESTAMP
    if node.logical == "uuid":
        return STRING
    if node.logical == "decimal":
        if node.precision > MAX_PRECISION:
            raise AvroSchemaError(f"Decimals are limited to {MAX_PRECISION} digits.", at)
        return Decimal(node.precision, node.scale)
    return _PLAIN[node.kind]


def _struct(node: AvroType, at: str, above: tuple[str, ...], count: _Count) -> Struct:
    count.fields += len(node.fields)
    if count.fields > MAX_FIELDS:
        raise AvroSchemaError(f"The expanded schema has more than {MAX_FIELDS} fields.", at)
    if not node.fields:
        raise AvroSchemaError(f"{node.name} has no fields.", at)
    members = []
    for part in node.fields:
        here = f"{at}.{part.name}" if at else part.name
        if not MEMBER_NAME.fullmatch(part.name):
            raise AvroSchemaError("Member names are limited to 63 characters.", here)
        members.append(Member(part.name, *_type(part.type, here, above, count)))
    return Struct(tuple(members))


def _union(node: AvroType, at: str, above: tuple[str, ...], count: _Count) -> DataType:
    branches = branches_of(node)
    if not branches:
        raise AvroSchemaError("The field is always null, so it has no type.", at)
    if len(branches) == 1:
        return _type(branches[0], at, above, count)[0]
    merged = merged_type(node)
    if merged is not None:
        return merged
    count.fields += len(branches)
    return Struct(
        tuple(
            Member(f"member{i}", _type(part, f"{at}.member{i}", above, count)[0])
            for i, part in enumerate(branches)
        )
    )


def has_no_width(node: AvroType, known: dict[str, bool] | None = None) -> bool:
    """True when a value of this type may take no bytes at all.

    Args:
        node: of a schema.
        known: answers by name of a record, each of which is looked at once: forty records, each named twice
            by the one before it, would be a million million.
    """
    known = {} if known is None else known
    if node.kind == "record":
        if node.name not in known:
            known[node.name] = False  # what contains itself has no end
            known[node.name] = all(has_no_width(part.type, known) for part in node.fields)
        return known[node.name]
    return node.kind == "null" or (node.kind == "fixed" and node.size == 0)
