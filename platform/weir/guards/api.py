"""Guards and dead letters of a stream: serializers and views."""

import base64
import binascii
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from weir.guards import showing
from weir.guards.models import DeadLetter, Redrive
from weir.guards.services.choosing import Choice
from weir.guards.services.dropping import drop
from weir.guards.services.redriving import MOST_PER_SECOND, begin_redrive, cancel_redrive, find_redrive
from weir.guards.services.switching import switch_off, switch_on
from weir.runs.api.shapes import OBSERVED, FailureSerializer
from weir.streams.api.records import HeaderSerializer, MalformedSerializer
from weir.streams.models import Stream
from weir.streams.services import find_stream
from weir.workspaces.refusals import RefusalError
from weir.workspaces.scope import WorkspaceView

_PAGE = 50


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
    """A stream's guard. `on` is what is desired, `observed` what its engine said last, `last_heard` when it did.

    `wanted`: a person switched it on; `needed_by`: running jobs that ask for it. `trouble`: why it could not be started or
    stopped when that was last tried. `reading`: letters were counted that are not listed yet.
    """

    on = serializers.BooleanField()
    wanted = serializers.BooleanField()
    needed_by = serializers.ListField(child=serializers.CharField())
    trouble = serializers.CharField(allow_blank=True)
    observed = serializers.ChoiceField(choices=OBSERVED)
    observed_since = serializers.DateTimeField(allow_null=True)
    last_heard = serializers.DateTimeField(allow_null=True)
    failure = FailureSerializer(allow_null=True)
    retry_at = serializers.DateTimeField(allow_null=True)
    engine = serializers.CharField(allow_null=True)
    lag_messages = serializers.IntegerField(allow_null=True)
    records_per_second = serializers.FloatField(allow_null=True)
    dead_topic = serializers.CharField()
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
    """A letter with all of its bytes; what is no text is base64. `now`: why it would be malformed today; null: it would fit."""

    topic = serializers.CharField()
    stage = serializers.CharField()
    value = serializers.CharField(allow_null=True)
    value_is_text = serializers.BooleanField()
    key = serializers.CharField(allow_null=True)
    key_is_text = serializers.BooleanField()
    is_cut = serializers.BooleanField()
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


class ChoiceSerializer(serializers.Serializer[Any]):
    """Which letters: some by id, those of a reason, or all; only such as wait."""

    letters = serializers.ListField(child=serializers.IntegerField(min_value=0, max_value=2**63 - 1), required=False, max_length=1_000)
    reason = serializers.CharField(required=False, max_length=40)
    all = serializers.BooleanField(required=False, default=False)


class DropSerializer(ChoiceSerializer):
    """Which letters to give up, and why."""

    why = serializers.CharField(max_length=500)


class DroppedSerializer(serializers.Serializer[Any]):
    """How many were dropped."""

    dropped = serializers.IntegerField()


class NewRedriveSerializer(ChoiceSerializer):
    """Which letters to send again, where to and how fast. `value` (text) or `value_base64`: instead of a single letter's own value."""

    to = serializers.CharField(required=False, allow_null=True, default=None, max_length=63, help_text="a stream; null: the letters' own")
    rate = serializers.IntegerField(required=False, default=100, min_value=1, max_value=MOST_PER_SECOND, help_text="letters per second")
    value = serializers.CharField(required=False, allow_null=True, default=None, max_length=1_000_000, trim_whitespace=False)
    value_base64 = serializers.CharField(required=False, allow_null=True, default=None, max_length=1_400_000)


class RedriveSerializer(serializers.Serializer[Any]):
    """How far a redrive is. `sent` are in Kafka; `refused` could not be sent and wait again, each with a note."""

    id = serializers.CharField()
    to = serializers.CharField(allow_null=True)
    edited = serializers.BooleanField()
    made_by = serializers.CharField()
    made_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    state = serializers.ChoiceField(choices=Redrive.State.choices)
    rate = serializers.IntegerField()
    total = serializers.IntegerField()
    sent = serializers.IntegerField()
    refused = serializers.IntegerField()
    trouble = serializers.CharField(allow_blank=True)


class RedriveListSerializer(serializers.Serializer[Any]):
    """The newest redrives of a stream's letters."""

    results = RedriveSerializer(many=True)


class _StreamView(WorkspaceView):
    def stream(self, name: str) -> Stream:
        """The stream of the address."""
        return find_stream(self.workspace, name)


