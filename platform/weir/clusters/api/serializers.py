"""Serializers of clusters and connection tests."""

from typing import Any

from rest_framework import serializers

from weir.clusters.models import HOME, Cluster
from weir.clusters.services.clusters import users_of
from weir.clusters.services.connection_test import CHECKS
from weir.workspaces.api.request_fields import StrictSerializer

SECURITIES = ["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]


MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]


class ClusterSerializer(serializers.Serializer[Any]):
    """A cluster. `reachable` is null before the first check; `error`: why it did not answer.

    `disk_used_share` (0 to 1) is that of the fullest folder of any broker, `certificate_expires_at` the first
    end of a certificate that its TLS needs; null where it is not known. Both are read every five minutes.

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
    disk_used_share = serializers.FloatField(allow_null=True)
    certificate_expires_at = serializers.DateTimeField(allow_null=True)
    revision = serializers.IntegerField()

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
        users = {} if cluster.id == HOME else users_of(cluster)
        return [{"stream": stream, "jobs": jobs} for stream, jobs in sorted(users.items())]


class ConnectionSerializer(StrictSerializer):
    """Connection of a cluster: these fields and no others.

    If `password` is omitted or null, the current one is kept, provided that no other field changes.
    """

    unknown_member = "Not a field of a cluster."  # such as sasl.jaas.config

    bootstrap = serializers.CharField(max_length=500)
    security = serializers.ChoiceField(choices=SECURITIES, default="PLAINTEXT")
    mechanism = serializers.ChoiceField(choices=MECHANISMS, allow_blank=True, default="")
    username = serializers.CharField(max_length=255, allow_blank=True, default="")
    password = serializers.CharField(
        max_length=255, allow_null=True, default=None, trim_whitespace=False, write_only=True
    )
    ca = serializers.CharField(max_length=65_536, allow_blank=True, default="", trim_whitespace=False)


class NewClusterSerializer(ConnectionSerializer):
    """A cluster to register."""

    name = serializers.CharField(max_length=100)


class ChangedClusterSerializer(NewClusterSerializer):
    """A cluster to change. With `revision`, that the change was made on, it is refused once somebody else
    changed the cluster.
    """

    revision = serializers.IntegerField(min_value=1, required=False, allow_null=True, default=None)


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
