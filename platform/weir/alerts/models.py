"""Rules, the alerts that they raise, channels, notifications, silences and objectives."""

from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone

from weir.runs.models import Job, new_id
from weir.workspaces.models import Scoped, User, Workspace


class Severity(models.TextChoices):
    """How much an alert matters, the least first."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for the least."""
        return list(Severity).index(self)


class AlertRule(models.Model):
    """A rule with a name. `document` is a checked rule document (`services/rule_document.py`).

    `template` is the code of the template that it was made from; empty for a rule that a person wrote.
    `job` is the only job that it is about, null for a rule over several. `problem` says why it can't be
    evaluated at the moment; empty while it can. `turned_off` is why Weir turned it off; empty where a person
    did, and while it is on.
    """

    class TurnedOff(models.TextChoices):
        NOT_BY_WEIR = ""
        TOO_SLOW = "TOO_SLOW"

    id = models.CharField(max_length=20, primary_key=True, default=new_id)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="alert_rules")
    name = models.CharField(max_length=100)
    document = models.JSONField()
    enabled = models.BooleanField(default=True)
    template = models.CharField(max_length=40, blank=True)
    job = models.ForeignKey(Job, on_delete=models.CASCADE, null=True, related_name="alert_rules")
    problem = models.CharField(max_length=300, blank=True)
    turned_off = models.CharField(
        max_length=20, choices=TurnedOff.choices, default=TurnedOff.NOT_BY_WEIR, blank=True
    )
    revision = models.PositiveIntegerField(default=1)
    changed_at = models.DateTimeField(default=timezone.now)
    changed_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")

    objects: models.Manager[Any] = Scoped.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "name"], name="one_alert_rule_per_name"),
            models.UniqueConstraint(
                fields=["workspace", "template"], condition=~Q(template=""), name="one_rule_per_template"
            ),
        ]
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Channel(models.Model):
    """Where notifications go. `sealed` is its configuration (address, secret), encrypted for this row;
    `target` is what people may see of it.
    """

    class Kind(models.TextChoices):
        EMAIL = "email"
        SLACK = "slack"
        TEAMS = "teams"
        PAGERDUTY = "pagerduty"
        WEBHOOK = "webhook"

    id = models.CharField(max_length=20, primary_key=True, default=new_id)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="alert_channels")
    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    target = models.CharField(max_length=300)
    sealed = models.TextField()
    least_severity = models.CharField(max_length=10, choices=Severity.choices, default=Severity.INFO)
    enabled = models.BooleanField(default=True)
    revision = models.PositiveIntegerField(default=1)  # grows with each change by a person
    created_at = models.DateTimeField(auto_now_add=True)

    objects: models.Manager[Any] = Scoped.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "name"], name="one_alert_channel_per_name")
        ]
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Alert(models.Model):
    """One time that a rule's condition held for one group. Never reopened: the next time is another row.

    Attributes:
        digest: of the group, for the index; `group` has its values, `title` its words.
        generation: of its job, of an alert over rows; null: of another, or from before Weir kept it.
        watch: digest of what its rule watched when it began; empty: from before Weir kept it.
        watched: what that was, of the rule's document; null: from before Weir kept it.
        state: pending until the rule's `for` is over; then firing, then resolved.
        since: when the condition began to hold.
        last_met_at: when it was last seen to hold, for rules that resolve after a while without it.
        order: of the newest row that counts, for windowed results; empty otherwise.
        value: what was measured when it fired; `row` the result row.
        told: what channels were told last, so that a silence delays a notification and never repeats it.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        FIRING = "firing"
        RESOLVED = "resolved"

    class Told(models.TextChoices):
        NOTHING = ""
        FIRING = "firing"
        RESOLVED = "resolved"

    id = models.CharField(max_length=20, primary_key=True, default=new_id)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="alerts")
    rule = models.ForeignKey(AlertRule, on_delete=models.CASCADE, related_name="alerts")
    job = models.ForeignKey(Job, on_delete=models.CASCADE, null=True, related_name="alerts")
    generation = models.PositiveIntegerField(null=True)
    severity = models.CharField(max_length=10, choices=Severity.choices)
    digest = models.CharField(max_length=32)
    group = models.JSONField(default=dict)
    title = models.CharField(max_length=300)
    watch = models.CharField(max_length=32, blank=True)
    watched = models.JSONField(null=True)
    state = models.CharField(max_length=10, choices=State.choices)
    since = models.DateTimeField()
    fired_at = models.DateTimeField(null=True)
    resolved_at = models.DateTimeField(null=True)
    resolved_because = models.CharField(max_length=100, blank=True)
    acknowledged_at = models.DateTimeField(null=True)
    acknowledged_by = models.CharField(max_length=150, blank=True)
    last_met_at = models.DateTimeField()
    order = models.CharField(max_length=100, blank=True)
    value = models.FloatField(null=True)
    row = models.JSONField(null=True)
    told = models.CharField(max_length=10, choices=Told.choices, default=Told.NOTHING, blank=True)
    changed_at = models.DateTimeField(default=timezone.now)
    silenced = False  # now; set by `services.queries.with_silences`

    objects: models.Manager[Any] = Scoped.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["rule", "digest"],
                condition=Q(state__in=("pending", "firing")),
                name="one_open_alert_per_group",
            )
        ]
        indexes = [
            models.Index(fields=["workspace", "state", "-since"], name="alert_of_workspace"),
            models.Index(fields=["workspace", "-changed_at"], name="alert_changed"),
            models.Index(fields=["state", "told"], name="alert_owed"),
        ]
        ordering = ["-since", "id"]

    def __str__(self) -> str:
        return self.title


class Notification(models.Model):
    """One change of one alert for one channel: the outbox, and afterwards the delivery log.

    It is written in the transaction that changes the alert. A worker takes it by compare-and-set
    (`services/outbox.py`): `due_at` is when it may be taken, also of one whose worker never came back.
    `alert` null: a test message. `refused` has the recipients of an e-mail that others got and these did not,
    with the SMTP server's last answer to each, such as 450.
    """

    class Change(models.TextChoices):
        FIRED = "fired"
        ACKNOWLEDGED = "acknowledged"
        RESOLVED = "resolved"
        TEST = "test"

    class State(models.TextChoices):
        WAITING = "waiting"
        SENDING = "sending"
        SENT = "sent"
        FAILED = "failed"

    id = models.CharField(max_length=20, primary_key=True, default=new_id)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    channel = models.ForeignKey(Channel, on_delete=models.CASCADE, related_name="notifications")
    alert = models.ForeignKey(Alert, on_delete=models.CASCADE, null=True, related_name="notifications")
    change = models.CharField(max_length=12, choices=Change.choices)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    created_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField(default=timezone.now)
    attempts = models.PositiveIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=1_000, blank=True)
    refused = models.JSONField(default=dict)

    objects: models.Manager[Any] = Scoped.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["alert", "channel", "change"], name="one_notification_per_change")
        ]
        indexes = [
            models.Index(fields=["state", "due_at"], name="notification_due"),
            models.Index(fields=["workspace", "-created_at"], name="notification_log"),
        ]
        ordering = ["-created_at", "id"]


class Silence(models.Model):
    """A time without notifications: of one rule, one job or, with neither, the whole workspace.

    Alerts are evaluated and shown meanwhile. One that still fires at the end is told then.
    """

    id = models.CharField(max_length=20, primary_key=True, default=new_id)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="silences")
    rule = models.ForeignKey(AlertRule, on_delete=models.CASCADE, null=True, related_name="silences")
    job = models.ForeignKey(Job, on_delete=models.CASCADE, null=True, related_name="silences")
    alert = models.ForeignKey(Alert, on_delete=models.CASCADE, null=True, related_name="silences")
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField(db_index=True)
    note = models.CharField(max_length=200, blank=True)
    created_by = models.CharField(max_length=150)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: models.Manager[Any] = Scoped.as_manager()

    class Meta:
        ordering = ["ends_at", "id"]


class AlertsSeen(models.Model):
    """Until when a person has looked at the alerts of a workspace; what fired later is unread."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "user"], name="one_alerts_seen")]