class GuardView(_StreamView):
    """A stream's guard."""

    @extend_schema(operation_id="guards_get", responses=GuardSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """What it does, what it counted, how many letters there are."""
        return Response(GuardSerializer(showing.guard_row(self.stream(name))).data)

    @extend_schema(operation_id="guards_switch", request=SwitchSerializer, responses=GuardSerializer)
    def put(self, request: Request, slug: str, name: str) -> Response:
        """Switch it on or off; one that running jobs need stays on."""
        stream = self.stream(name)
        form = SwitchSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        if form.validated_data["on"]:
            switch_on(stream, self.person, form.validated_data["from"])
        else:
            switch_off(stream, self.person)
        return Response(GuardSerializer(showing.guard_row(stream)).data)


class GroupsView(_StreamView):
    """Dead letters by reason."""

    @extend_schema(operation_id="letters_groups", responses=LetterGroupListSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """All reasons with samples; empty where nothing was quarantined."""
        return Response(LetterGroupListSerializer({"results": showing.group_rows(self.stream(name))}).data)


class LettersView(_StreamView):
    """Dead letters."""

    @extend_schema(operation_id="letters_list", parameters=[LettersQuerySerializer], responses=LetterPageSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """A page of letters, newest first."""
        form = LettersQuerySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        letters = DeadLetter.objects.filter(guard__stream=self.stream(name))
        given = {"reason": wanted["reason"], "state": wanted["state"], "pk__lt": wanted["before"]}
        rows = list(letters.filter(**{field: value for field, value in given.items() if value}).order_by("-pk")[: _PAGE + 1])
        page = {"results": [showing.letter_row(row) for row in rows[:_PAGE]], "next": rows[_PAGE - 1].pk if len(rows) > _PAGE else None}
        return Response(LetterPageSerializer(page).data)


class LetterView(_StreamView):
    """One dead letter."""

    @extend_schema(operation_id="letters_get", responses=WholeLetterSerializer)
    def get(self, request: Request, slug: str, name: str, letter_id: int) -> Response:
        """The letter whole, and what the stream's present contract says of it."""
        return Response(WholeLetterSerializer(showing.whole_letter(showing.find_guard(self.stream(name)), letter_id)).data)


class DropView(_StreamView):
    """Giving letters up."""

    @extend_schema(operation_id="letters_drop", request=DropSerializer, responses=DroppedSerializer)
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Drop waiting letters; their bytes stay in the dead-letter topic until Kafka forgets them."""
        guard = showing.find_guard(self.stream(name))
        form = DropSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return Response({"dropped": drop(guard, self.person, _choice(form.validated_data), form.validated_data["why"])})


class RedrivesView(_StreamView):
    """Sending letters again."""

    @extend_schema(operation_id="redrives_list", responses=RedriveListSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """The newest redrives with their progress."""
        rows = Redrive.objects.select_related("target").filter(guard__stream=self.stream(name))[:20]
        return Response(RedriveListSerializer({"results": [showing.redrive_row(row) for row in rows]}).data)

    @extend_schema(operation_id="redrives_create", request=NewRedriveSerializer, responses={201: RedriveSerializer})
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Send waiting letters again, each once."""
        guard = showing.find_guard(self.stream(name))
        form = NewRedriveSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        target = guard.stream if wanted["to"] is None else find_stream(self.workspace, wanted["to"])
        made = begin_redrive(guard, self.person, _choice(wanted), target=target, rate=wanted["rate"], value=_value(wanted))
        return Response(RedriveSerializer(showing.redrive_row(made)).data, status=201)


class RedriveView(_StreamView):
    """One redrive."""

    @extend_schema(operation_id="redrives_get", responses=RedriveSerializer)
    def get(self, request: Request, slug: str, name: str, redrive_id: str) -> Response:
        """How far it is."""
        return Response(RedriveSerializer(showing.redrive_row(find_redrive(showing.find_guard(self.stream(name)), redrive_id))).data)


class CancelView(_StreamView):
    """Calling a redrive off."""

    @extend_schema(operation_id="redrives_cancel", request=None, responses=RedriveSerializer)
    def post(self, request: Request, slug: str, name: str, redrive_id: str) -> Response:
        """Send no more; what was not sent waits again."""
        redrive = find_redrive(showing.find_guard(self.stream(name)), redrive_id)
        return Response(RedriveSerializer(showing.redrive_row(cancel_redrive(redrive, self.person))).data)


def _choice(wanted: dict[str, Any]) -> Choice:
    return Choice(tuple(wanted.get("letters") or ()), wanted.get("reason") or "", wanted["all"])


def _value(wanted: dict[str, Any]) -> bytes | None:
    if wanted["value_base64"] is None:
        return None if wanted["value"] is None else str(wanted["value"]).encode()
    try:
        return base64.b64decode(wanted["value_base64"], validate=True)
    except (binascii.Error, ValueError) as error:
        raise RefusalError("RECORD_MALFORMED", "value_base64 is no base64.") from error
