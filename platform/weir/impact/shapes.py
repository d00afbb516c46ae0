"""What goes in and out of the registry's routes for people, and of those that say what a change does to jobs."""

from typing import Any

from rest_framework import serializers

from weir.schemas.levels import LEVELS
from weir.schemas.parsing import KINDS
from weir.schemas.services import MODES
from weir.streams.api.streams import FieldSerializer


class SubjectRowSerializer(serializers.Serializer[Any]):
    """A subject; `level` and `mode` hold for it, `streams` are read by it. `deleted`: all of its versions are hidden."""

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


class ReferenceSerializer(serializers.Serializer[Any]):
    """A reference to a version of another subject."""

    name = serializers.CharField(max_length=255)
    subject = serializers.CharField(max_length=255)
    version = serializers.IntegerField(min_value=1)


class VersionNameSerializer(serializers.Serializer[Any]):
    """A version of a subject."""

    subject = serializers.CharField()
    version = serializers.IntegerField()


class RegisteredSchemaSerializer(serializers.Serializer[Any]):
    """A version of a subject. `id` is what frames of records carry.

    `fields`: what a stream read by it has; `row_fields`: the columns of the rows in it, if it is an envelope of change events.
    Both are empty where it cannot become fields. `referenced_by`: living versions of subjects that refer to it. `deleted`: hidden.
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
    """A subject with its versions, newest first. `level` and `mode` hold for it; `own_…` empty: as all subjects."""

    name = serializers.CharField()
    level = serializers.CharField()
    own_level = serializers.CharField(allow_blank=True)
    mode = serializers.CharField()
    own_mode = serializers.CharField(allow_blank=True)
    streams = serializers.ListField(child=serializers.CharField())
    versions = RegisteredSchemaSerializer(many=True)


class OfferedSchemaSerializer(serializers.Serializer[Any]):
    """A schema to try or to register. `normalize`: in the form that does not depend on how it was written."""

    schema = serializers.CharField(trim_whitespace=False)
    schema_type = serializers.ChoiceField(choices=list(KINDS), required=False, default="AVRO")
    references = ReferenceSerializer(many=True, required=False)
    normalize = serializers.BooleanField(required=False, default=False)


class NewSchemaVersionSerializer(OfferedSchemaSerializer):
    """A schema to register. `force`: even where it does not fit the versions before, or breaks jobs."""

    force = serializers.BooleanField(required=False, default=False)


class DeletedQuerySerializer(serializers.Serializer[Any]):
    """Whether what is hidden is shown, too."""

    deleted = serializers.BooleanField(required=False, default=False)


class PermanentQuerySerializer(serializers.Serializer[Any]):
    """Whether what is hidden already goes for good."""

    permanent = serializers.BooleanField(required=False, default=False)


class DeletedVersionsSerializer(serializers.Serializer[Any]):
    """Numbers of the versions that were hidden, or are gone."""

    versions = serializers.ListField(child=serializers.IntegerField())


class PolicySerializer(serializers.Serializer[Any]):
    """The compatibility level and the mode; of a subject empty: as all subjects. What is left out stays."""

    level = serializers.ChoiceField(choices=list(LEVELS), required=False, allow_blank=True)
    mode = serializers.ChoiceField(choices=list(MODES), required=False, allow_blank=True)


class ConflictSerializer(serializers.Serializer[Any]):
    """Why a schema does not fit a version: the rule, where in the schema, and what would be allowed."""

    version = serializers.IntegerField()
    direction = serializers.ChoiceField(choices=["backward", "forward"])
    rule = serializers.CharField()
    path = serializers.CharField(allow_blank=True)
    message = serializers.CharField()
    allowed = serializers.CharField(allow_blank=True)


class EffectSerializer(serializers.Serializer[Any]):
    """What a change does to a job. `details`: what breaks, one sentence each, or the names of new fields."""

    job_id = serializers.CharField()
    job_name = serializers.CharField()
    stream = serializers.CharField()
    verdict = serializers.ChoiceField(choices=["breaks", "new_fields", "unaffected"])
    details = serializers.ListField(child=serializers.CharField())


class SchemaCheckSerializer(serializers.Serializer[Any]):
    """Whether a schema would be taken: what is in the way, and what it would do to jobs."""

    level = serializers.CharField()
    conflicts = ConflictSerializer(many=True)
    effects = EffectSerializer(many=True)


class ImpactSerializer(serializers.Serializer[Any]):
    """What a contract would do to the jobs that use the stream."""

    effects = EffectSerializer(many=True)


class NewContractSerializer(serializers.Serializer[Any]):
    """A contract to try."""

    contract = serializers.JSONField()
