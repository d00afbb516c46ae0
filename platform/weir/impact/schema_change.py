"""A new version of a subject, checked against every job that reads a stream of that subject.

A running job goes on with the schema it began with: records of the new version must be readable with that. And the job's
document is planned once more with the new version's fields, as its next start would.
"""

from dataclasses import dataclass

from django.db.models import F

from jobs.base.schemas import Field
from jobs.base.types import type_text
from jobs.formats.avro_schema import parse_avro
from jobs.formats.avro_tree import AvroSchemaError
from jobs.formats.avro_types import fields_of
from jobs.formats.contract import StreamContract
from jobs.formats.encodings import AvroEncoding
from jobs.plan import Facts, plan_job
from weir.runs.models import JobVersion
from weir.schemas.avro_compatibility import avro_differences
from weir.schemas.reading import ReadSchema
from weir.schemas.reviews import Effect
from weir.streams.models import Stream, StreamUse
from weir.streams.services import catalog
from weir.workspaces.models import Workspace


@dataclass(frozen=True)
class _Change:
    """What a new version means for one stream: why its records cannot be read, its contract afterwards, its new fields."""

    unreadable: tuple[str, ...]
    contract: StreamContract | None
    added: tuple[str, ...]


def review_schema(workspace: Workspace, subject: str, new: ReadSchema) -> list[Effect]:
    """What a new version does to each job that reads a stream of this subject.

    Args:
        workspace: whose registry, streams and jobs.
        subject: that gets the version.
        new: its schema.
    """
    found = []
    for stream in Stream.objects.of(workspace):
        encoding = stream.stream_contract.encoding
        if isinstance(encoding, AvroEncoding) and encoding.subject == subject:
            change = _change(stream.stream_contract, encoding, new)
            uses = StreamUse.objects.filter(stream=stream).order_by("job_name")
            found += [_effect(workspace, stream, use, change) for use in uses]
    return found


def _change(contract: StreamContract, encoding: AvroEncoding, new: ReadSchema) -> _Change:
    if new.kind != "AVRO":
        return _Change((f"The stream reads Avro, the new version is {new.kind}.",), None, ())
    try:
        fields = fields_of(new.tree)
    except AvroSchemaError as error:
        return _Change((f"The schema cannot become fields: {error}",), None, ())
    gaps = avro_differences(parse_avro(encoding.avro_schema or ""), new.tree)
    unreadable = tuple(f"{gap.path or 'the record'}: {gap.message}" for gap in gaps)
    declared = {field.name for field in contract.fields}
    added = tuple(field.name for field in fields if field.name not in declared)
    return _Change(unreadable, _with_fields(contract, fields), added)


def _with_fields(contract: StreamContract, fields: tuple[Field, ...]) -> StreamContract:
    """The contract with the new version's types; fields that are gone are gone, those of the key stay."""
    given = {field.name: field for field in fields}
    rows = [
        {**field.model_dump(), "type": type_text(given[field.name].type)} if field.name in given else field.model_dump()
        for field in contract.fields
        if field.name in given or field.name in contract.key
    ]
    declared = {row["name"] for row in rows}
    rows += [{"name": field.name, "type": type_text(field.type)} for field in fields if field.name not in declared]
    return StreamContract.model_validate({**contract.as_json(), "fields": rows})


def _effect(workspace: Workspace, stream: Stream, use: StreamUse, change: _Change) -> Effect:
    named = (use.job_id, use.job_name, stream.name)
    if change.unreadable or change.contract is None:
        return Effect(*named, "breaks", change.unreadable)
    faults = _faults(workspace, stream.name, use.job_id, change.contract)
    if faults:
        return Effect(*named, "breaks", faults)
    return Effect(*named, "new_fields", change.added) if change.added else Effect(*named, "unaffected")


def _faults(workspace: Workspace, stream: str, job_id: str, contract: StreamContract) -> tuple[str, ...]:
    """Errors that the job's document has with the new contract and has not with the present one."""
    version = JobVersion.objects.filter(job_id=job_id, job__workspace=workspace, number=F("job__version")).first()
    if version is None:
        return ()
    streams = catalog(workspace)
    before = {problem.message for problem in plan_job(version.document, streams, Facts()).problems if problem.severity == "error"}
    after = plan_job(version.document, {**streams, stream: contract}, Facts()).problems
    return tuple(f"{'.'.join(p.path)}: {p.message}" for p in after if p.severity == "error" and p.message not in before)
