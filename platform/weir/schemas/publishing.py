"""Telling engines of schemas: the only writer of ``weir.schemas``.

A client hears the id of a schema only after the topic has it, so no record carries an id that an engine could not find.
"""

from collections.abc import Iterable
from typing import Final

import structlog

from jobs.messages import SCHEMAS_TOPIC, WriterSchema, schema_key
from weir.clusters.telling import tell
from weir.schemas.faults import RegistryError
from weir.schemas.models import Schema
from weir.schemas.resolving import written_out
from weir.workspaces.refusals import RefusalError

_LOG: Final = structlog.get_logger("weir.schemas")
_AT_ONCE: Final = 200


def publish_schema(schema: Schema) -> None:
    """Tell engines of a schema, once.

    Raises:
        RegistryError: 50002 the home cluster did not take it; registering it again does the rest.
    """
    try:
        _publish([schema])
    except RefusalError as error:
        message = f"Registered as ID {schema.schema_id}, but running jobs weren't notified: {error.detail} Register it again."
        raise RegistryError(50002, message) from error


def publish_missing() -> None:
    """Tell engines of those schemas that they have not been told of; a tick of the reconciler, which tries again what fails."""
    waiting = list(Schema.objects.filter(published=False, kind="AVRO").select_related("workspace").order_by("pk")[:_AT_ONCE])
    try:
        _publish(waiting)
    except RefusalError as error:
        _LOG.warning("schemas are not published yet", schemas=len(waiting), error=error.detail)


def publish_all_again() -> None:
    """The topic is a new one: everything has to be told again."""
    Schema.objects.filter(published=True).update(published=False)


def retract_schema(workspace: str, schema_id: int) -> None:
    """Tell engines that a schema is gone for good; they may know it still, and records of it stay readable to them."""
    try:
        tell(SCHEMAS_TOPIC, {schema_key(workspace, schema_id): None})
    except RefusalError as error:
        _LOG.warning("a schema is not retracted", workspace=workspace, schema=schema_id, error=error.detail)


def _publish(schemas: Iterable[Schema]) -> None:
    untold = [schema for schema in schemas if schema.kind == "AVRO" and not schema.published]
    if not untold:
        return
    texts = {schema_key(schema.workspace.slug, schema.schema_id): written_out(schema) for schema in untold}
    tell(SCHEMAS_TOPIC, {key: WriterSchema(text=text).model_dump_json().encode() for key, text in texts.items() if text})
    Schema.objects.filter(pk__in=[schema.pk for schema in untold]).update(published=True)
