"""Publishes schemas to engines: the only writer of the topic ``weir.schemas``.

A client gets the id of a schema only after the topic has it, so no record carries an id
that an engine cannot find.
"""

from collections.abc import Iterable
from typing import Final

import structlog

from jobs.kafka_messages import SCHEMAS_TOPIC, WriterSchema, schema_key
from weir.clusters.services.system_topics import publish
from weir.schemas.errors import RegistryError
from weir.schemas.models import Schema
from weir.schemas.services.contract_schemas import inlined_text
from weir.workspaces.errors import ServiceError

_LOG: Final = structlog.get_logger("weir.schemas")
_BATCH_SIZE: Final = 200


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
    """Publish the schemas that are not published yet; run by the reconciler, which retries after errors."""
    pending = list(
        Schema.objects.filter(published=False, kind="AVRO")
        .select_related("workspace")
        .order_by("pk")[:_BATCH_SIZE]
    )
    try:
        _publish(pending)
    except ServiceError as error:
        _LOG.warning("schemas are not published yet", schemas=len(pending), error=error.detail)


def republish_all() -> None:
    """Mark all schemas as unpublished, because the topic was recreated."""
    Schema.objects.filter(published=True).update(published=False)


def retract_schema(workspace: str, schema_id: int) -> None:
    """Publish a tombstone for a deleted schema. Engines may still have it, and can still
    decode its records.
    """
    try:
        publish(SCHEMAS_TOPIC, {schema_key(workspace, schema_id): None})
    except ServiceError as error:
        _LOG.warning("a schema is not retracted", workspace=workspace, schema=schema_id, error=error.detail)


def _publish(schemas: Iterable[Schema]) -> None:
    unpublished = [schema for schema in schemas if schema.kind == "AVRO" and not schema.published]
    if not unpublished:
        return
    texts = {
        schema_key(schema.workspace.slug, schema.schema_id): inlined_text(schema) for schema in unpublished
    }
    publish(
        SCHEMAS_TOPIC,
        {key: WriterSchema(text=text).model_dump_json().encode() for key, text in texts.items() if text},
    )
    Schema.objects.filter(pk__in=[schema.pk for schema in unpublished]).update(published=True)
