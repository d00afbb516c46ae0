"""Serializers of tests of jobs and their runs."""

from typing import Any

from rest_framework import serializers

from weir.job_tests.models import JobTest, JobTestRun
from weir.job_tests.services.preparation import run_size
from weir.runs.api.document_serializers import CheckedDocumentSerializer, ProblemSerializer
from weir.workspaces.api.request_fields import StrictSerializer
from weir.workspaces.services.events import name_of

STATES = ["passed", "failed", "error", "outdated", "not_run"]
KINDS = ["missing", "unexpected", "differs", "forbidden", "count", "incomplete"]


class FieldDifferenceSerializer(serializers.Serializer[Any]):
    """A field of a row that has another value; `absent`: the row has no such field."""

    field = serializers.CharField()
    expected = serializers.JSONField(allow_null=True)
    got = serializers.JSONField(allow_null=True)
    absent = serializers.BooleanField()


class DifferenceSerializer(serializers.Serializer[Any]):
    """One thing that is not as expected. `path` leads into the test document; `batch` counts from 0, null: at
    the end; `of` is outputs, steps, or what was counted.
    """

    kind = serializers.ChoiceField(choices=KINDS)
    path = serializers.ListField(child=serializers.CharField())
    of = serializers.CharField()
    name = serializers.CharField(allow_blank=True)
    batch = serializers.IntegerField(allow_null=True)
    message = serializers.CharField()
    expected = serializers.JSONField(allow_null=True)
    got = serializers.JSONField(allow_null=True)
    fields = FieldDifferenceSerializer(many=True)  # type: ignore[assignment]  # of the row


class DivergenceSerializer(serializers.Serializer[Any]):
    """The step, and its batch from 0, of which rows first differ from those of the last passing run."""

    step = serializers.CharField()
    batch = serializers.IntegerField()


class TestOutcomeSerializer(serializers.Serializer[Any]):
    """What a test gave. `total` counts all differences, `differences` are the first of them."""

    status = serializers.ChoiceField(choices=["passed", "failed", "error"])
    message = serializers.CharField(allow_blank=True)
    differences = DifferenceSerializer(many=True)
    total = serializers.IntegerField()
    diverged = DivergenceSerializer(allow_null=True)
    elapsed_ms = serializers.IntegerField()


class BatchOutputSerializer(serializers.Serializer[Any]):
    """The rows that an output gave in a batch; `more` of them are not shown."""

    name = serializers.CharField()
    rows = serializers.ListField(child=serializers.DictField())
    more = serializers.IntegerField()


class BatchOutcomeSerializer(serializers.Serializer[Any]):
    """What a batch gave; `late` is at least one where rows were late."""

    outputs = BatchOutputSerializer(many=True)
    late = serializers.IntegerField()


class DraftOutcomeSerializer(serializers.Serializer[Any]):
    """What a draft gave; `expect`: the expectation by which it would pass, null with a `message` why not."""

    batches = BatchOutcomeSerializer(many=True, default=[])
    result = TestOutcomeSerializer()
    expect = serializers.JSONField(allow_null=True)
    message = serializers.CharField(allow_blank=True)


class JobTestRunSerializer(serializers.Serializer[Any]):
    """A run of tests. `outcome` is of a draft; the results of others are with their tests. `version`: null of
    a document that no job has.
    """

    id = serializers.CharField()
    version = serializers.IntegerField(allow_null=True)
    state = serializers.ChoiceField(choices=JobTestRun.State.choices)
    done = serializers.IntegerField()
    total = serializers.SerializerMethodField()
    canceling = serializers.SerializerMethodField()
    message = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    outcome = DraftOutcomeSerializer(allow_null=True)

    def get_total(self, run: JobTestRun) -> int:
        """How many tests it plays."""
        return run_size(run)

    def get_canceling(self, run: JobTestRun) -> bool:
        """True from the request to cancel until it has ended."""
        return run.cancel_requested and run.is_live


class JobTestSummarySerializer(serializers.Serializer[Any]):
    """A test and how it stands with a version: outdated when test, document or a contract changed since its
    result; `result` is the newest. `first_version`: the test is of that version and later ones. `must_run`: a
    start waits for it; one that came with an example doesn't have to be run with it.
    """

    id = serializers.CharField(source="test.pk")
    name = serializers.CharField(source="test.name")
    description = serializers.CharField(source="test.description", allow_blank=True)
    revision = serializers.IntegerField(source="test.revision")
    first_version = serializers.IntegerField(source="test.first_version")
    last_version = serializers.IntegerField(source="test.last_version", allow_null=True)
    batches = serializers.IntegerField(help_text="How many batches it has.")
    changed_at = serializers.DateTimeField(source="test.changed_at")
    changed_by = serializers.SerializerMethodField()
    state = serializers.ChoiceField(choices=STATES)
    must_run = serializers.BooleanField()
    finished_at = serializers.DateTimeField(source="result.finished_at", allow_null=True, default=None)
    result = TestOutcomeSerializer(source="result.result", allow_null=True, default=None)

    def get_changed_by(self, standing: Any) -> str:
        """The username of who changed it last; empty when that user is gone."""
        return name_of(standing.test.changed_by)


class JobTestListSerializer(serializers.Serializer[Any]):
    """The tests of a version by name, and the newest run of tests of the job."""

    version = serializers.IntegerField()
    results = JobTestSummarySerializer(many=True)
    run = JobTestRunSerializer(allow_null=True)


class JobTestSerializer(serializers.Serializer[Any]):
    """A test with its document, as text and as parsed."""

    id = serializers.CharField()
    name = serializers.CharField()
    document_text = serializers.CharField()
    document = serializers.JSONField()
    revision = serializers.IntegerField()
    first_version = serializers.IntegerField()
    last_version = serializers.IntegerField(allow_null=True)
    changed_by = serializers.SerializerMethodField()

    def get_changed_by(self, test: JobTest) -> str:
        """The username of who changed it last; empty when that user is gone."""
        return name_of(test.changed_by)


class TestDocumentSerializer(StrictSerializer):
    """A test document as text, YAML or JSON."""

    document = serializers.CharField(max_length=1_000_000, trim_whitespace=False, allow_blank=True)


class JobTestChangeSerializer(TestDocumentSerializer):
    """A test document, and the revision that the change was made on."""

    revision = serializers.IntegerField(min_value=1)


class TestDraftSerializer(TestDocumentSerializer):
    """A test document that is not saved, and the version that it is played with; null: the newest."""

    version = serializers.IntegerField(min_value=1, required=False, allow_null=True, default=None)


class TestCheckSerializer(serializers.Serializer[Any]):
    """All problems of a test document."""

    problems = ProblemSerializer(many=True)


class TestVersionQuerySerializer(serializers.Serializer[Any]):
    """Which version's tests; null: the newest."""

    version = serializers.IntegerField(min_value=1, required=False, allow_null=True, default=None)


class NewTestRunSerializer(StrictSerializer):
    """Which tests are run with which version; null: all, with the newest."""

    version = serializers.IntegerField(min_value=1, required=False, allow_null=True, default=None)
    tests = serializers.ListField(
        child=serializers.CharField(max_length=20),
        required=False,
        allow_null=True,
        default=None,
        max_length=200,
    )


class TestedDocumentSerializer(CheckedDocumentSerializer):
    """A job document that no job has, with its streams, and a test of it."""

    test = serializers.CharField(max_length=1_000_000, trim_whitespace=False, allow_blank=True)
