"""Serializers of where nodes of a drawing are."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from weir.runs.api.document_serializers import DocumentSerializer
from weir.runs.models import Job
from weir.runs.services.drawing import MAX_COORDINATE, MAX_POSITIONS, NODE
from weir.workspaces.api.request_fields import StrictSerializer


class PositionSerializer(StrictSerializer):
    """The upper left corner of a node, in pixels; x to the right, y down."""

    x = serializers.IntegerField(min_value=-MAX_COORDINATE, max_value=MAX_COORDINATE)
    y = serializers.IntegerField(min_value=-MAX_COORDINATE, max_value=MAX_COORDINATE)


class DrawingSerializer(serializers.Serializer[Any]):
    """Positions that people gave to nodes, by name of a source or step, or `output:` and that of an output.
    Other nodes are laid out automatically. `right`: of the wide drawing, `down`: of the narrow one.
    """

    right = serializers.DictField(child=PositionSerializer())
    down = serializers.DictField(child=PositionSerializer())


def _names_of_nodes(moved: Mapping[str, Any]) -> None:
    if len(moved) > MAX_POSITIONS:
        raise serializers.ValidationError(f"At most {MAX_POSITIONS} positions.")
    for name in moved:
        if not NODE.fullmatch(name):
            raise serializers.ValidationError(
                f"{name[:80]!r} is no node: name a source, a step or output:name."
            )


class MovesField(serializers.DictField):
    """Positions by node."""

    def __init__(self, **options: Any) -> None:
        child = PositionSerializer(allow_null=True)
        super().__init__(child=child, required=False, validators=[_names_of_nodes], **options)


class MovesSerializer(StrictSerializer):
    """Nodes that get another position; null: automatic again. What is left out stays as it is."""

    right = MovesField()
    down = MovesField()


class NewJobSerializer(DocumentSerializer):
    """The document of a new job; `drawing`: positions of nodes in its draft, or in the job it copies; `view`:
    in which it was made, and in which editing opens.
    """

    drawing = MovesSerializer(required=False, allow_null=True, default=None)
    view = serializers.ChoiceField(choices=Job.View.choices, required=False, allow_blank=True, default="")
