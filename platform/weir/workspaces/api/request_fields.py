"""Parts of requests: unknown members are refused, and what is wrong costs no more than what is right."""

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension
from rest_framework import serializers

_NAMED = 20  # of unknown members, in an error
_NAME_LENGTH = 80


class StrictSerializer(serializers.Serializer[Any]):
    """The body of a request. It refuses members that it does not know: what a misspelt one says would not be
    done, and nobody would be told.
    """

    unknown_member = "Not a field of this request."

    def to_internal_value(self, data: Any) -> Any:
        """Refuse unknown members.

        Raises:
            ValidationError: there is one.
        """
        unknown = sorted(set(data) - set(self.fields)) if isinstance(data, dict) else []
        if unknown:
            raise serializers.ValidationError(
                {name[:_NAME_LENGTH]: [self.unknown_member] for name in unknown[:_NAMED]}
            )
        return super().to_internal_value(data)


class StrictSerializerExtension(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]  # of the library
    """The OpenAPI document says so, too; found by drf_spectacular because it is imported."""

    target_class = "weir.workspaces.api.request_fields.StrictSerializer"
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: str) -> dict[str, Any]:
        """The schema; that of a request has no other members."""
        schema: dict[str, Any] = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return {**schema, "additionalProperties": False} if direction == "request" else schema


class BoundedListField(serializers.ListField):
    """A list that is refused by its length before its items are looked at, and with its first wrong item:
    DRF keeps an error of each, at every level above.
    """

    def to_internal_value(self, data: Any) -> Any:
        """The items.

        Raises:
            ValidationError: too long, or an item is wrong.
        """
        if self.max_length is not None and isinstance(data, list) and len(data) > self.max_length:
            raise serializers.ValidationError(
                [f"It has {len(data):,} items; the limit is {self.max_length:,}."]
            )
        return super().to_internal_value(data)

    def run_child_validation(self, data: Any) -> Any:
        """The items, up to the first that is wrong."""
        found = []
        for index, item in enumerate(data):
            try:
                found.append(self.child.run_validation(item))
            except serializers.ValidationError as error:
                raise serializers.ValidationError({str(index): error.detail}) from error
        return found


class BoundedDictField(serializers.DictField):
    """An object that is refused with its first wrong member, as `BoundedListField`."""

    def run_child_validation(self, data: Any) -> Any:
        """The members, up to the first that is wrong."""
        found = {}
        for key, value in data.items():
            try:
                found[str(key)] = self.child.run_validation(value)
            except serializers.ValidationError as error:
                raise serializers.ValidationError({str(key)[:_NAME_LENGTH]: error.detail}) from error
        return found
