"""Serializers of contract validation and dead letters."""

from typing import Any

from rest_framework import serializers

from weir.dead_letters.models import DeadLetter
from weir.runs.api.job_serializers import OBSERVED, FailureSerializer
from weir.streams.api.record_serializers import HeaderSerializer, MalformedSerializer
from weir.workspaces.api.request_fields import StrictSerializer


class ReasonCountSerializer(serializers.Serializer[Any]):
    """Malformed records of one reason."""

    reason = serializers.CharField()
    records = serializers.IntegerField()


class CountsSerializer(serializers.Serializer[Any]):
    """All validated records: records = valid + malformed + skipped (heartbeats, and
    deletions in change events).
    """

    records = serializers.IntegerField()
    valid = serializers.IntegerField()
    malformed = serializers.IntegerField()
    skipped = serializers.IntegerField()
    by_reason = ReasonCountSerializer(many=True)


class HourSerializer(serializers.Serializer[Any]):
    """Records validated within an hour."""

    hour = serializers.DateTimeField()
    records = serializers.IntegerField()
    malformed = serializers.IntegerField()


class DeadLetterCountsSerializer(serializers.Serializer[Any]):
    """Dead letters that Kafka still has, by state. `in_flight`: queued or being sent."""

    kept = serializers.IntegerField()
    waiting = serializers.IntegerField()
    in_flight = serializers.IntegerField()
    redriven = serializers.IntegerField()
    discarded = serializers.IntegerField()


class ValidationSerializer(serializers.Serializer[Any]):
    """Contract validation of a stream. `on`: the desired state; `observed`: the state that the engine
    reported at `last_seen_at`.

    `enabled`: a user turned it on; `required_by`: running jobs that require it. `last_error`: why the last
    start or stop failed. `index_pending`: some counted dead letters are not listed yet,
    because they were just counted, or because `max_waiting` are waiting: the others are listed when some of
    these were redriven or discarded.
    """

    on = serializers.BooleanField()
    enabled = serializers.BooleanField()
    required_by = serializers.ListField(child=serializers.CharField())
    last_error = serializers.CharField(allow_blank=True)
    observed = serializers.ChoiceField(choices=OBSERVED)
    observed_since = serializers.DateTimeField(allow_null=True)
    last_seen_at = serializers.DateTimeField(allow_null=True)
    failure = FailureSerializer(allow_null=True)
    retry_at = serializers.DateTimeField(allow_null=True)
    engine = serializers.CharField(allow_null=True)
    lag_records = serializers.IntegerField(allow_null=True)
    records_per_second = serializers.FloatField(allow_null=True)
    dead_letter_topic = serializers.CharField(allow_blank=True)
    index_pending = serializers.BooleanField()
    max_waiting = serializers.IntegerField()
    counts = CountsSerializer()
    history = HourSerializer(many=True)
    dead_letters = DeadLetterCountsSerializer()


class ValidationSwitchSerializer(StrictSerializer):
    """Turns contract validation on or off. `from`: where a validator that never ran starts to read."""

    on = serializers.BooleanField()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Add `from`, which is a reserved word in Python."""
        return {
            **super().get_fields(),
            "from": serializers.ChoiceField(choices=["earliest", "now"], required=False, default="earliest"),
        }


class DeadLetterSerializer(serializers.Serializer[Any]):
    """A dead letter. `partition`, `offset` and `timestamp` are those of the record in its topic;
    `redrive_count`: times redriven.
    """

    id = serializers.IntegerField()
    partition = serializers.IntegerField()
    offset = serializers.IntegerField()
    timestamp = serializers.DateTimeField()
    reason = serializers.CharField()
    size = serializers.IntegerField()
    preview = serializers.CharField(allow_blank=True)
    preview_is_text = serializers.BooleanField()
    redrive_count = serializers.IntegerField()
    state = serializers.ChoiceField(choices=DeadLetter.State.choices)
    note = serializers.CharField(allow_blank=True)
    resolved_at = serializers.DateTimeField(allow_null=True)
    redrive = serializers.CharField(allow_null=True)


class DeadLetterDetailSerializer(DeadLetterSerializer):
    """A dead letter with its complete record; bytes that are not text are base64. `value_json`, `key_json`:
    value and key decoded by the stream's encodings, as JSON with every digit; null if that fails.
    `rejected_by`: the step that rejected the record. `current_error`: why it is malformed by the current
    contract; null: it is valid.
    """

    topic = serializers.CharField()
    rejected_by = serializers.CharField()
    value = serializers.CharField(allow_null=True)
    value_is_text = serializers.BooleanField()
    key = serializers.CharField(allow_null=True)
    key_is_text = serializers.BooleanField()
    value_json = serializers.CharField(allow_null=True)
    key_json = serializers.CharField(allow_null=True)
    truncated = serializers.BooleanField()
    headers = HeaderSerializer(many=True)
    current_error = MalformedSerializer(allow_null=True)


class DeadLetterGroupSerializer(serializers.Serializer[Any]):
    """Dead letters of one reason. `failed_again`: how many of them were redriven before."""

    reason = serializers.CharField()
    kept = serializers.IntegerField()
    waiting = serializers.IntegerField()
    redriven = serializers.IntegerField()
    discarded = serializers.IntegerField()
    failed_again = serializers.IntegerField()
    newest = serializers.DateTimeField()
    samples = DeadLetterSerializer(many=True)


class DeadLetterGroupListSerializer(serializers.Serializer[Any]):
    """All groups, most waiting first."""

    results = DeadLetterGroupSerializer(many=True)


class DeadLetterPageSerializer(serializers.Serializer[Any]):
    """A page of dead letters, newest first. `next`: `before` of the next page; null at the end."""

    results = DeadLetterSerializer(many=True)
    next = serializers.IntegerField(allow_null=True)


class DeadLetterQuerySerializer(serializers.Serializer[Any]):
    """Filters of the list."""

    reason = serializers.CharField(required=False, default="", max_length=40)
    state = serializers.ChoiceField(
        choices=DeadLetter.State.choices, required=False, default=None, allow_null=True
    )
    before = serializers.IntegerField(
        required=False, default=None, allow_null=True, min_value=0, max_value=2**63 - 1
    )
