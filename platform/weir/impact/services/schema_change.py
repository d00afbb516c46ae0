"""A new version of a subject, or a new contract of a stream, checked against every job that reads the stream.

A running job goes on with the schema it began with: records of a new version must be readable with that. And
the job's document is planned once more with the new fields, as its next start would.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Q
from pydantic import ValidationError

from jobs.base.schemas import Field
from jobs.base.types import DataType, parse_type, type_text
from jobs.formats.avro_schema import parse_avro
from jobs.formats.avro_schema_json import full_schema
from jobs.formats.avro_tree import AvroSchemaError
from jobs.formats.avro_types import fields_of
from jobs.formats.contract import MAX_FIELDS, FieldContract, StreamContract
from jobs.formats.debezium_avro import fits_column, row_members
from jobs.formats.field_names import proposed_name
from jobs.formats.json_schema import JsonSchemaError, json_schema_values
from jobs.formats.json_schema_fields import JsonSchemaFields, can_read
from jobs.formats.record_formats import AvroEncoding, DebeziumEncoding, JsonEncoding
from jobs.formats.typed_paths import type_at
from weir.impact.services.job_review import NOT_CHECKED, JobReview, held_contracts
from weir.schemas.services.avro_compatibility import avro_differences
from weir.schemas.services.impact_hooks import JobImpact
from weir.schemas.services.json_compatibility import json_differences
from weir.schemas.services.json_documents import bundled
from weir.schemas.services.parsing import ParsedSchema
from weir.streams.models import Stream, StreamUse
from weir.workspaces.models import Workspace


@dataclass(frozen=True)
class _Change:
    """What is new for one stream: why its records cannot be read, its contract afterwards, its new fields."""

    unreadable: tuple[str, ...]
    contract: StreamContract | None
    added: tuple[str, ...]


_OLDER_CONTRACT: Final = (
    "It holds a contract that an older version of Weir saved, which can't be compared. Restart the job first."
)
_NOT_COMPARED: Final = _Change((NOT_CHECKED,), None, ())


def review_schema(workspace: Workspace, subject: str, new: ParsedSchema) -> list[JobImpact]:
    """Impact of a new version on each job that reads a stream of this subject.

    Args:
        workspace: whose registry, streams and jobs.
        subject: that gets the version.
        new: its schema.
    """
    review = JobReview(workspace)
    return [
        impact
        for stream in Stream.objects.of(workspace).filter(_naming(subject))
        if (contract := stream.find_contract()) is not None
        for encoding in readers(contract)
        if encoding.subject == subject
        for impact in _impacts(
            stream,
            _NOT_COMPARED if review.is_over else _change(contract, encoding, new),
            review,
            lambda held: _unreadable(held, subject, new),
        )
    ]


def _naming(subject: str) -> Q:
    """Streams whose contract names the subject: others are not even loaded."""
    return (
        Q(contract__encoding__subject=subject)
        | Q(contract__encoding__inner__subject=subject)
        | Q(contract__key_encoding__subject=subject)
    )


def _unreadable(contract: StreamContract, subject: str, new: ParsedSchema) -> tuple[str, ...]:
    """Why records of a new version cannot be read by a contract that names the subject."""
    return tuple(
        why
        for encoding in readers(contract)
        if encoding.subject == subject
        for why in _change(contract, encoding, new).unreadable
    )


def review_contract(stream: Stream, contract: StreamContract) -> list[JobImpact]:
    """Impact of a new contract on each job that reads the stream, at its next start."""
    change = _Change((), contract, _added(stream.stream_contract, contract))
    return _impacts(stream, change, JobReview(stream.workspace))


def readers(contract: StreamContract) -> Iterator[AvroEncoding | JsonEncoding]:
    """The encodings of a contract that a subject may stand behind: of its value, of the change
    events in it, of its key.
    """
    value = contract.encoding.inner if isinstance(contract.encoding, DebeziumEncoding) else contract.encoding
    for encoding in (value, contract.key_encoding):
        if isinstance(encoding, AvroEncoding | JsonEncoding):
            yield encoding


def _change(contract: StreamContract, encoding: AvroEncoding | JsonEncoding, new: ParsedSchema) -> _Change:
    return (
        _json_change(contract, encoding, new)
        if isinstance(encoding, JsonEncoding)
        else _avro_change(contract, encoding, new)
    )


def _json_change(contract: StreamContract, encoding: JsonEncoding, new: ParsedSchema) -> _Change:
    """A running job goes on holding records to the version that it began with, which may
    refuse what the new one allows.
    """
    if new.kind != "JSON":
        return _Change((f"The stream reads JSON, but the new version is {new.kind}.",), None, ())
    gaps = json_differences(
        bundled(json.loads(encoding.json_schema or "true"), {}), new.tree, fills_defaults=False
    )
    refused = tuple(f"{gap.path or 'the record'}: {gap.message}" for gap in gaps)
    try:
        fields = JsonSchemaFields(json_schema_values(new.text))
        columns = {field.name: field for field in fields.members()}
        after = _with_columns(contract, columns, lambda field: fields.type_at(field.read_from))
    except (JsonSchemaError, AvroSchemaError) as error:
        return _Change((f"The JSON Schema can't validate records: {error}",), None, ())
    except ValidationError as error:
        return _not_declared(error)
    return _Change(refused, after, _added(contract, after))


def _avro_change(contract: StreamContract, encoding: AvroEncoding, new: ParsedSchema) -> _Change:
    if new.kind != "AVRO":
        return _Change((f"The stream reads Avro, but the new version is {new.kind}.",), None, ())
    gaps = avro_differences(parse_avro(encoding.avro_schema or ""), new.tree)
    unreadable = tuple(f"{gap.path or 'the record'}: {gap.message}" for gap in gaps)
    try:
        if encoding is contract.key_encoding:
            return _Change(unreadable, _read_by(contract, new, "key_encoding"), ())
        columns = _columns(contract, new)
        after = _with_columns(contract, columns, lambda field: type_at(columns, field.read_from))
        after = _read_by(after, new, "encoding")
    except AvroSchemaError as error:
        return _Change((f"The schema can't be converted to fields: {error}",), None, ())
    except ValidationError as error:
        return _not_declared(error)
    return _Change(unreadable, after, _added(contract, after))


def _not_declared(error: ValidationError) -> _Change:
    """What a stream reads has become more than a contract can hold, such as a type of very many members."""
    return _Change((f"No contract can hold the new version: {error.errors()[0]['msg']}",), None, ())


def _read_by(contract: StreamContract, new: ParsedSchema, part: str) -> StreamContract:
    """The contract with the new version as the schema that readers see: defaults and aliases count, too."""
    schema = {"schema": json.dumps(full_schema(new.tree), separators=(",", ":"), ensure_ascii=False)}
    written = contract.as_json()
    encoding = written[part]
    filled = {"inner": {**encoding["inner"], **schema}} if "inner" in encoding else schema
    return StreamContract.model_validate({**written, part: {**encoding, **filled}})


def _added(contract: StreamContract, after: StreamContract) -> tuple[str, ...]:
    declared = {field.name for field in contract.fields}
    return tuple(field.name for field in after.fields if field.name not in declared)


def _columns(contract: StreamContract, new: ParsedSchema) -> dict[str, Field]:
    fields = fields_of(new.tree)
    if isinstance(contract.encoding, DebeziumEncoding):
        return {
            name: Field(name, member.type, member.nullable) for name, member in row_members(fields).items()
        }
    return {field.name: field for field in fields}


def _with_columns(
    contract: StreamContract, columns: dict[str, Field], type_of: Callable[[FieldContract], DataType | None]
) -> StreamContract:
    """The contract with the new version's types; fields that are gone are gone, those of the key stay.

    Args:
        contract: as it is.
        columns: of the new version, by their names in it.
        type_of: the type in the new version of what a declared field is read from; None: it is gone.
    """
    kept = _kept(contract, type_of)
    rows = [{**field.model_dump(), "type": _type(contract, field, column)} for field, column in kept]
    taken = {row["name"] for row in rows}
    # A column that a key's field is called by is that field; any other that nothing reads is a new field.
    read = {field.read_from[0] for field, _ in kept}
    for column_name, column in columns.items():
        if column_name in read or len(rows) == MAX_FIELDS:  # beyond them a stream declares no more
            continue
        name = proposed_name((column_name,), taken)
        row = {"name": name, "type": type_text(column.type), "path": [column_name]}
        if _can_be_declared(row):
            taken.add(name)
            rows.append(row)
    if not rows:
        raise AvroSchemaError("The new version has none of the stream's fields.")
    return StreamContract.model_validate({**contract.as_json(), "fields": rows})


def _can_be_declared(row: dict[str, Any]) -> bool:
    """Whether a contract can have this field: its member's name or its type may be too long."""
    try:
        FieldContract.model_validate(row)
    except ValidationError:
        return False
    return True


