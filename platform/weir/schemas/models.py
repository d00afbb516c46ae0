"""Schemas, and the subjects whose versions they are. Numbers and ids are a workspace's own."""

from typing import Final

from django.db import models

from weir.workspaces.models import Scoped, Workspace

MAX_NUMBER: Final = 2**31 - 1
"""The greatest ID and version: four bytes with a sign, in records and in clients."""


class RegistrySettings(models.Model):
    """What holds for subjects that say nothing themselves, and the last id given."""

    workspace = models.OneToOneField(
        Workspace, on_delete=models.CASCADE, related_name="registry", primary_key=True
    )
    level = models.CharField(max_length=20, default="BACKWARD")
    mode = models.CharField(max_length=20, default="READWRITE")
    last_id = models.PositiveIntegerField(default=0)


class Schema(models.Model):
    """A schema's text, once per workspace: under however many subjects it stands, it has one id.

    `schema_id` is the id that frames carry. `references` are ``[{"name", "subject", "version"}, …]``.
    `metadata`: what its owner says of it (``properties``, ``tags``, ``sensitive``). `published`: it
    is in the topic of engines.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="schemas")
    schema_id = models.PositiveIntegerField()
    guid = models.UUIDField(unique=True)
    kind = models.CharField(max_length=10)
    text = models.TextField()
    references = models.JSONField(default=list)
    metadata = models.JSONField(default=dict)
    digest = models.CharField(max_length=64)
    published = models.BooleanField(default=False)

    objects = Scoped.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "schema_id"], name="one_schema_per_id"),
            models.UniqueConstraint(fields=["workspace", "digest"], name="one_id_per_schema"),
        ]


class RemovedSchema(models.Model):
    """An id whose schema was deleted for good. Records may still carry it, and jobs know its meaning, so it
    gets no other one.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="removed_schemas")
    schema_id = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)

    objects = Scoped.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "schema_id"], name="one_removed_schema_per_id")
        ]


class Subject(models.Model):
    """A name under which schemas follow each other. It outlives its versions, so that
    no number is given twice.

    `level` and `mode` empty: the workspace's.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="subjects")
    name = models.CharField(max_length=255)
    last_version = models.PositiveIntegerField(default=0)
    level = models.CharField(max_length=20, blank=True)
    mode = models.CharField(max_length=20, blank=True)

    objects = Scoped.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "name"], name="one_subject_per_name")]
        ordering = ["name"]


class Version(models.Model):
    """A schema as one version of a subject; `deleted` is a soft delete: hidden, but still found by id."""

    subject = models.ForeignKey(Subject, on_delete=models.CASCADE, related_name="versions")
    version = models.PositiveIntegerField()
    schema = models.ForeignKey(Schema, on_delete=models.PROTECT, related_name="versions")
    deleted = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["subject", "version"], name="one_schema_per_version")]
        ordering = ["version"]
