"""Schemas in requests, not registered yet."""

from dataclasses import dataclass, field
from typing import Any

from weir.schemas.services.parsing import ParsedSchema, parse_schema
from weir.schemas.services.queries import (
    reference_texts,
)
from weir.workspaces.models import Workspace


@dataclass(frozen=True)
class SchemaDraft:
    """A schema in a request, not registered yet.

    Attributes:
        kind: AVRO or JSON.
        text: of the schema.
        references: ``[{"name", "subject", "version"}, …]``.
        metadata: of its owner; schemas with different metadata are different schemas.
        schema_id, version: requested in IMPORT mode.
    """

    kind: str
    text: str
    references: list[dict[str, Any]]
    schema_id: int | None = None
    version: int | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


def parse_draft(workspace: Workspace, draft: SchemaDraft, *, normalize: bool = False) -> ParsedSchema:
    """Parse a client's schema with the references of the workspace.

    Raises:
        RegistryError: 42201, 42209.
    """
    return parse_schema(
        draft.kind, draft.text, reference_texts(workspace, draft.references), normalize=normalize
    )
