"""Avro schemas of records' writers, in `weir.schemas`."""

from typing import Final

from jobs.kafka_messages.message import Message

SCHEMAS_WHOLE_KEY: Final = "/whole"
"""The key of the record that says: before it every schema stands that there was. A topic that took the place
of one that was deleted lacks it until all were written again. No workspace has the empty name.
"""


def schema_key(workspace: str, schema_id: int) -> str:
    """The key of a schema in `weir.schemas`. Ids are unique only within a workspace's registry."""
    return f"{workspace}/{schema_id}"


class WriterSchema(Message):
    """An Avro schema by which records are written; it needs no other. A tombstone: it was deleted for good.

    It is in `weir.schemas` before its id is returned to a client, so before any record that carries it.
    """

    text: str