class Evaluator(models.Model):
    """Which relay evaluates rules, and until when nobody else may. One row, id 1."""

    holder = models.CharField(max_length=40, blank=True)
    until = models.DateTimeField(default=timezone.now)


class EvaluatedOffset(models.Model):
    """How far the rows of a result have been evaluated; written with the changes that they caused."""

    job_id = models.CharField(max_length=20)
    generation = models.PositiveIntegerField()
    partition = models.PositiveIntegerField()
    topic_pk = (
        models.BigIntegerField()
    )  # of `weir.results.models.ResultTopic`: another one if it was recreated
    next_offset = models.PositiveBigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["job_id", "generation", "partition"], name="one_evaluated_offset")
        ]


class StandingMark(models.Model):
    """Something that should move and stands: since when, and where. Kept so that a relay that begins again
    goes on counting.
    """

    key = models.CharField(max_length=200, primary_key=True)
    value = models.CharField(max_length=100)
    since = models.DateTimeField()


class Objective(models.Model):
    """What a job or one of its outputs should be, how much of the time, over how many days.

    Attributes:
        output: name of the output, of completeness alone; empty: the whole job.
        kind: freshness: results are not older than `threshold` seconds. completeness: late, malformed and
            failed rows are at most the share `threshold` of what is read. availability: the run is running.
        target: share of the time that it should hold, 0 to 1, exclusive.
        window_days: over which it is judged.
        budget: what was known at `budget_at`, a `services.budgets.Budget` as JSON, or null. The relay writes
            it twice a minute, so that who only wants to know does not sum up weeks of slices.
    """

    class Kind(models.TextChoices):
        FRESHNESS = "freshness"
        COMPLETENESS = "completeness"
        AVAILABILITY = "availability"

    id = models.CharField(max_length=20, primary_key=True, default=new_id)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="objectives")
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="objectives")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    output = models.CharField(max_length=100, blank=True, default="")
    threshold = models.FloatField(null=True)
    target = models.FloatField()
    window_days = models.PositiveIntegerField(default=28)
    budget = models.JSONField(null=True)
    budget_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: models.Manager[Any] = Scoped.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["job", "kind", "output"], name="one_objective_per_output"),
        ]
        ordering = ["job__name", "kind", "output"]


class ObjectiveSlice(models.Model):
    """Five minutes of an objective: for how many seconds it held, and for how many it was judged at all."""

    objective = models.ForeignKey(Objective, on_delete=models.CASCADE, related_name="slices")
    began_at = models.DateTimeField()
    good_s = models.FloatField(default=0)
    judged_s = models.FloatField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["objective", "began_at"], name="one_slice_of_an_objective")
        ]
