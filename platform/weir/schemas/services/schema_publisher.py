"""Publishes schemas to engines: the only writer of the topic ``weir.schemas``.

A client gets the id of a schema only after the topic has it, so no record carries an id
that an engine cannot find.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import structlog

from jobs.formats.record_formats import MAX_SCHEMA_CHARS
from jobs.kafka_messages import SCHEMAS_TOPIC, SCHEMAS_WHOLE_KEY, WriterSchema, schema_key
from weir.clusters.services.system_topics import publish
from weir.schemas.errors import RegistryError
from weir.schemas.models import Schema
from weir.schemas.services.contract_schemas import inlined_text, whole_text
from weir.schemas.services.parsing import ParsedSchema
from weir.workspaces.errors import ServiceError

_LOG: Final = structlog.get_logger("weir.schemas")
_BATCH_SIZE: Final = 200
MAX_MESSAGE_BYTES: Final = 1_000_000  # Kafka accepts a megabyte, with the key


@dataclass
class _Topic:
    """Kafka's id of the topic, and of the one that was told by this process that it has all schemas."""

    id: str = ""
    told_whole: str = ""


_topic: Final = _Topic()


def require_publishable(new: ParsedSchema, references: list[dict[str, Any]]) -> None:
    """Refuse an Avro schema that engines could not be given: with the types of its references it may be many
    times as long as its text.

    Args:
        new: the schema.
        references: that it has.

    Raises:
        RegistryError: 42209.
    """
    if new.kind != "AVRO":
        return
    text = whole_text(new.tree) if references else new.text
    if len(text) > MAX_SCHEMA_CHARS:
        raise RegistryError(
            42209,
            f"With the types of its references the schema has {len(text)} characters; "
            f"the limit is {MAX_SCHEMA_CHARS}.",
        )
    if (size := len(_message(text))) > MAX_MESSAGE_BYTES:
        raise RegistryError(42209, f"The schema has {size} bytes; the limit is {MAX_MESSAGE_BYTES}.")


def publish_schema(schema: Schema) -> None:
    """Publish a schema, once.

    Raises:
        RegistryError: 50002 the home cluster did not accept it; registering it again publishes it.
    """
    try:
        _publish([schema])
    except ServiceError as error:
        message = (
            f"Registered as ID {schema.schema_id}, but running jobs weren't notified: "
            f"{error.detail} Register it again."
        )
        raise RegistryError(50002, message) from error


def publish_pending() -> None:
    """Publish the schemas that are not published yet, the newest first, and then that all are; run by the
    reconciler, which retries after errors.
    """
    unpublished = Schema.objects.filter(published=False, kind="AVRO").select_related("workspace")
    try:
        while pending := list(unpublished.order_by("-pk")[:_BATCH_SIZE]):
            _publish(pending)
        if _topic.id != _topic.told_whole:
            publish(SCHEMAS_TOPIC, {SCHEMAS_WHOLE_KEY: b"{}"})
            _topic.told_whole = _topic.id
    except ServiceError as error:
        _LOG.warning("schemas are not published yet", schemas=unpublished.count(), error=error.detail)


def note_topic(topic_id: str) -> None:
    """Note Kafka's id of the topic: another one is told when it has all schemas. This process tells one that
    it sees for the first time, too, because one from before that was so was never told.
    """
    _topic.id = topic_id


def republish_all() -> None:
    """Mark all schemas as unpublished, because the topic is to be created again."""
    Schema.objects.filter(published=True).update(published=False)


def retract_schemas(workspace: str, schema_ids: list[int]) -> None:
    """Publish a tombstone for each deleted schema. Engines may still have them, and can still
    decode their records.
    """
    if not schema_ids:
        return
    try:
        publish(SCHEMAS_TOPIC, {schema_key(workspace, schema_id): None for schema_id in schema_ids})
    except ServiceError as error:
        _LOG.warning("schemas are not retracted", workspace=workspace, schemas=schema_ids, error=error.detail)


def _publish(schemas: Iterable[Schema]) -> None:
    unpublished = [schema for schema in schemas if schema.kind == "AVRO" and not schema.published]
    if not unpublished:
        return
    texts = {
        schema_key(schema.workspace.slug, schema.schema_id): inlined_text(schema) for schema in unpublished
    }
    values = {key: _message(text) for key, text in texts.items() if text}
    # One from before sizes were checked must not hold up all others for ever.
    publish(SCHEMAS_TOPIC, {key: value for key, value in values.items() if len(value) <= MAX_MESSAGE_BYTES})
    Schema.objects.filter(pk__in=[schema.pk for schema in unpublished]).update(published=True)


def _message(text: str) -> bytes:
    return WriterSchema(text=text).model_dump_json().encode()
