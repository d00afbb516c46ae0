"""Kafka clusters that the platform knows."""

from typing import Final

from django.db import models

from weir.workspaces.models import Scoped, Workspace

HOME: Final = "home"


class Cluster(models.Model):
    """A Kafka cluster, its connection, and the result of the last check.

    The home cluster (id ``home``, no workspace) has Weir's own topics and results and is available to
    all workspaces; its profile comes from the settings. Others belong to a workspace. `password` is
    encrypted (`jobs.encryption`).
    """

    id = models.CharField(max_length=40, primary_key=True)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, null=True, related_name="clusters")
    name = models.CharField(max_length=100)
    bootstrap = models.CharField(max_length=500)
    security = models.CharField(max_length=20, default="PLAINTEXT")
    mechanism = models.CharField(max_length=20, blank=True)
    username = models.CharField(max_length=255, blank=True)
    password = models.CharField(max_length=2_000, blank=True)
    password_set_at = models.DateTimeField(null=True)
    ca = models.TextField(blank=True)
    revision = models.PositiveIntegerField(default=1)  # grows with each change by a person
    reachable = models.BooleanField(null=True)
    checked_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=500, blank=True)
    disk_used_share = models.FloatField(null=True)  # 0 to 1; this and the next: `services/upkeep.py`
    certificate_expires_at = models.DateTimeField(null=True)

    objects = Scoped.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "name"], name="one_cluster_per_name")]
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
