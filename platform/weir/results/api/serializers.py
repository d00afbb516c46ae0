"""Serializers of results."""

from typing import Any

from rest_framework import serializers


class PageQuerySerializer(serializers.Serializer[Any]):
    """Query of a page."""

    limit = serializers.IntegerField(min_value=1, max_value=2_000, default=200)
    after = serializers.CharField(required=False, max_length=200)


class ResultRowSerializer(serializers.Serializer[Any]):
    """A result row. `key` is its identity's parts, `newest_input_us` the Kafka timestamp of
    the newest input inside it.
    """

    key = serializers.ListField(child=serializers.JSONField())
    value = serializers.DictField()
    newest_input_us = serializers.IntegerField()
    partial = serializers.BooleanField()  # type: ignore[assignment]  # a field, although serializers have a flag of that name
    updated_at = serializers.CharField()


class ResultPageSerializer(serializers.Serializer[Any]):
    """A page, newest rows first. `cursor` subscribes to what follows the first page; `next`
    is the next page's `after`. `total` counts rows up to 100,000; where there are more, `total_exact` is
    false.
    """

    generation = serializers.IntegerField(allow_null=True)
    rows = ResultRowSerializer(many=True)
    total = serializers.IntegerField()
    total_exact = serializers.BooleanField()
    cursor = serializers.CharField(allow_null=True)
    next = serializers.CharField(allow_null=True)
