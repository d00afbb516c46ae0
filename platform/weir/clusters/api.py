"""Clusters: serializers and views."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from weir.clusters import services
from weir.clusters.connection_test import CHECKS, ConnectionTest, test_connection
from weir.clusters.models import HOME, Cluster
from weir.workspaces.base_view import WorkspaceView
from weir.workspaces.models import Role
from weir.workspaces.services import record_event

SECURITIES = ["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]


class ClusterSerializer(serializers.Serializer[Any]):
    """A cluster. `reachable` is null before the first check; `error`: why it did not answer.

    Of the password, only the time when it was set is returned.
    """

    id = serializers.CharField()
    name = serializers.CharField()
    bootstrap = serializers.CharField()
    home = serializers.SerializerMethodField()
    security = serializers.ChoiceField(choices=SECURITIES)
    mechanism = serializers.ChoiceField(choices=MECHANISMS, allow_blank=True)
    username = serializers.CharField(allow_blank=True)
    password_set_at = serializers.DateTimeField(allow_null=True)
    ca = serializers.CharField(allow_blank=True)
    reachable = serializers.BooleanField(allow_null=True)
    checked_at = serializers.DateTimeField(allow_null=True)
    error = serializers.CharField(allow_blank=True)

    def get_home(self, cluster: Cluster) -> bool:
        """True for the cluster that carries Weir's own topics."""
        return cluster.id == HOME


class ClusterListSerializer(serializers.Serializer[Any]):
    """The clusters."""

    results = ClusterSerializer(many=True)


class StreamUsersSerializer(serializers.Serializer[Any]):
    """A stream on a cluster, and the jobs that read it."""

    stream = serializers.CharField()
    jobs = serializers.ListField(child=serializers.CharField())


class ClusterDetailSerializer(ClusterSerializer):
    """A cluster and the streams that use it."""

    used_by = serializers.SerializerMethodField()

    def get_used_by(self, cluster: Cluster) -> list[dict[str, Any]]:
        """Streams on this cluster, with their jobs; empty for the home cluster."""
        users = {} if cluster.id == HOME else services.users_of(cluster)
        return [{"stream": stream, "jobs": jobs} for stream, jobs in sorted(users.items())]


class ConnectionSerializer(serializers.Serializer[Any]):
    """Connection of a cluster: these fields and no others.

    If `password` is omitted or null, the current one is kept, provided that no other field changes.
    """

    bootstrap = serializers.CharField(max_length=500)
    security = serializers.ChoiceField(choices=SECURITIES, default="PLAINTEXT")
    mechanism = serializers.ChoiceField(choices=MECHANISMS, allow_blank=True, default="")
    username = serializers.CharField(max_length=255, allow_blank=True, default="")
    password = serializers.CharField(max_length=255, allow_null=True, default=None, trim_whitespace=False, write_only=True)
    ca = serializers.CharField(max_length=65_536, allow_blank=True, default="", trim_whitespace=False)

    def to_internal_value(self, data: Any) -> Any:
        """Reject unknown fields, so that ``sasl.jaas.config`` is not silently ignored."""
        foreign = sorted(set(data) - set(self.fields)) if isinstance(data, dict) else []
        if foreign:
            raise serializers.ValidationError({name[:80]: ["Not a field of a cluster."] for name in foreign[:20]})
        return super().to_internal_value(data)


class NewClusterSerializer(ConnectionSerializer):
    """A cluster to register."""

    name = serializers.CharField(max_length=100)


class ConnectionTestRequestSerializer(ConnectionSerializer):
    """A connection to test. `cluster`: whose password is used if none is given and nothing else differs."""

    cluster = serializers.CharField(max_length=40, allow_null=True, default=None)


class ConnectionCheckSerializer(serializers.Serializer[Any]):
    """A check of a connection test: passed with its observation, failed with its cause, or skipped."""

    check = serializers.ChoiceField(choices=list(CHECKS))
    state = serializers.ChoiceField(choices=["passed", "failed", "skipped"])
    detail = serializers.CharField(allow_blank=True)


