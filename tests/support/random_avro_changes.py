"""Change events in Avro envelopes at random, of columns that fields are declared as in each way they may
be.
"""

import json
from random import Random
from typing import Any, Final

from jobs.base.types import DATE, TIMESTAMP, DataType, Decimal, type_text
from jobs.formats.avro_records import parsed
from jobs.formats.avro_tree import AvroSchemaError
from jobs.formats.avro_types import fields_of
from jobs.formats.contract import StreamContract
from jobs.formats.debezium_avro import fits_column, row_members
from tests.support.random_avro import Pair, Schemas, pair_of

_TIMES: Final = (
    "long", ["null", "long"], "int", {"type": "long", "logicalType": "timestamp-millis"},
    {"type": "long", "logicalType": "timestamp-micros"}, {"type": "int", "logicalType": "date"}, "double",
    "string",
)  # fmt: skip
_COLUMNS: Final = ("int", "long", "string", ["null", "string"], ["null", "long"])
_ELSEWISE: Final = (TIMESTAMP, DATE, Decimal(4, 2), Decimal(20, 2))
_BEFORE: Final = {"type": "record", "name": "Before", "fields": [{"name": "id", "type": "int"}]}
_OPS: Final = (
    ["c", "u", "d", "r"],
    ["c", "d", "t", "m"],
    ["u", "x", "c"],
)


def random_envelope(random: Random, records: int) -> Pair:
    """An envelope's schemas and events; operations are symbols of an enum, so that the right ones come."""
    schemas = Schemas(random)
    row = schemas.record(1)
    row["fields"] += [
        {"name": f"c{number}", "type": random.choice(_COLUMNS)} for number in range(random.randint(1, 3))
    ]
    source = {
        "type": "record",
        "name": "Source",
        "fields": [{"name": "ts_ms", "type": random.choice(_TIMES)}],
    }
    op = {"type": "enum", "name": "Op", "symbols": random.choice(_OPS)}
    envelope = {
        "type": "record",
        "name": "Envelope",
        "fields": [
            {"name": "before", "type": ["null", _BEFORE]},
            {"name": "after", "type": random.choice((["null", row], row))},
            {"name": "source", "type": random.choice((source, ["null", source]))},
            {"name": "op", "type": op},
            {"name": "ts_ms", "type": random.choice(_TIMES)},
        ],
    }
    return pair_of(random, schemas, envelope, records)


def change_contract(random: Random, pair: Pair, prefix: str) -> StreamContract | None:
    """The contract of a pair's reader; None where it has no fields for us.

    Args:
        random: draws as what a column is declared.
        pair: of `random_envelope`.
        prefix: of the names of fields.
    """
    try:
        columns = row_members(fields_of(parsed(pair.reader)))
    except AvroSchemaError:
        return None
    declared = [
        {
            "name": f"{prefix}{name}",
            "type": type_text(_declared(random, column.type)),
            "path": [name],
        }
        for name, column in columns.items()
    ]
    inner = {"format": "avro", "schema": pair.reader, "framing": "confluent", "writers": {1: pair.writer}}
    encoding: dict[str, Any] = {
        "format": "debezium",
        "time_unit": random.choice(("ms", "us", "ns")),
        "inner": inner,
    }
    return StreamContract.model_validate({"encoding": encoding, "fields": declared})


def _declared(random: Random, column: DataType) -> DataType:
    fitting = [kind for kind in _ELSEWISE if fits_column(kind, column)]
    return random.choice(fitting) if fitting and random.random() < 0.7 else column


def shown_schemas(pair: Pair) -> str:
    """For messages of a test."""
    return json.dumps([json.loads(pair.writer), json.loads(pair.reader)])
