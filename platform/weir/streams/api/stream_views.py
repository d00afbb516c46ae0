"""Streams."""

from collections import defaultdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.connections import ClusterProfile
from weir.clusters.services.clusters import get_cluster, profile_of
from weir.streams.api.stream_serializers import (
    ChangedStreamSerializer,
    NewStreamSerializer,
    StreamListSerializer,
    StreamSerializer,
)
from weir.streams.models import Stream, StreamUse
from weir.streams.services.streams import NewTopic, change_stream, delete_stream, get_stream, register_stream
from weir.streams.services.topic_stats import Traffic, fetch_within
from weir.workspaces.api.base_view import WorkspaceView


def _without_writers(contract: dict[str, Any]) -> dict[str, Any]:
    """A contract without writer schemas, which are read from its subjects again whenever it is
    saved; there may be many.
    """
    return {
        key: _without_writers(value) if isinstance(value, dict) else value
        for key, value in contract.items()
        if _stays(key, contract)
    }


def _stays(key: str, holder: dict[str, Any]) -> bool:
    return key != "writers" or not holder.get("subject")


def _streams_json(streams: list[Stream], measured: dict[int, Traffic]) -> list[dict[str, Any]]:
    uses: dict[int, list[dict[str, str]]] = defaultdict(list)
    for use in StreamUse.objects.filter(stream__in=[stream.pk for stream in streams]).order_by("job_name"):
        uses[use.stream_id].append({"job_id": use.job_id, "job_name": use.job_name})
    return [
        {
            "name": stream.name,
            "description": stream.description,
            "cluster": stream.cluster_id,
            "cluster_name": stream.cluster.name,
            "topic": stream.topic,
            "topic_id": stream.topic_id,
            "partitions": measured[stream.pk].partitions if stream.pk in measured else stream.partitions,
            "contract": _without_writers(stream.contract),
            "kind": stream.kind,
            "used_by": uses[stream.pk],
            "created_at": serializers.DateTimeField().to_representation(stream.created_at),
            "revision": stream.revision,
            "records": measured[stream.pk].records if stream.pk in measured else None,
            "rate_per_second": measured[stream.pk].rate_per_second if stream.pk in measured else None,
        }
        for stream in streams
    ]


def _measured(streams: list[Stream]) -> tuple[dict[int, Traffic], str | None]:
    """Traffic by stream, and an error message if a cluster did not answer in time."""
    topics: dict[ClusterProfile, set[str]] = {}
    profiles: dict[int, ClusterProfile] = {}
    errors: list[str] = []
    for stream in streams:
        profiles[stream.pk] = profile = profile_of(stream.cluster)
        topics.setdefault(profile, set()).add(stream.topic)
    found, failed = fetch_within(topics)
    for stream in streams:
        reason = failed.get(profiles[stream.pk])
        if reason is not None and reason not in errors:
            errors.append(reason)
    measured = {
        stream.pk: found[profiles[stream.pk]][stream.topic]
        for stream in streams
        if stream.topic in found.get(profiles[stream.pk], {})
    }
    return measured, " ".join(errors) or None


class StreamsView(WorkspaceView):
    """The registered streams."""

    throttle_scope = "stream"  # without a limit, names of topics could be guessed
    throttle_methods = ("POST",)

    @extend_schema(operation_id="streams_list", responses=StreamListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """All streams; a broker that does not answer only costs their numbers."""
        streams = list(Stream.objects.of(self.workspace).select_related("cluster"))
        measured, error = _measured(streams)
        return Response({"results": _streams_json(streams, measured), "error": error})

    @extend_schema(
        operation_id="streams_create", request=NewStreamSerializer, responses={201: StreamSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Register a topic, or create it first."""
        form = NewStreamSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        create = wanted.get("create")
        stream = register_stream(
            self.workspace,
            self.user,
            name=wanted["name"],
            cluster=get_cluster(self.workspace, wanted["cluster"]),
            topic=wanted["topic"],
            contract=wanted["contract"],
            description=wanted["description"],
            create=NewTopic(create["partitions"], create.get("retention_ms"), create.get("cleanup"))
            if create
            else None,
        )
        return Response(_streams_json([stream], {})[0], status=201)


class StreamView(WorkspaceView):
    """One stream."""

    @extend_schema(operation_id="streams_get", responses=StreamSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """The stream, its contract and the jobs that use it."""
        stream = get_stream(self.workspace, name)
        return Response(_streams_json([stream], _measured([stream])[0])[0])

    @extend_schema(operation_id="streams_change", request=ChangedStreamSerializer, responses=StreamSerializer)
    def patch(self, request: Request, slug: str, name: str) -> Response:
        """Change description or contract."""
        stream = get_stream(self.workspace, name)
        form = ChangedStreamSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return Response(_streams_json([change_stream(stream, self.user, **form.validated_data)], {})[0])

    @extend_schema(operation_id="streams_delete", responses={204: None})
    def delete(self, request: Request, slug: str, name: str) -> Response:
        """Delete the stream, but not its topic."""
        delete_stream(get_stream(self.workspace, name), self.user)
        return Response(status=204)
