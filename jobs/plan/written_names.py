"""Checks the names under which an output writes its fields: no clashes, and valid in its format."""

from typing import Final

from jobs.base.problems import DocumentPath, Problem, problem
from jobs.document_parts import OutputRef
from jobs.formats.avro_row_schema import row_schema
from jobs.formats.avro_schema import is_avro_name, parse_avro
from jobs.formats.avro_tree import AvroSchemaError
from jobs.formats.source_paths import path_text
from jobs.formats.written_names import clashes
from jobs.operators.output_fields import nearest
from jobs.operators.relation import Relation
from jobs.plan.queries import Sink

_AVRO_HINT: Final = (
    "Avro names start with a letter or _ and use letters, digits, _. Choose such a name, or use JSON."
)


def check_names(sink: Sink, output: OutputRef, relation: Relation) -> list[Problem]:
    """All problems of the names under which an output's fields are written.

    Args:
        sink: the planned output.
        output: the same output in the document.
        relation: of the rows; it may have unknown fields.

    Returns:
        FIELD_UNKNOWN for a field that the rows don't have, NAME_TAKEN where two fields are written to the
        same path, or one inside the other, NAME_INVALID for what is no valid Avro name.
    """
    if sink.topic is None or not sink.names:
        return []
    field_path = ("outputs", sink.name, "to", "names")
    fields = relation.schema.names
    found: list[Problem] = []
    for field, path in sink.names.items():
        if not relation.has(field):
            message = f"{sink.reference} has no field {field[:80]!r} to write as {path_text(path)}."
            found.append(problem("FIELD_UNKNOWN", (*field_path, field), message, nearest(field, fields)))
        elif output.format == "avro":
            found += _check_avro_path(path, (*field_path, field))
    for first, second in clashes(fields, sink.names):
        found.append(_clash(sink, field_path, first, second))
    if not found and output.format == "avro" and not relation.has_unknown_fields:
        found += _too_long(sink, field_path, relation)
    return found


def _check_avro_path(path: tuple[str, ...], field_path: DocumentPath) -> list[Problem]:
    """NAME_INVALID with the first part of the path that is no valid Avro name."""
    odd = next((name for name in path if not is_avro_name(name)), None)
    if odd is None:
        return []
    return [problem("NAME_INVALID", field_path, f"{odd[:80]!r} isn't a valid Avro field name.", _AVRO_HINT)]


def _clash(sink: Sink, path: DocumentPath, first: str, second: str) -> Problem:
    paths = {field: sink.names.get(field, (field,)) for field in (first, second)}
    named = second if second in sink.names else first
    if paths[first] == paths[second]:
        message = f"{first} and {second} are both written as {path_text(paths[first])}."
        return problem(
            "NAME_TAKEN", (*path, named), message, f"Write {named} under another name, or drop one of them."
        )
    taken = f"{path_text(paths[first])} is already the value of {first}"
    message = f"{second} is written as {path_text(paths[second])}, but {taken}."
    return problem(
        "NAME_TAKEN",
        (*path, named),
        message,
        f"Write {second} to another path, or {first} under another name.",
    )


def _too_long(sink: Sink, path: DocumentPath, relation: Relation) -> list[Problem]:
    """NAME_INVALID where a generated Avro name is too long: nested records are named by their path."""
    try:
        parse_avro(row_schema(relation.schema, sink.topic or "", sink.names))
    except AvroSchemaError as error:
        return [
            problem(
                "NAME_INVALID",
                path,
                f"These names aren't valid in Avro: {error}",
                "Choose shorter names, or use JSON.",
            )
        ]
    return []
