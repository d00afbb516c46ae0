"""What goes in and out of the routes of guards and letters."""

from typing import Any

from rest_framework import serializers

from weir.guards.models import DeadLetter
from weir.runs.api.serializers import OBSERVED, FailureSerializer
from weir.streams.api.records import HeaderSerializer, MalformedSerializer


class ReasonCountSerializer(serializers.Serializer[Any]):
    """Malformed records of one reason."""

    reason = serializers.CharField()
    records = serializers.IntegerField()


class CountsSerializer(serializers.Serializer[Any]):
    """All that the guard has judged: records = valid + malformed + skipped (heartbeats, and deletions in change events)."""

    records = serializers.IntegerField()
    valid = serializers.IntegerField()
    malformed = serializers.IntegerField()
    skipped = serializers.IntegerField()
    by_reason = ReasonCountSerializer(many=True)


class HourSerializer(serializers.Serializer[Any]):
    """What was judged within an hour."""

    hour = serializers.DateTimeField()
    records = serializers.IntegerField()
    malformed = serializers.IntegerField()


class LetterCountsSerializer(serializers.Serializer[Any]):
    """Dead letters that Kafka keeps, by what became of them."""

    kept = serializers.IntegerField()
    waiting = serializers.IntegerField()
    on_their_way = serializers.IntegerField()
    redriven = serializers.IntegerField()
    dropped = serializers.IntegerField()


class GuardSerializer(serializers.Serializer[Any]):
    """A stream's guard. `on` is what is desired, `observed` what its engine said last, `last_seen_at` when it did.

    `wanted`: a person switched it on; `needed_by`: running jobs that ask for it. `trouble`: why it could not be started or
    stopped when that was last tried. `reading`: letters were counted that are not listed yet.
    """

    on = serializers.BooleanField()
    wanted = serializers.BooleanField()
    needed_by = serializers.ListField(child=serializers.CharField())
    trouble = serializers.CharField(allow_blank=True)
    observed = serializers.ChoiceField(choices=OBSERVED)
    observed_since = serializers.DateTimeField(allow_null=True)
    last_seen_at = serializers.DateTimeField(allow_null=True)
    failure = FailureSerializer(allow_null=True)
    retry_at = serializers.DateTimeField(allow_null=True)
    engine = serializers.CharField(allow_null=True)
    lag_records = serializers.IntegerField(allow_null=True)
    records_per_second = serializers.FloatField(allow_null=True)
    dead_topic = serializers.CharField(allow_blank=True)
    reading = serializers.BooleanField()
    counts = CountsSerializer()
    history = HourSerializer(many=True)
    letters = LetterCountsSerializer()


class SwitchSerializer(serializers.Serializer[Any]):
    """Whether a person wants the guard, and where one that never ran begins."""

    on = serializers.BooleanField()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """`from` is a word of Python, so it is added here."""
        return {**super().get_fields(), "from": serializers.ChoiceField(choices=["earliest", "now"], required=False, default="earliest")}


class LetterSerializer(serializers.Serializer[Any]):
    """A dead letter. `partition`, `offset` and `at` are the record's in its own topic; `times`: how often it had been sent again before."""

    id = serializers.IntegerField()
    partition = serializers.IntegerField()
    offset = serializers.IntegerField()
    at = serializers.DateTimeField()
    reason = serializers.CharField()
    size = serializers.IntegerField()
    preview = serializers.CharField(allow_blank=True)
    preview_is_text = serializers.BooleanField()
    times = serializers.IntegerField()
    state = serializers.ChoiceField(choices=DeadLetter.State.choices)
    note = serializers.CharField(allow_blank=True)
    settled_at = serializers.DateTimeField(allow_null=True)
    redrive = serializers.CharField(allow_null=True)


class WholeLetterSerializer(LetterSerializer):
    """A letter with all of its bytes; what is no text is base64. `value_json`, `key_json`: what value and key hold by the stream's
    encodings as JSON with every digit, null where that cannot be read. `now`: why it would be malformed today; null: it would fit."""

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
    now = MalformedSerializer(allow_null=True)


class LetterGroupSerializer(serializers.Serializer[Any]):
    """Letters of one reason. `failed_again`: had been sent again before."""

    reason = serializers.CharField()
    kept = serializers.IntegerField()
    waiting = serializers.IntegerField()
    redriven = serializers.IntegerField()
    dropped = serializers.IntegerField()
    failed_again = serializers.IntegerField()
    newest = serializers.DateTimeField()
    samples = LetterSerializer(many=True)


class LetterGroupListSerializer(serializers.Serializer[Any]):
    """All groups, those with most that wait first."""

    results = LetterGroupSerializer(many=True)


class LetterPageSerializer(serializers.Serializer[Any]):
    """A page of letters, newest first; `next` goes on, null at the end."""

    results = LetterSerializer(many=True)
    next = serializers.IntegerField(allow_null=True)


class LettersQuerySerializer(serializers.Serializer[Any]):
    """Which letters to list."""

    reason = serializers.CharField(required=False, default="", max_length=40)
    state = serializers.ChoiceField(choices=DeadLetter.State.choices, required=False, default=None, allow_null=True)
    before = serializers.IntegerField(required=False, default=None, allow_null=True, min_value=0, max_value=2**63 - 1)
