"""Kafka clusters that the platform knows."""

from typing import Final

from django.db import models

HOME: Final = "home"


class Cluster(models.Model):
    """A Kafka cluster and whether it answered when last asked.

    The home cluster (id ``home``) carries Weir's own topics and results; its profile comes from the settings.
    """

    id = models.CharField(max_length=40, primary_key=True)
    name = models.CharField(max_length=100)
    bootstrap = models.CharField(max_length=500)
    reachable = models.BooleanField(null=True)
    checked_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=500, blank=True)

    def __str__(self) -> str:
        return self.name
