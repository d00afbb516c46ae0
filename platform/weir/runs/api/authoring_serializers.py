"""Serializers of functions and examples."""

from typing import Any

from rest_framework import serializers


class FunctionsSerializer(serializers.Serializer[Any]):
    """Functions, measures and operators."""

    functions = serializers.ListField(child=serializers.DictField())
    measures = serializers.ListField(child=serializers.DictField())
    operators = serializers.ListField(child=serializers.DictField())


class ExampleStreamSerializer(serializers.Serializer[Any]):
    """A stream that an example reads or writes."""

    name = serializers.CharField()
    topic = serializers.CharField()
    contract = serializers.DictField()


class ExampleSerializer(serializers.Serializer[Any]):
    """An example."""

    id = serializers.CharField()
    title = serializers.CharField()
    summary = serializers.CharField(allow_blank=True)
    document_text = serializers.CharField()
    streams = ExampleStreamSerializer(many=True)
    feed = serializers.CharField(help_text="Command that produces the sample records.")
    auto_feed = serializers.BooleanField(
        help_text="True when the data generator starts with the job; otherwise start it by hand."
    )


class ExampleListSerializer(serializers.Serializer[Any]):
    """The examples."""

    results = ExampleSerializer(many=True)
