"""Users, workspaces, roles, tokens and events: every row that a user can see belongs to a workspace."""

from typing import Final, Self, TypeVar

from django.contrib.auth.models import AbstractUser
from django.core.validators import RegexValidator
from django.db import models
from django.utils import timezone
from knox.models import AbstractAuthToken

from weir.workspaces.roles import Role

SLUG: Final = RegexValidator(
    r"\A[a-z][a-z0-9-]{0,62}\Z", "lowercase letters, digits and -, starting with a letter (max 63)"
)


class User(AbstractUser):  # type: ignore[django-manager-missing]  # the tokens' manager is knox's, without types
    """A user. The display name is what others see; empty means the username."""

    display_name = models.CharField(max_length=150, blank=True)


class Workspace(models.Model):
    """What people, streams, jobs and secrets belong to. `slug` stands in addresses and never changes."""

    slug = models.CharField(max_length=63, unique=True, validators=[SLUG])
    name = models.CharField(max_length=150)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.slug


M = TypeVar("M", bound=models.Model, covariant=True)


class Scoped(models.QuerySet[M]):
    """Rows that hang on a workspace; API code reaches them through `of` alone."""

    def of(self, workspace: Workspace) -> Self:
        """The rows of this workspace."""
        return self.filter(workspace=workspace)


class Membership(models.Model):
    """A user's role in a workspace."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "user"], name="one_role_per_member")]


class Invitation(models.Model):
    """A role that waits until a person of this name takes it. Nothing is looked up when it is made: it says
    nothing about who exists.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="invitations")
    username = models.CharField(max_length=150, db_index=True)
    role = models.CharField(max_length=10, choices=Role.choices)
    invited_by = models.CharField(max_length=150)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "username"], name="one_invitation_per_name")
        ]


class ApiToken(AbstractAuthToken):  # type: ignore[misc]  # knox has no types
    """A program's token: hashed, shown once. `name` says what it is for.

    `created_with` is the token that created it, null if a signed-in user created it; it
    is revoked with that token.
    """

    name = models.CharField(max_length=100)
    created_with = models.ForeignKey("self", null=True, on_delete=models.CASCADE, related_name="+")

    @property
    def is_live(self) -> bool:
        """True until it expires."""
        return self.expiry is None or self.expiry > timezone.now()


class OneTimeToken(models.Model):
    """A short-lived secret that works once: a sign-in link or a WebSocket ticket. Only its SHA-256 is kept.

    A ticket says what it was made with, a token or a session, and ends with it.
    """

    class Purpose(models.TextChoices):
        SIGN_IN = "sign_in"
        TICKET = "ticket"

    digest = models.CharField(max_length=64, primary_key=True)
    purpose = models.CharField(max_length=10, choices=Purpose.choices)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    expires_at = models.DateTimeField(db_index=True)
    token = models.ForeignKey(ApiToken, null=True, on_delete=models.CASCADE, related_name="+")
    session_key = models.CharField(max_length=40, blank=True)


class Action(models.TextChoices):
    """What an event says was done."""

    CREATED = "created"  # also registered
    CHANGED = "changed"
    DELETED = "deleted"  # also removed, unregistered
    STARTED = "started"  # also resumed
    STOPPED = "stopped"
    INVITED = "invited"
    JOINED = "joined"
    DECLINED = "declined"
    CANCELED = "canceled"  # also withdrawn
    TESTED = "tested"
    PRODUCED = "produced"
    REDRIVEN = "redriven"
    DISCARDED = "discarded"
    SHARED = "shared"  # a link was made
    REVOKED = "revoked"
    ACKNOWLEDGED = "acknowledged"  # an alert
    FAILED = "failed"  # what somebody asked for could not be done later


class Event(models.Model):
    """Something that happened, append-only: the audit trail and the overview's feed.

    Attributes:
        kind: of the object that it is about.
        action: what was done; empty in events from before actions were recorded.
        subject: the id or name of the object (a job, a stream, a member).
        cluster: the id of the Kafka cluster that the object is on, of kinds whose names are of one cluster.
        actor: who did it; empty when the system acted by itself.
        address: which address the request came from; null where there was no request, and in events
            from before addresses were recorded.
    """

    class Kind(models.TextChoices):
        JOB = "job"
        VALIDATOR = "validator"
        STREAM = "stream"
        TOPIC = "topic"
        SCHEMA = "schema"
        CLUSTER = "cluster"
        MEMBER = "member"
        DASHBOARD = "dashboard"
        CONSUMER_GROUP = "consumer_group"
        ENGINE = "engine"
        LINEAGE = "lineage"  # where OpenLineage events go
        ALERT = "alert"  # also its rules, channels, silences and objectives

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField(auto_now_add=True)
    kind = models.CharField(max_length=40)
    action = models.CharField(max_length=20, blank=True, default="")
    actor = models.CharField(max_length=150, blank=True)
    subject = models.CharField(max_length=80, blank=True)
    cluster = models.CharField(max_length=40, blank=True, default="")
    text = models.CharField(max_length=500)
    address = models.GenericIPAddressField(null=True)

    objects = Scoped.as_manager()

    class Meta:
        indexes = [models.Index(fields=["workspace", "-at"]), models.Index(fields=["at"])]
