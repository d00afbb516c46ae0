"""Avro schemas of records' writers, in `weir.schemas`."""

from jobs.kafka_messages.message import Message


def schema_key(workspace: str, schema_id: int) -> str:
    """The key of a schema in `weir.schemas`. Ids are unique only within a workspace's registry."""
    return f"{workspace}/{schema_id}"


class WriterSchema(Message):
    """An Avro schema by which records are written; it needs no other. A tombstone: it was deleted for good.

    It is in `weir.schemas` before its id is returned to a client, so before any record that carries it.
    """

    text: str