def _kept(
    contract: StreamContract, type_of: Callable[[FieldContract], DataType | None]
) -> list[tuple[FieldContract, DataType | None]]:
    """The declared fields that stay, with their types in the new version; None for those of the key, which
    do not come from it.
    """
    kept: list[tuple[FieldContract, DataType | None]] = []
    for field in contract.fields:
        if field.name in contract.key:
            kept.append((field, None))
        elif (column := type_of(field)) is not None:
            kept.append((field, column))
    return kept


def _type(contract: StreamContract, field: FieldContract, column: DataType | None) -> str:
    """What a declared field becomes; one that reads a column of change events as a time
    goes on doing so, and so on.
    """
    if column is None or (
        isinstance(contract.encoding, DebeziumEncoding) and fits_column(parse_type(field.type), column)
    ):
        return field.type
    if isinstance(contract.encoding, JsonEncoding) and can_read(parse_type(field.type), column):
        return field.type
    return type_text(column)


Unreadable = Callable[[StreamContract], tuple[str, ...]]


def _impacts(
    stream: Stream, change: _Change, review: JobReview, unreadable: Unreadable | None = None
) -> list[JobImpact]:
    """Of the jobs that read the stream; once the review is over, of all that use it: none is looked into."""
    uses = StreamUse.objects.filter(stream=stream).order_by("job_name")
    return [
        _impact(stream, use, change, review, unreadable)
        for use in uses
        if review.is_over or review.reads(stream.name, use.job_id)
    ]


def _impact(
    stream: Stream, use: StreamUse, change: _Change, review: JobReview, unreadable: Unreadable | None
) -> JobImpact:
    named = (use.job_id, use.job_name, stream.name)
    if change.unreadable or change.contract is None:
        return JobImpact(*named, "breaks", change.unreadable)
    if review.is_over:
        return JobImpact(*named, "breaks", (NOT_CHECKED,))
    if unreadable is not None:
        found = tuple(
            f"running version: {why}"
            for held in held_contracts(use.job_id, stream)
            for why in (unreadable(held) if held is not None else (_OLDER_CONTRACT,))
        )
        if found:
            return JobImpact(*named, "breaks", found)
    reviewed = review.of_job(stream.name, use.job_id, change.contract)
    if reviewed.errors:
        return JobImpact(*named, "breaks", reviewed.errors)
    if reviewed.resets:
        return JobImpact(*named, "resets_state", reviewed.resets)
    return JobImpact(*named, "new_fields", change.added) if change.added else JobImpact(*named, "unaffected")
