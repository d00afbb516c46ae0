"""Dashboards, the links that share them, and the tickets of those links."""

from typing import Any

from django.db import models
from django.utils import timezone

from weir.runs.models import new_id
from weir.workspaces.models import Scoped, User, Workspace


class Dashboard(models.Model):
    """Panels with a name. `document` is a checked dashboard document (`services/document.py`);
    `revision` grows with each change, so that two people do not overwrite each other.
    """

    id = models.CharField(max_length=20, primary_key=True, default=new_id)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="dashboards")
    name = models.CharField(max_length=100)
    document = models.JSONField()
    revision = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(default=timezone.now)
    changed_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")

    objects: models.Manager[Any] = Scoped.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "name"], name="one_dashboard_per_name")]
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class ShareLink(models.Model):
    """A read-only link to a dashboard. Only the SHA-256 of its token is kept.

    `revoked_at` is null until somebody revokes it; `last_used_at` is the last time that a browser opened it.
    """

    id = models.CharField(max_length=20, primary_key=True, default=new_id)
    dashboard = models.ForeignKey(Dashboard, on_delete=models.CASCADE, related_name="links")
    digest = models.CharField(max_length=64, unique=True)
    note = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    expires_at = models.DateTimeField(db_index=True)
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "id"]

    @property
    def is_live(self) -> bool:
        """True until it expires or is revoked."""
        return self.revoked_at is None and self.expires_at > timezone.now()


class ShareTicket(models.Model):
    """A ticket for one WebSocket, made with a link; it works once and ends with its link."""

    digest = models.CharField(max_length=64, primary_key=True)
    link = models.ForeignKey(ShareLink, on_delete=models.CASCADE, related_name="tickets")
    expires_at = models.DateTimeField(db_index=True)
