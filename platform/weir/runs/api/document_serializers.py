"""Serializers of job documents: checks, plans, forecasts, versions."""

from typing import Any

from rest_framework import serializers

from jobs.document import MAX_SOURCES
from weir.runs.models import Job
from weir.workspaces.api.request_fields import BoundedDictField, StrictSerializer


class ProblemSerializer(serializers.Serializer[Any]):
    """A located finding about a document."""

    code = serializers.CharField()
    path = serializers.ListField(child=serializers.CharField())
    message = serializers.CharField()
    hint = serializers.CharField(allow_blank=True)
    severity = serializers.ChoiceField(choices=["error", "warning"])
    span = serializers.ListField(
        child=serializers.IntegerField(), allow_null=True, min_length=2, max_length=2
    )


class ModeSerializer(serializers.Serializer[Any]):
    """How a run executes, and why."""

    mode = serializers.ChoiceField(choices=["realtime", "microbatch"])
    reasons = serializers.ListField(child=serializers.CharField())


class SchemaFieldSerializer(serializers.Serializer[Any]):
    """A field of a row."""

    name = serializers.CharField()
    type = serializers.CharField()
    nullable = serializers.BooleanField()


class PortSerializer(serializers.Serializer[Any]):
    """A named output of a step, read as ``step.name``; `identity` as of its node."""

    name = serializers.CharField()
    schema = SchemaFieldSerializer(many=True)
    kind = serializers.ChoiceField(choices=["append", "upsert"])
    identity = serializers.ListField(child=serializers.CharField())
    identity_kind = serializers.ChoiceField(choices=["row", "key", "pair", "union"])
    watermark_slack = serializers.CharField()
    windowed = serializers.BooleanField()


class StateBoundSerializer(serializers.Serializer[Any]):
    """Whether what a step keeps is bounded, and why."""

    bound = serializers.ChoiceField(choices=["none", "bounded", "unbounded"])
    why = serializers.CharField(allow_blank=True)


class NodeWatermarkSerializer(serializers.Serializer[Any]):
    """What moves event time at a node in one query: delays by source, and whether the slowest or
    the fastest source decides.
    """

    query = serializers.CharField()
    delays = serializers.DictField(child=serializers.CharField())
    policy = serializers.ChoiceField(choices=["min", "max"])


class NodeSerializer(serializers.Serializer[Any]):
    """A source or step as checked.

    `identity` lists what identifies a row: names of the key fields (`identity_kind` key), the coordinates of
    the record that the row came from (row), both rows of a pair, or the input of a union and the row's
    identity there. `watermark_slack`: how far rows may trail the watermark. `watermarks`: by query; empty
    where no output needs the node, for a static input, and in a document with errors.
    """

    name = serializers.CharField()
    op = serializers.CharField()
    inputs = serializers.ListField(child=serializers.CharField())
    schema = SchemaFieldSerializer(many=True)
    kind = serializers.ChoiceField(choices=["append", "upsert"])
    identity = serializers.ListField(child=serializers.CharField())
    identity_kind = serializers.ChoiceField(choices=["row", "key", "pair", "union"])
    watermark_slack = serializers.CharField()
    windowed = serializers.BooleanField()
    ports = PortSerializer(many=True)
    only_ports = serializers.BooleanField()
    state = StateBoundSerializer()
    watermarks = NodeWatermarkSerializer(many=True)


class QuerySerializer(serializers.Serializer[Any]):
    """A part of a document that one Spark query computes: its outputs and nodes, and why the job needs it.

    Most jobs have one, whose reason is empty. A node may be part of several queries, and then keeps its state
    in each. `exchange_out` are the nodes whose rows it hands to the other query, through an internal topic;
    `exchange_in` those whose rows it reads from there.
    """

    name = serializers.ChoiceField(choices=["append", "update"])
    outputs = serializers.ListField(child=serializers.CharField())
    nodes = serializers.ListField(child=serializers.CharField())
    exchange_out = serializers.ListField(child=serializers.CharField())
    exchange_in = serializers.ListField(child=serializers.CharField())
    reason = serializers.CharField(allow_blank=True)


class DocumentSerializer(StrictSerializer):
    """A job document as text, YAML or JSON."""

    document = serializers.CharField(max_length=1_100_000, trim_whitespace=False, allow_blank=True)


class CheckedDocumentSerializer(DocumentSerializer):
    """A job document, and contracts by name of streams that come with it instead of being registered; null:
    the workspace's streams.
    """

    streams = serializers.DictField(
        child=serializers.JSONField(), required=False, allow_null=True, default=None
    )

    def validate_streams(self, value: dict[str, Any] | None) -> dict[str, Any] | None:
        """As many as a document may read."""
        if value is not None and len(value) > MAX_SOURCES:
            raise serializers.ValidationError(f"At most {MAX_SOURCES} streams.")
        return value


