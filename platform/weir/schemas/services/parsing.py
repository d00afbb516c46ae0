"""Parses and validates schemas of either kind within the limits of `jobs.formats`."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Final

import jsonschema_rs

from jobs.formats.avro_schema import parse_avro
from jobs.formats.avro_tree import MAX_NESTING, AvroSchemaError, AvroType
from jobs.formats.json_schema_patterns import PatternsError, backtracking_options
from jobs.formats.json_text import depth_of, strict_json
from jobs.formats.record_formats import MAX_SCHEMA_CHARS
from weir.schemas.errors import RegistryError
from weir.schemas.services.canonical_form import canonical_avro, canonical_json_schema
from weir.schemas.services.json_documents import bundled

KINDS: Final = ("AVRO", "JSON")


@dataclass(frozen=True)
class ParsedSchema:
    """A schema's text, and its parsed form for compatibility checks: a tree for Avro, for JSON Schema the
    values with those of the schemas that it refers to (`json_documents.bundled`).
    """

    kind: str
    text: str
    tree: Any

    def digest(self, references: list[dict[str, Any]], metadata: dict[str, Any]) -> str:
        """Hash that identifies a schema."""
        identity = json.dumps(
            [self.kind, self.text, references, *([metadata] if metadata else [])], sort_keys=True
        )
        return hashlib.sha256(identity.encode()).hexdigest()


def parse_schema(
    kind: str, text: str, references: dict[str, str], *, normalize: bool = False
) -> ParsedSchema:
    """Parse a schema.

    Args:
        kind: AVRO or JSON.
        text: of the schema.
        references: texts of the schemas it refers to, by the names it uses, each after
            those that it uses itself.
        normalize: convert the text to its canonical form.

    Raises:
        RegistryError: 42201 not a valid schema, 42209 too large.
    """
    if len(text) > MAX_SCHEMA_CHARS:
        raise RegistryError(42209, f"The schema has {len(text)} characters; the limit is {MAX_SCHEMA_CHARS}.")
    if kind not in KINDS:
        raise RegistryError(42201, f"Schema type {kind[:40]} isn't supported. Use {' or '.join(KINDS)}.")
    if depth_of(text) > 2 * MAX_NESTING:
        raise RegistryError(42201, "Invalid schema: nested too deeply.")
    values = _json_values(kind, text)
    compact = _compact(values)
    if kind == "AVRO":
        tree = parse_avro_schema(compact, tuple(references.values()))
        return ParsedSchema(
            kind, _compact(canonical_avro(values, _values_of(references))) if normalize else compact, tree
        )
    check_json_schema(values, references)
    written = _compact(canonical_json_schema(values)) if normalize else compact
    return ParsedSchema(kind, written, bundled(values, references))


def _json_values(kind: str, text: str) -> Any:
    """A schema's JSON values; a primitive type of Avro may come as its bare name."""
    try:
        return strict_json(text)
    except (ValueError, RecursionError) as error:
        name = text.strip()
        if kind == "AVRO" and name.isalpha():
            return name
        raise RegistryError(42201, f"Invalid schema: {_not_json(error)}") from None


def _not_json(error: ValueError | RecursionError) -> str:
    """Where a text is not valid JSON."""
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: line {error.lineno}, column {error.colno}: {error.msg}."
    return "not JSON."


def _compact(values: Any) -> str:
    return json.dumps(values, separators=(",", ":"), ensure_ascii=False)


def _values_of(references: dict[str, str]) -> list[Any]:
    return [json.loads(text) for text in references.values()]


def parse_avro_schema(text: str, references: tuple[str, ...]) -> AvroType:
    """An Avro schema's tree.

    Raises:
        RegistryError: 42201.
    """
    try:
        return parse_avro(text, references)
    except AvroSchemaError as error:
        raise RegistryError(42201, f"Invalid schema: {error}") from error


def check_json_schema(values: Any, references: dict[str, str]) -> None:
    """Validate a JSON Schema; no external reference is fetched.

    Raises:
        RegistryError: 42201.
    """

    def among_references(uri: str) -> Any:
        for name, text in references.items():
            if uri == name or uri.endswith("/" + name):
                return json.loads(text)
        raise ValueError("it is not a reference of this schema")

    if not isinstance(values, dict | bool):
        raise RegistryError(42201, "Invalid schema: a JSON Schema must be an object or a boolean.")
    try:
        options = backtracking_options(values, *map(json.loads, references.values()))
        jsonschema_rs.validator_for(values, retriever=among_references, pattern_options=options)
    except PatternsError as error:
        raise RegistryError(42201, f"Invalid schema: {error}") from error
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        raise RegistryError(42201, f"Invalid schema: {str(error).splitlines()[0][:300]}") from error
