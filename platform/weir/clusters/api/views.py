"""Views of clusters and connection tests."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.clusters.api.serializers import (
    ChangedClusterSerializer,
    ClusterDetailSerializer,
    ClusterListSerializer,
    ClusterSerializer,
    ConnectionTestRequestSerializer,
    ConnectionTestSerializer,
    NewClusterSerializer,
)
from weir.clusters.services.clusters import (
    Connection,
    add_cluster,
    change_cluster,
    clusters_of,
    delete_cluster,
    draft_profile,
    get_cluster,
)
from weir.clusters.services.connection_test import CHECKS, ConnectionTest, test_connection
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.models import Action
from weir.workspaces.roles import Right
from weir.workspaces.services.events import record_event


def _connection(form: dict[str, Any]) -> Connection:
    return Connection(
        **{name: form[name] for name in ("bootstrap", "security", "mechanism", "username", "password", "ca")}
    )


def connection_test_json(result: ConnectionTest) -> dict[str, Any]:
    """JSON of a connection test."""
    passed = dict(result.passed)
    checks = []
    for check in CHECKS:
        state = "passed" if check in passed else "failed" if check == result.failed else "skipped"
        checks.append(
            {
                "check": check,
                "state": state,
                "detail": passed.get(check, result.cause if check == result.failed else ""),
            }
        )
    return {
        "ok": result.failed is None,
        "checks": checks,
        "topics": result.topics,
        "raw": result.raw,
        "elapsed_ms": result.elapsed_ms,
    }


class ClustersView(WorkspaceView):
    """The Kafka clusters of a workspace."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.MANAGE_CLUSTERS}
    throttle_scope = "cluster-test"  # a saved connection is tried, too
    throttle_methods = ("POST",)

    @extend_schema(operation_id="clusters_list", responses=ClusterListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """The clusters with the results of their last check."""
        return Response({"results": ClusterSerializer(clusters_of(self.workspace), many=True).data})

    @extend_schema(
        operation_id="clusters_create", request=NewClusterSerializer, responses={201: ClusterDetailSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Register a cluster. Test the connection first."""
        form = NewClusterSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        cluster = add_cluster(
            self.workspace, self.user, form.validated_data["name"], _connection(form.validated_data)
        )
        return Response(ClusterDetailSerializer(cluster).data, status=201)


class ConnectionTestView(WorkspaceView):
    """Test of a connection before it is saved."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.MANAGE_CLUSTERS}
    throttle_scope = "cluster-test"  # without a limit, tests could be used to scan a network for open ports

    @extend_schema(
        operation_id="clusters_test",
        request=ConnectionTestRequestSerializer,
        responses=ConnectionTestSerializer,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Resolve, connect, TLS, authenticate, list: which check failed, and why."""
        form = ConnectionTestRequestSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        known = form.validated_data["cluster"]
        cluster = get_cluster(self.workspace, known) if known else None
        profile = draft_profile(_connection(form.validated_data), cluster)
        result = test_connection(profile)
        outcome = "succeeded" if result.failed is None else f"failed at {result.failed}"
        record_event(
            self.workspace,
            "cluster",
            f"Connection to {profile.bootstrap} tested: {outcome}",
            actor=self.user.username,
            action=Action.TESTED,
        )
        return Response(connection_test_json(result))


class ClusterView(WorkspaceView):
    """One cluster."""

    rights: ClassVar[dict[str, Right]] = {"PUT": Right.MANAGE_CLUSTERS, "DELETE": Right.MANAGE_CLUSTERS}
    throttle_scope = "cluster-test"  # a saved connection is tried, too
    throttle_methods = ("PUT",)

    @extend_schema(operation_id="clusters_get", responses=ClusterDetailSerializer)
    def get(self, request: Request, slug: str, cluster: str) -> Response:
        """The cluster and the streams that use it."""
        return Response(ClusterDetailSerializer(get_cluster(self.workspace, cluster)).data)

    @extend_schema(
        operation_id="clusters_change", request=ChangedClusterSerializer, responses=ClusterDetailSerializer
    )
    def put(self, request: Request, slug: str, cluster: str) -> Response:
        """Change the connection. Running jobs that read from the cluster are restarted with it."""
        found = get_cluster(self.workspace, cluster)
        form = ChangedClusterSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        changed = change_cluster(
            found,
            self.user,
            form.validated_data["name"],
            _connection(form.validated_data),
            form.validated_data["revision"],
        )
        return Response(ClusterDetailSerializer(changed).data)

    @extend_schema(operation_id="clusters_delete", responses={204: None})
    def delete(self, request: Request, slug: str, cluster: str) -> Response:
        """Delete the cluster and its password; refused while streams use it."""
        delete_cluster(get_cluster(self.workspace, cluster), self.user)
        return Response(status=204)
