"""Keys of table rows: read from records, given by people, ordered, and written as text."""

import json
from typing import Any

from jobs.formats.avro_records import SchemaOf
from jobs.formats.contract import StreamContract
from jobs.formats.record_formats import JsonEncoding
from jobs.formats.record_key import read_key
from jobs.formats.records import Malformed, json_value
from weir.workspaces.errors import ServiceError

Key = tuple[Any, ...]


def key_of(raw: bytes | None, contract: StreamContract, schema_of: SchemaOf | None) -> Key | None:
    """The key of a record; None where it has none of the table's."""
    found = read_key(raw, contract, schema_of)
    return None if isinstance(found, Malformed) else tuple(found[name] for name in contract.key)


def key_text(key: Key) -> str:
    """A key as JSON: its identity (`docs/semantics/identity-and-results.md#identity`)."""
    return json.dumps([json_value(part) for part in key], separators=(",", ":"), ensure_ascii=False)


def given_key(text: str, contract: StreamContract) -> Key:
    """A key as people write it: an object of the key fields, a list of them, or of one field its bare
    value as JSON or as text.

    The members of an object are called as in jobs, or as in the key itself.

    Raises:
        ServiceError: it is no key of these records.
    """
    as_written = contract.model_copy(update={"key_encoding": JsonEncoding()})
    as_named = as_written.model_copy(
        update={"fields": tuple(field.model_copy(update={"path": None}) for field in contract.fields)}
    )
    candidates = (text, json.dumps(text)) if len(contract.key) == 1 else (text,)
    for candidate in candidates:
        found = [
            key
            for form in (as_named, as_written)
            if (key := key_of(candidate.encode(), form, None)) is not None
        ]
        if found:
            return max(found, key=lambda key: sum(part is not None for part in key))
    declared = {field.name: field.type for field in contract.fields}
    wanted = ", ".join(f"{name} ({declared[name]})" for name in contract.key)
    raise ServiceError(
        "KEY_INVALID",
        f"{text[:80]!r} isn't a valid key; expected {wanted}. Enter JSON: an object, a list, or the value.",
    )
