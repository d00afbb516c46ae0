"""Topics of a cluster."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from confluent_kafka import TopicPartition
from confluent_kafka.admin import OffsetSpec
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.base.topic_names import is_reserved
from jobs.connections import ClusterProfile
from weir.clusters.models import Cluster
from weir.clusters.services.clusters import get_cluster, profile_of
from weir.clusters.services.offsets import known_offsets
from weir.clusters.services.topic_list import TopicSummary, list_topics
from weir.clusters.services.topic_settings import read_partitions, read_settings
from weir.streams.api.topic_serializers import (
    ChangedTopicSerializer,
    NewTopicSerializer,
    SettingsSerializer,
    TopicDetailSerializer,
    TopicListSerializer,
    TopicQuerySerializer,
)
from weir.streams.models import Stream
from weir.streams.services import topics
from weir.streams.services.ownership import topics_of_others
from weir.streams.services.topic_stats import Traffic, fetch_within
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.models import Workspace

_MAX_COUNTED = 100  # counting the records of more topics would delay the page


class TopicsView(WorkspaceView):
    """The topics of a cluster."""

    @extend_schema(
        operation_id="topics_list", parameters=[TopicQuerySerializer], responses=TopicListSerializer
    )
    def get(self, request: Request, slug: str, cluster: str) -> Response:
        """All topics that belong to neither the system nor another workspace, with the age of the answer."""
        form = TopicQuerySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        found = get_cluster(self.workspace, cluster)
        profile = profile_of(found)
        listed = list_topics(profile, fresh=form.validated_data["fresh"])
        visible = _visible(listed.topics, found, self.workspace)
        part = form.validated_data["name"].lower()
        matching = [row for row in visible if part in row.name.lower()]
        first, limit = form.validated_data["offset"], form.validated_data["limit"]
        rows = matching[first : None if limit is None else first + limit]
        names = _stream_names(found, self.workspace)
        measured = _traffic(profile, rows[:_MAX_COUNTED]) if not listed.error else {}
        results = [
            {
                "name": row.name,
                "partitions": row.partitions,
                "replicas": row.replicas,
                "under_replicated": row.under_replicated,
                "leaderless": row.leaderless,
                "records": measured[row.name].records if row.name in measured else None,
                "streams": names.get(row.name, []),
            }
            for row in rows
        ]
        fetched_at = serializers.DateTimeField().to_representation(
            datetime.fromtimestamp(listed.fetched_at, UTC)
        )
        told = {
            "fetched_at": fetched_at,
            "error": listed.error or None,
            "total": len(visible),
            "matching": len(matching),
        }
        return Response({**told, "results": results})

    @extend_schema(
        operation_id="topics_create", request=NewTopicSerializer, responses={201: TopicDetailSerializer}
    )
    def post(self, request: Request, slug: str, cluster: str) -> Response:
        """Create a topic."""
        found = get_cluster(self.workspace, cluster)
        form = NewTopicSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        topics.add_topic(
            found,
            self.workspace,
            self.user,
            wanted["name"],
            wanted["partitions"],
            wanted["retention_ms"],
            wanted["cleanup"],
        )
        return Response(_detail(found, self.workspace, wanted["name"]), status=201)


class TopicView(WorkspaceView):
    """One topic."""

    @extend_schema(operation_id="topics_get", responses=TopicDetailSerializer)
    def get(self, request: Request, slug: str, cluster: str, topic: str) -> Response:
        """Partitions, settings, and the streams and jobs that use the topic."""
        return Response(_detail(get_cluster(self.workspace, cluster), self.workspace, topic))

    @extend_schema(
        operation_id="topics_change", request=ChangedTopicSerializer, responses=TopicDetailSerializer
    )
    def patch(self, request: Request, slug: str, cluster: str, topic: str) -> Response:
        """Change retention, compaction or the number of partitions."""
        found = get_cluster(self.workspace, cluster)
        form = ChangedTopicSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        topics.change_topic(found, self.workspace, self.user, topic, form.validated_data)
        return Response(_detail(found, self.workspace, topic))

    @extend_schema(operation_id="topics_delete", responses={204: None})
    def delete(self, request: Request, slug: str, cluster: str, topic: str) -> Response:
        """Delete the topic with all its records; refused while a stream or a job uses it, with the names."""
        topics.remove_topic(get_cluster(self.workspace, cluster), self.workspace, self.user, topic)
        return Response(status=204)


def _visible(listed: Iterable[TopicSummary], cluster: Cluster, workspace: Workspace) -> list[TopicSummary]:
    """The topics that belong to neither the system nor another workspace."""
    theirs = topics_of_others(cluster, workspace)
    return [row for row in listed if not is_reserved(row.name) and row.name not in theirs]


def _stream_names(cluster: Cluster, workspace: Workspace) -> dict[str, list[str]]:
    """The names of a workspace's streams by topic."""
    names: dict[str, list[str]] = {}
    for topic, stream in Stream.objects.of(workspace).filter(cluster=cluster).values_list("topic", "name"):
        names.setdefault(topic, []).append(stream)
    return names


def _traffic(profile: ClusterProfile, rows: list[TopicSummary]) -> dict[str, Traffic]:
    """The traffic of topics by name; nothing if the cluster does not answer in time."""
    traffic, _ = fetch_within({profile: [row.name for row in rows]})
    return traffic.get(profile, {})


def _detail(cluster: Cluster, workspace: Workspace, topic: str) -> dict[str, Any]:
    ref = topics.topic_ref(cluster, workspace, topic)
    parts = read_partitions(ref.profile, topic)
    led = [TopicPartition(topic, part.partition) for part in parts if part.leader >= 0]
    starts, ends = (
        known_offsets(ref.profile, dict.fromkeys(led, spec))
        for spec in (OffsetSpec.earliest(), OffsetSpec.latest())
    )
    streams = list(Stream.objects.of(workspace).filter(cluster=cluster, topic=topic).prefetch_related("uses"))
    rows = [
        {
            "partition": part.partition,
            "leader": part.leader,
            "replicas": part.replicas,
            "in_sync": part.in_sync,
            "start": starts.get((topic, part.partition)),
            "end": ends.get((topic, part.partition)),
        }
        for part in parts
    ]
    return {
        "name": topic,
        "partitions": rows,
        "settings": SettingsSerializer(read_settings(ref.profile, topic)).data,
        "streams": [stream.name for stream in streams],
        "jobs": sorted({use.job_name for stream in streams for use in stream.uses.all()}),
    }