class ConnectionTestSerializer(serializers.Serializer[Any]):
    """Result of a connection test. `raw`: the client's error message."""

    ok = serializers.BooleanField()
    checks = ConnectionCheckSerializer(many=True)
    topics = serializers.IntegerField(allow_null=True)
    raw = serializers.CharField(allow_blank=True)
    elapsed_ms = serializers.IntegerField()


def _connection(form: dict[str, Any]) -> services.Connection:
    return services.Connection(**{name: form[name] for name in ("bootstrap", "security", "mechanism", "username", "password", "ca")})


def connection_test_json(result: ConnectionTest) -> dict[str, Any]:
    """JSON of a connection test."""
    passed = dict(result.passed)
    checks = []
    for check in CHECKS:
        state = "passed" if check in passed else "failed" if check == result.failed else "skipped"
        checks.append({"check": check, "state": state, "detail": passed.get(check, result.cause if check == result.failed else "")})
    return {"ok": result.failed is None, "checks": checks, "topics": result.topics, "raw": result.raw, "elapsed_ms": result.elapsed_ms}


class ClustersView(WorkspaceView):
    """The Kafka clusters of a workspace."""

    roles: ClassVar[dict[str, Role]] = {"POST": Role.OWNER}

    @extend_schema(operation_id="clusters_list", responses=ClusterListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """The clusters with the results of their last check."""
        return Response({"results": ClusterSerializer(services.clusters_of(self.workspace), many=True).data})

    @extend_schema(operation_id="clusters_create", request=NewClusterSerializer, responses={201: ClusterDetailSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Register a cluster. Test the connection first."""
        form = NewClusterSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        cluster = services.add_cluster(self.workspace, self.user, form.validated_data["name"], _connection(form.validated_data))
        return Response(ClusterDetailSerializer(cluster).data, status=201)


class ConnectionTestView(WorkspaceView):
    """Test of a connection before it is saved."""

    roles: ClassVar[dict[str, Role]] = {"POST": Role.OWNER}
    throttle_scope = "cluster-test"  # without a limit, tests could be used to scan a network for open ports

    @extend_schema(operation_id="clusters_test", request=ConnectionTestRequestSerializer, responses=ConnectionTestSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Resolve, connect, TLS, authenticate, list: which check failed, and why."""
        form = ConnectionTestRequestSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        known = form.validated_data["cluster"]
        cluster = services.get_cluster(self.workspace, known) if known else None
        profile = services.draft_profile(_connection(form.validated_data), cluster)
        result = test_connection(profile)
        outcome = "succeeded" if result.failed is None else f"failed at {result.failed}"
        record_event(self.workspace, "cluster", f"Connection to {profile.bootstrap} tested: {outcome}", actor=self.user.username)
        return Response(connection_test_json(result))


class ClusterView(WorkspaceView):
    """One cluster."""

    roles: ClassVar[dict[str, Role]] = {"PUT": Role.OWNER, "DELETE": Role.OWNER}

    @extend_schema(operation_id="clusters_get", responses=ClusterDetailSerializer)
    def get(self, request: Request, slug: str, cluster: str) -> Response:
        """The cluster and the streams that use it."""
        return Response(ClusterDetailSerializer(services.get_cluster(self.workspace, cluster)).data)

    @extend_schema(operation_id="clusters_change", request=NewClusterSerializer, responses=ClusterDetailSerializer)
    def put(self, request: Request, slug: str, cluster: str) -> Response:
        """Change the connection. Running jobs that read from the cluster are restarted with it."""
        found = services.get_cluster(self.workspace, cluster)
        form = NewClusterSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        changed = services.change_cluster(found, self.user, form.validated_data["name"], _connection(form.validated_data))
        return Response(ClusterDetailSerializer(changed).data)

    @extend_schema(operation_id="clusters_delete", responses={204: None})
    def delete(self, request: Request, slug: str, cluster: str) -> Response:
        """Delete the cluster and its password; refused while streams use it."""
        services.delete_cluster(services.get_cluster(self.workspace, cluster), self.user)
        return Response(status=204)
