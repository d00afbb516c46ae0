"""Serializers of the registry's routes for users, and of the impact of changes on jobs."""

from typing import Any

from rest_framework import serializers

from weir.schemas.services.levels import LEVELS
from weir.schemas.services.parsing import KINDS
from weir.schemas.services.policy import MODES
from weir.streams.api.stream_serializers import FieldSerializer
from weir.workspaces.api.request_fields import BoundedListField, StrictSerializer


class SubjectRowSerializer(serializers.Serializer[Any]):
    """A subject; `level` and `mode` apply to it, `streams` use it. `deleted`: all of
    its versions are deleted.
    """

    name = serializers.CharField()
    level = serializers.CharField()
    mode = serializers.CharField()
    deleted = serializers.BooleanField()
    versions = serializers.IntegerField()
    newest = serializers.IntegerField()
    changed_at = serializers.DateTimeField()
    streams = serializers.ListField(child=serializers.CharField())


class SubjectListSerializer(serializers.Serializer[Any]):
    """The subjects."""

    results = SubjectRowSerializer(many=True)


class ReferenceSerializer(StrictSerializer):
    """A reference to a version of another subject."""

    name = serializers.CharField(max_length=255)
    subject = serializers.CharField(max_length=255)
    version = serializers.IntegerField(min_value=1)


class VersionNameSerializer(serializers.Serializer[Any]):
    """A version of a subject."""

    subject = serializers.CharField()
    version = serializers.IntegerField()


class RegisteredSchemaSerializer(serializers.Serializer[Any]):
    """A version of a subject. `id`: the schema ID in record frames.

    `fields`: what a stream read by it has; `row_fields`: the columns of the rows in it, if it is an envelope
    of change events. Both are empty where it cannot become fields. `referenced_by`: living versions of
    subjects that refer to it. `deleted`: hidden. `schema` is empty, as are the fields, of older versions of
    a subject whose schemas have more than 4,000,000 characters; `/registry/` has each.
    """

    version = serializers.IntegerField()
    id = serializers.IntegerField()
    schema_type = serializers.ChoiceField(choices=list(KINDS))
    schema = serializers.CharField()
    references = ReferenceSerializer(many=True)
    referenced_by = VersionNameSerializer(many=True)
    created_at = serializers.DateTimeField()
    deleted = serializers.BooleanField()
    fields = FieldSerializer(many=True)  # type: ignore[assignment]  # the contract's own word
    row_fields = FieldSerializer(many=True)


class SubjectSerializer(serializers.Serializer[Any]):
    """A subject with its versions, newest first. `level` and `mode` apply to it; `own_…` empty:
    the default of all subjects.
    """

    name = serializers.CharField()
    level = serializers.CharField()
    own_level = serializers.CharField(allow_blank=True)
    mode = serializers.CharField()
    own_mode = serializers.CharField(allow_blank=True)
    streams = serializers.ListField(child=serializers.CharField())
    versions = RegisteredSchemaSerializer(many=True)


class OfferedSchemaSerializer(StrictSerializer):
    """A schema to check or register. `normalize`: store its canonical form."""

    schema = serializers.CharField(trim_whitespace=False)
    schema_type = serializers.ChoiceField(choices=list(KINDS), required=False, default="AVRO")
    references = BoundedListField(child=ReferenceSerializer(), required=False, max_length=1_000)
    normalize = serializers.BooleanField(required=False, default=False)


class NewSchemaVersionSerializer(OfferedSchemaSerializer):
    """A schema to register. `force`: even if it is incompatible with previous versions, or breaks jobs."""

    force = serializers.BooleanField(required=False, default=False)


class DeletedQuerySerializer(serializers.Serializer[Any]):
    """Whether deleted versions are included."""

    deleted = serializers.BooleanField(required=False, default=False)


class PermanentQuerySerializer(serializers.Serializer[Any]):
    """Whether deleted versions are removed permanently."""

    permanent = serializers.BooleanField(required=False, default=False)


class DeletedVersionsSerializer(serializers.Serializer[Any]):
    """Numbers of the deleted versions."""

    versions = serializers.ListField(child=serializers.IntegerField())


class PolicySerializer(StrictSerializer):
    """Compatibility level and mode. Empty, for a subject: the default of all subjects. Omitted: unchanged."""

    level = serializers.ChoiceField(choices=list(LEVELS), required=False, allow_blank=True)
    mode = serializers.ChoiceField(choices=list(MODES), required=False, allow_blank=True)


class ConflictSerializer(serializers.Serializer[Any]):
    """Why a schema is incompatible with a version: the rule, the path in the schema,
    and what would be allowed.
    """

    version = serializers.IntegerField()
    direction = serializers.ChoiceField(choices=["backward", "forward"])
    rule = serializers.CharField()
    path = serializers.CharField(allow_blank=True)
    message = serializers.CharField()
    allowed = serializers.CharField(allow_blank=True)


class JobImpactSerializer(serializers.Serializer[Any]):
    """Impact of a change on a job. `resets_state`: its next start can't resume the saved state. `details`:
    why it breaks or resets state, one sentence each, or the names of new fields.
    """

    job_id = serializers.CharField()
    job_name = serializers.CharField()
    stream = serializers.CharField()
    impact = serializers.ChoiceField(choices=["breaks", "resets_state", "new_fields", "unaffected"])
    details = serializers.ListField(child=serializers.CharField())


class SchemaCheckSerializer(serializers.Serializer[Any]):
    """Result of checking a schema: conflicts, and the impact on jobs."""

    level = serializers.CharField()
    conflicts = ConflictSerializer(many=True)
    impacts = JobImpactSerializer(many=True)


class ImpactSerializer(serializers.Serializer[Any]):
    """Impact of a contract on the jobs that use the stream."""

    impacts = JobImpactSerializer(many=True)


class NewContractSerializer(StrictSerializer):
    """A contract to check."""

    contract = serializers.JSONField()
