"""Clusters: serializers and views."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from weir.clusters import services
from weir.clusters.models import HOME, Cluster
from weir.clusters.trial import STAGES, Trial, try_cluster
from weir.workspaces.base_view import WorkspaceView
from weir.workspaces.models import Role
from weir.workspaces.services import record_event

SECURITIES = ["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]


class ClusterSerializer(serializers.Serializer[Any]):
    """A cluster; `reachable` is null before it was first asked, `error` says why it did not answer.

    Of the password only when it was set is ever told.
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
    """A cluster and who uses it."""

    used_by = serializers.SerializerMethodField()

    def get_used_by(self, cluster: Cluster) -> list[dict[str, Any]]:
        """Streams that lie on it, with their jobs; of the home cluster this is not told here."""
        users = {} if cluster.id == HOME else services.users_of(cluster)
        return [{"stream": stream, "jobs": jobs} for stream, jobs in sorted(users.items())]


class ConnectionSerializer(serializers.Serializer[Any]):
    """How to reach a cluster: these fields and no others.

    `password` left out or null keeps the one that is set, as long as every other field stays as it is too.
    """

    bootstrap = serializers.CharField(max_length=500)
    security = serializers.ChoiceField(choices=SECURITIES, default="PLAINTEXT")
    mechanism = serializers.ChoiceField(choices=MECHANISMS, allow_blank=True, default="")
    username = serializers.CharField(max_length=255, allow_blank=True, default="")
    password = serializers.CharField(max_length=255, allow_null=True, default=None, trim_whitespace=False, write_only=True)
    ca = serializers.CharField(max_length=65_536, allow_blank=True, default="", trim_whitespace=False)

    def to_internal_value(self, data: Any) -> Any:
        """Other fields are refused, not ignored: who writes ``sasl.jaas.config`` must learn that it does nothing."""
        foreign = sorted(set(data) - set(self.fields)) if isinstance(data, dict) else []
        if foreign:
            raise serializers.ValidationError({name[:80]: ["Not a field of a cluster."] for name in foreign[:20]})
        return super().to_internal_value(data)


class NewClusterSerializer(ConnectionSerializer):
    """A cluster to register."""

    name = serializers.CharField(max_length=100)


class TrialRequestSerializer(ConnectionSerializer):
    """A connection to try; `cluster` names the one whose password is used where none is given and nothing else differs."""

    cluster = serializers.CharField(max_length=40, allow_null=True, default=None)


class StageSerializer(serializers.Serializer[Any]):
    """A stage: done with what was seen, failed with its cause, or not reached."""

    stage = serializers.ChoiceField(choices=list(STAGES))
    state = serializers.ChoiceField(choices=["done", "failed", "not_reached"])
    detail = serializers.CharField(allow_blank=True)


class TrialSerializer(serializers.Serializer[Any]):
    """How far a connection came; `raw` are the client's own words."""

    ok = serializers.BooleanField()
    stages = StageSerializer(many=True)
    topics = serializers.IntegerField(allow_null=True)
    raw = serializers.CharField(allow_blank=True)
    elapsed_ms = serializers.IntegerField()


def _connection(form: dict[str, Any]) -> services.Connection:
    return services.Connection(**{name: form[name] for name in ("bootstrap", "security", "mechanism", "username", "password", "ca")})


def trial_json(trial: Trial) -> dict[str, Any]:
    """The API's form of a trial."""
    done = dict(trial.done)
    rows = []
    for stage in STAGES:
        state = "done" if stage in done else "failed" if stage == trial.failed else "not_reached"
        rows.append({"stage": stage, "state": state, "detail": done.get(stage, trial.cause if stage == trial.failed else "")})
    return {"ok": trial.failed is None, "stages": rows, "topics": trial.topics, "raw": trial.raw, "elapsed_ms": trial.elapsed_ms}


class ClustersView(WorkspaceView):
    """The Kafka clusters that this workspace reads from."""

    roles: ClassVar[dict[str, Role]] = {"POST": Role.OWNER}

    @extend_schema(operation_id="clusters_list", responses=ClusterListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """As last checked; never waits for a broker."""
        return Response({"results": ClusterSerializer(services.clusters_of(self.workspace), many=True).data})

    @extend_schema(operation_id="clusters_create", request=NewClusterSerializer, responses={201: ClusterDetailSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Register a cluster; try it first."""
        form = NewClusterSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        made = services.add_cluster(self.workspace, self.user, form.validated_data["name"], _connection(form.validated_data))
        return Response(ClusterDetailSerializer(made).data, status=201)


class ClusterTrialView(WorkspaceView):
    """A connection, before it is saved."""

    roles: ClassVar[dict[str, Role]] = {"POST": Role.OWNER}
    throttle_scope = "cluster-try"  # whoever may try addresses freely can search a network for open ports

    @extend_schema(operation_id="clusters_try", request=TrialRequestSerializer, responses=TrialSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Resolve, connect, TLS, authenticate, list: which stage failed, and why."""
        form = TrialRequestSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        known = form.validated_data["cluster"]
        cluster = services.find_cluster(self.workspace, known) if known else None
        profile = services.draft_profile(_connection(form.validated_data), cluster)
        trial = try_cluster(profile)
        how = "succeeded" if trial.failed is None else f"failed at {trial.failed}"
        record_event(self.workspace, "cluster", f"Connection to {profile.bootstrap} tested: {how}", actor=self.user.username)
        return Response(trial_json(trial))


class ClusterView(WorkspaceView):
    """One cluster."""

    roles: ClassVar[dict[str, Role]] = {"PUT": Role.OWNER, "DELETE": Role.OWNER}

    @extend_schema(operation_id="clusters_get", responses=ClusterDetailSerializer)
    def get(self, request: Request, slug: str, cluster: str) -> Response:
        """The cluster and who uses it."""
        return Response(ClusterDetailSerializer(services.find_cluster(self.workspace, cluster)).data)

    @extend_schema(operation_id="clusters_change", request=NewClusterSerializer, responses=ClusterDetailSerializer)
    def put(self, request: Request, slug: str, cluster: str) -> Response:
        """Change the connection; running jobs that read from it are stopped and resumed with it."""
        found = services.find_cluster(self.workspace, cluster)
        form = NewClusterSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        changed = services.change_cluster(found, self.user, form.validated_data["name"], _connection(form.validated_data))
        return Response(ClusterDetailSerializer(changed).data)

    @extend_schema(operation_id="clusters_delete", responses={204: None})
    def delete(self, request: Request, slug: str, cluster: str) -> Response:
        """Forget the cluster and its password; refused while streams lie on it."""
        services.delete_cluster(services.find_cluster(self.workspace, cluster), self.user)
        return Response(status=204)
