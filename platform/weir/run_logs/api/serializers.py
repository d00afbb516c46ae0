"""Serializers of logs."""

from typing import Any, Final, get_args

from rest_framework import serializers

from jobs.base.instants import instant_of
from weir.run_logs.models import LEVELS
from weir.run_logs.services.queries import Empty, LineFilter

MAX_LIMIT: Final = 500


class LogQuerySerializer(serializers.Serializer[Any]):
    """Which lines."""

    run = serializers.CharField(
        required=False, default=None, max_length=40, help_text="one of `runs`; the newest if omitted"
    )
    level = serializers.ChoiceField(choices=LEVELS, default=LEVELS[0], help_text="this level and above")
    q = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=200,
        help_text="a part of message, detail or logger, in upper or lower case",
    )
    since = serializers.DateTimeField(required=False, default=None)
    until = serializers.DateTimeField(required=False, default=None, help_text="exclusive")
    cursor = serializers.CharField(
        required=False, default=None, max_length=40, help_text="`cursor` of the page before"
    )
    limit = serializers.IntegerField(min_value=1, max_value=MAX_LIMIT, default=200)

    def wanted(self) -> LineFilter:
        """The filter, after validation."""
        data = self.validated_data
        since, until = (instant_of(data[name]) if data[name] else None for name in ("since", "until"))
        return LineFilter(data["level"], data["q"], since, until)


class LogLineSerializer(serializers.Serializer[Any]):
    """A line. `origin`: the engine's own code, or Spark. `detail`: the error with its stack, or empty."""

    id = serializers.CharField()
    at = serializers.DateTimeField()
    level = serializers.ChoiceField(choices=LEVELS)
    origin = serializers.ChoiceField(choices=["engine", "spark"])
    logger = serializers.CharField()
    message = serializers.CharField(allow_blank=True)
    detail = serializers.CharField(allow_blank=True)
    epoch = serializers.IntegerField()
    engine = serializers.CharField()


class LoggedRunSerializer(serializers.Serializer[Any]):
    """A run whose lines can be asked for."""

    id = serializers.CharField()
    generation = serializers.IntegerField(source="generation.number")
    created_at = serializers.DateTimeField(source="generation.created_at")


class LogPageSerializer(serializers.Serializer[Any]):
    """Lines of one run, newest first. `cursor` gives the next page; null: there is none. `empty` says why
    there is no line; null: there is one.
    """

    run = serializers.CharField(allow_null=True)
    runs = LoggedRunSerializer(many=True)
    lines = LogLineSerializer(many=True)
    cursor = serializers.CharField(allow_null=True)
    empty = serializers.ChoiceField(choices=get_args(Empty), allow_null=True)
    max_lines = serializers.IntegerField(help_text="of a run; older ones are deleted")
    kept_days = serializers.IntegerField()
