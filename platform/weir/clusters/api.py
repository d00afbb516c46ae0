"""Clusters: serializers and views."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from weir.clusters.models import HOME, Cluster
from weir.clusters.services import home_cluster
from weir.workspaces.scope import WorkspaceView


class ClusterSerializer(serializers.Serializer[Any]):
    """A cluster; `reachable` is null before it was first asked, `error` says why it did not answer."""

    id = serializers.CharField()
    name = serializers.CharField()
    bootstrap = serializers.CharField()
    home = serializers.SerializerMethodField()
    reachable = serializers.BooleanField(allow_null=True)
    checked_at = serializers.DateTimeField(allow_null=True)
    error = serializers.CharField(allow_blank=True)

    def get_home(self, cluster: Cluster) -> bool:
        """True for the cluster that carries Weir's own topics."""
        return cluster.id == HOME


class ClusterListSerializer(serializers.Serializer[Any]):
    """The clusters."""

    results = ClusterSerializer(many=True)


class ClustersView(WorkspaceView):
    """The Kafka clusters that this workspace reads from."""

    @extend_schema(operation_id="clusters_list", responses=ClusterListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """As last checked; never waits for a broker."""
        return Response({"results": ClusterSerializer([home_cluster()], many=True).data})
