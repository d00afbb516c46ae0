"""Tests of jobs, their runs, the newest result of each test by version, and the hosts that play them."""

from typing import Final

from django.db import models
from django.db.models import Q

from weir.runs.models import Job, new_id
from weir.workspaces.models import User, Workspace


class JobTestQuerySet(models.QuerySet["JobTest"]):
    """Tests by version of their job."""

    def of_version(self, number: int) -> "JobTestQuerySet":
        """The tests that a version has."""
        return self.filter(first_version__lte=number).filter(
            Q(last_version__isnull=True) | Q(last_version__gte=number)
        )


class JobTest(models.Model):
    """A test of a job, from one version on, and up to `last_version` (null: up to the newest).

    A test that is changed or deleted when the job has a newer version stays for the versions before.
    One that came with an example does not hold up a start until somebody changes it or it fails.
    `accepted` holds digests of the rows of the play that passed last, by step
    (`jobs.job_tests.divergence`).
    """

    id = models.CharField(max_length=20, primary_key=True, default=new_id)
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="tests")
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    document_text = models.TextField()
    document = models.JSONField()
    first_version = models.PositiveIntegerField()
    last_version = models.PositiveIntegerField(null=True)
    revision = models.PositiveIntegerField(default=1)
    accepted = models.JSONField(default=dict)
    from_example = models.BooleanField(default=False)
    changed_at = models.DateTimeField(auto_now=True)
    changed_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")

    objects = JobTestQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["job", "name"], condition=Q(last_version__isnull=True), name="one_test_per_name"
            )
        ]
        ordering = ["name", "first_version"]

    def __str__(self) -> str:
        return self.name


class JobTestResult(models.Model):
    """The newest result of a test with one version of its job.

    `basis` is a digest of what it depends on: the test, the job document and the contracts
    (`services/basis.py`). Where that is another by now, the result says nothing any more.
    """

    test = models.ForeignKey(JobTest, on_delete=models.CASCADE, related_name="results")
    version = models.PositiveIntegerField()
    status = models.CharField(max_length=10)
    result = models.JSONField()
    basis = models.CharField(max_length=64)
    elapsed_ms = models.PositiveIntegerField()
    finished_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["test", "version"], name="one_result_per_version")]


class JobTestRun(models.Model):
    """Tests of one version being played, in order; also a draft that is played to be looked at.

    `plays` are the tests: {test, revision, basis}; of a draft its text is in `draft`, and what came in
    `outcome`. A draft may be of a document that no job has: then `workspace` and `document` are set, and
    contracts by name in `streams`, null: those that the workspace has registered. An engine plays them, the
    incarnation that was `asked_at`, or a process that `handle` finds.
    """

    class State(models.TextChoices):
        QUEUED = "queued"
        PREPARING = "preparing"  # its scripts are being written
        RUNNING = "running"
        FINISHED = "finished"
        CANCELED = "canceled"
        FAILED = "failed"

    id = models.CharField(max_length=20, primary_key=True, default=new_id)
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="test_runs", null=True)
    version = models.PositiveIntegerField(null=True)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+", null=True)
    document = models.TextField(blank=True)
    streams = models.JSONField(null=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    plays = models.JSONField(default=list)
    draft = models.TextField(blank=True)
    outcome = models.JSONField(null=True)
    prepared = models.PositiveIntegerField(default=0)  # tests of which the script was written, or can't be
    preparing_s = models.FloatField(default=0.0)  # seconds of work that this took
    done = models.PositiveIntegerField(default=0)
    cancel_requested = models.BooleanField(default=False)
    message = models.CharField(max_length=500, blank=True)
    host_queue = models.CharField(max_length=120)
    engine = models.CharField(max_length=40, blank=True)  # empty: none plays it
    engine_incarnation = models.CharField(max_length=40, blank=True)
    asked_at = models.DateTimeField(null=True)
    handle = models.JSONField(null=True)
    claimed_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["state", "created_at"])]

    @property
    def scope(self) -> Workspace:
        """Whose it is."""
        found = self.job.workspace if self.job else self.workspace
        if found is None:
            raise ValueError(f"the run {self.pk} belongs to nobody")
        return found

    @property
    def is_live(self) -> bool:
        """True until it ended."""
        return self.state in LIVE


BEGUN: Final = (JobTestRun.State.PREPARING, JobTestRun.State.RUNNING)
LIVE: Final = (JobTestRun.State.QUEUED, *BEGUN)


class PlayHost(models.Model):
    """A host that plays tests, by its queue; whoever lets the next run begin holds its row.

    `turns` says when each workspace had its last turn there, µs by id. Runs can't say it, because they go
    with their job.
    """

    queue = models.CharField(max_length=120, primary_key=True)
    turns = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.queue
