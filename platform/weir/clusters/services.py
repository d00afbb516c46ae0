"""Verbs about clusters: the home cluster's row, and whether a cluster answers."""

from django.utils import timezone

from jobs.connections import ClusterProfile
from weir.clusters.clients import home_profile
from weir.clusters.models import HOME, Cluster
from weir.clusters.topics import reachable


def home_cluster() -> Cluster:
    """The home cluster's row; its address follows the settings."""
    bootstrap = home_profile().bootstrap
    row, _ = Cluster.objects.get_or_create(id=HOME, defaults={"name": "Home", "bootstrap": bootstrap})
    if row.bootstrap != bootstrap:
        row.bootstrap = bootstrap
        row.save(update_fields=["bootstrap"])
    return row


def profile_of(cluster: Cluster) -> ClusterProfile:
    """A cluster's connection profile."""
    return home_profile() if cluster.id == HOME else ClusterProfile(cluster_id=cluster.id, bootstrap=cluster.bootstrap)


def check_home() -> bool:
    """Ask the home cluster whether it is there and write down what it said."""
    row = home_cluster()
    error = reachable(home_profile())
    Cluster.objects.filter(pk=row.pk).update(reachable=not error, checked_at=timezone.now(), error=error[:500])
    return not error