class CheckSerializer(serializers.Serializer[Any]):
    """What checking a document finds; `document` is its parsed form, null when it cannot be read.

    `lineage`: by output, the source columns that each of its columns is made from; empty when there are
    errors. `source_paths`: where source columns are read from in their records, of those that are not the
    member of their own name.
    """

    problems = ProblemSerializer(many=True)
    nodes = NodeSerializer(many=True)
    outputs = serializers.ListField(child=serializers.CharField())
    queries = QuerySerializer(many=True)
    mode = ModeSerializer()
    fingerprint = serializers.CharField(allow_blank=True)
    slots = serializers.IntegerField()
    document = serializers.DictField(allow_null=True)
    lineage = serializers.DictField(
        child=serializers.DictField(child=serializers.ListField(child=serializers.CharField()))
    )
    source_paths = serializers.DictField(child=serializers.CharField())


class SqlSerializer(StrictSerializer):
    """A job as SQL statements; `name` is the job's, unless the text sets one."""

    text = serializers.CharField(max_length=200_000, trim_whitespace=False, allow_blank=True)
    name = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)


class SqlDocumentSerializer(serializers.Serializer[Any]):
    """The document that SQL statements are, null if one of them can't be read; spans of problems are
    characters of the SQL text.
    """

    document = serializers.JSONField(allow_null=True)
    problems = ProblemSerializer(many=True)


class SqlRefusalSerializer(serializers.Serializer[Any]):
    """A part of a document that can't be written as SQL, and why."""

    path = serializers.CharField()
    reason = serializers.CharField()


class SqlTextSerializer(serializers.Serializer[Any]):
    """A document as SQL; `problems` and `refusals` say why there is none."""

    text = serializers.CharField(allow_blank=True)
    problems = ProblemSerializer(many=True)
    refusals = SqlRefusalSerializer(many=True)


class ScriptSerializer(serializers.Serializer[Any]):
    """A job as a stand-alone PySpark script; `refusals` say why there is none."""

    script = serializers.CharField(allow_blank=True)
    refusals = serializers.ListField(child=serializers.CharField())


class LoadSerializer(DocumentSerializer):
    """The assumed load of a forecast: records per second by source, number of distinct
    keys by step where known.
    """

    rates = BoundedDictField(
        child=serializers.FloatField(min_value=0, max_value=1e12), required=False, default=dict
    )
    key_counts = BoundedDictField(
        child=serializers.IntegerField(min_value=0, max_value=2**53), required=False, default=dict
    )


class StateForecastSerializer(StateBoundSerializer):
    """What a step will keep; null where a rate or the number of keys is not known."""

    step = serializers.CharField()
    rows = serializers.IntegerField(allow_null=True)
    bytes = serializers.IntegerField(allow_null=True)


class MeasuredLoadSerializer(serializers.Serializer[Any]):
    """What a document's streams show now; what is unknown is left out.

    `rates`: records per second over the last minute, by source. `key_counts`: distinct keys, by step, in a
    sample of `sampled` rows; left out where nearly every row has a key of its own.
    """

    rates = serializers.DictField(child=serializers.FloatField())
    key_counts = serializers.DictField(child=serializers.IntegerField())
    sampled = serializers.DictField(child=serializers.IntegerField())


class ForecastSerializer(serializers.Serializer[Any]):
    """The state of every step that keeps some; empty for a document with errors."""

    steps = StateForecastSerializer(many=True)


class ChangeSerializer(serializers.Serializer[Any]):
    """A difference between two versions, in words."""

    path = serializers.ListField(child=serializers.CharField())
    sentence = serializers.CharField()
    breaks_state = serializers.BooleanField()


class DiffSerializer(serializers.Serializer[Any]):
    """The outcome of an edit. `note`: which measures start empty where the state is kept; empty: none."""

    outcome = serializers.ChoiceField(choices=["same_state", "new_generation", "invalid", "no_change"])
    note = serializers.CharField(allow_blank=True)
    changes = ChangeSerializer(many=True)
    problems = ProblemSerializer(many=True)


class ComparedDocumentSerializer(DocumentSerializer):
    """A document, and the number of the version that it is compared with; null: the newest."""

    base = serializers.IntegerField(min_value=1, required=False, allow_null=True, default=None)


class NewVersionSerializer(DocumentSerializer):
    """A new version; with `expected`, an edit with the other outcome is rejected; with `base`, the number of
    the version that the document was written from, it is rejected once there is a newer one. `view`: in which
    it was written, and in which editing opens next.
    """

    note = serializers.CharField(max_length=500, allow_blank=True, required=False, default="")
    expected = serializers.ChoiceField(
        choices=["same_state", "new_generation"], required=False, allow_null=True, default=None
    )
    base = serializers.IntegerField(min_value=1, required=False, allow_null=True, default=None)
    view = serializers.ChoiceField(choices=Job.View.choices, required=False, allow_blank=True, default="")


class VersionSerializer(serializers.Serializer[Any]):
    """An immutable version of a job's document; `changes` are from the version before."""

    number = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    created_by = serializers.SerializerMethodField()
    note = serializers.CharField(allow_blank=True)
    fingerprint = serializers.CharField()
    document_text = serializers.CharField()
    changes = ChangeSerializer(many=True)

    def get_created_by(self, version: Any) -> str | None:
        """The username; null when the user was deleted."""
        return version.created_by.username if version.created_by else None
