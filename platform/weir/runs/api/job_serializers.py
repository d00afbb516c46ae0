"""Serializers of jobs and their runs."""

from datetime import datetime
from typing import Any, Final, get_args

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from jobs.run_states import NEVER_STARTED, UNKNOWN, DesiredState
from weir.runs.api.document_serializers import ModeSerializer, SchemaFieldSerializer
from weir.runs.models import Engine, Execution, Job, Observed
from weir.runs.services.lag_health import Kind
from weir.runs.services.start_phases import STATE_LOAD_MS, interrupted_at, phases_ms
from weir.workspaces.api.request_fields import StrictSerializer

OBSERVED: Final = [NEVER_STARTED, UNKNOWN, *Observed.values]


class FailureSummarySerializer(serializers.Serializer[Any]):
    """Why a run failed, in plain words."""

    code = serializers.CharField()
    message = serializers.CharField()
    permanent = serializers.BooleanField()


class FailureSerializer(FailureSummarySerializer):
    """Why a run failed: plain words, and the raw text behind them."""

    raw = serializers.CharField(allow_blank=True)


class ResultShapeSerializer(serializers.Serializer[Any]):
    """What a job puts out; `identity` is empty for rows."""

    kind = serializers.ChoiceField(choices=["append", "upsert"])
    identity = serializers.ListField(child=serializers.CharField())
    identity_kind = serializers.ChoiceField(choices=["row", "key"])
    schema = SchemaFieldSerializer(many=True)
    windowed = serializers.BooleanField()


class LagTotalsSerializer(serializers.Serializer[Any]):
    """Records not yet read, and how old the oldest of them is; null is not known, and so is a lower bound of
    the age: `GET …/lag` has it by partition.
    """

    records = serializers.IntegerField(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)


class LagHealthSerializer(serializers.Serializer[Any]):
    """What the lag of a job means, by the rules for consumer groups; null is not known. `since`: when it
    began; rates are records per second written and read. `catch_up_s`: until it has caught up; `loss_s`:
    until retention deletes a record that it has not read.
    """

    health = serializers.ChoiceField(choices=[kind.value for kind in Kind])
    since = serializers.DateTimeField(allow_null=True)
    in_rate = serializers.FloatField(allow_null=True)
    out_rate = serializers.FloatField(allow_null=True)
    catch_up_s = serializers.FloatField(allow_null=True)
    loss_s = serializers.FloatField(allow_null=True)
    lost_records = serializers.IntegerField()


class JobEngineSerializer(serializers.Serializer[Any]):
    """The engine that a job runs on."""

    id = serializers.CharField()
    kind = serializers.ChoiceField(choices=Engine.Kind.choices)
    state = serializers.ChoiceField(choices=Engine.State.choices)


class MalformedExampleSerializer(serializers.Serializer[Any]):
    """Where one malformed record lies."""

    reason = serializers.CharField()
    partition = serializers.IntegerField()
    offset = serializers.IntegerField()


class SkippingSerializer(serializers.Serializer[Any]):
    """A source of which too many records are malformed: `malformed` of the `records` that were read
    in the last five minutes in which it had any, `reason_records` of them for the most frequent
    `reason`. `since`: when it began.
    """

    source = serializers.CharField()  # type: ignore[assignment]  # the document's own word
    stream = serializers.CharField()
    records = serializers.IntegerField()
    malformed = serializers.IntegerField()
    share = serializers.FloatField()
    reason = serializers.CharField()
    reason_records = serializers.IntegerField()
    example = MalformedExampleSerializer(allow_null=True)
    since = serializers.DateTimeField()


class CatchingUpSerializer(serializers.Serializer[Any]):
    """How far a job has come that reads a backlog in micro-batches. Null: not known yet.

    `records_left` lie between its committed positions and the ends of its topics; `share_read` of all that it
    had to read is read, from 0 to 1; `records_per_second` is its pace since it began, and `done_us` when it
    will be at the end, at that pace and with what arrives meanwhile (µs since 1970).
    """

    since_us = serializers.IntegerField()
    records_read = serializers.IntegerField()
    records_left = serializers.IntegerField(allow_null=True)
    share_read = serializers.FloatField(allow_null=True)
    records_per_second = serializers.FloatField(allow_null=True)
    done_us = serializers.IntegerField(allow_null=True)


class OverloadSerializer(serializers.Serializer[Any]):
    """The processors of an engine's host are full, so that everything on it is late: `cores_used` of its
    `cores` over 20 s, `engine_cores` of them by the engine. Null: there is no overload, or it is not known.
    """

    cores_used = serializers.FloatField()
    cores = serializers.IntegerField()
    engine_cores = serializers.FloatField(allow_null=True)


class JobSummarySerializer(serializers.Serializer[Any]):
    """A job in a list: its desired and observed state, and when its engine was last seen. `version` is the
    newest, `running_version` the one that an engine works on; null while none does. `draining`: it runs in
    real-time mode, and at present reads a backlog in micro-batches, which is faster. `lag_health` is null
    where nothing is known of the present. `rate_limit`: records per second that the run reads of each stream
    at most; null: no limit.
    """

    id = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    version = serializers.IntegerField()
    running_version = serializers.IntegerField(allow_null=True)
    desired = serializers.ChoiceField(choices=list(get_args(DesiredState)))
    observed = serializers.ChoiceField(choices=OBSERVED)
    observed_since = serializers.DateTimeField(allow_null=True)
    last_seen_at = serializers.DateTimeField(allow_null=True)
    failure = FailureSummarySerializer(allow_null=True)
    retry_at = serializers.DateTimeField(allow_null=True)
    mode = ModeSerializer(allow_null=True)
    rate_limit = serializers.IntegerField(allow_null=True)
    engine = JobEngineSerializer(allow_null=True)
    generation = serializers.IntegerField(allow_null=True)
    epoch = serializers.IntegerField(allow_null=True)
    lag = LagTotalsSerializer(allow_null=True)
    lag_health = LagHealthSerializer(allow_null=True)
    rows_per_second = serializers.FloatField(allow_null=True)
    freshness_ms = serializers.IntegerField(allow_null=True)
    skipping = SkippingSerializer(many=True)
    draining = serializers.BooleanField()
    catching_up = CatchingUpSerializer(allow_null=True)
    overload = OverloadSerializer(allow_null=True)


class JobSerializer(JobSummarySerializer):
    """A job with its document and what it puts out. `document_text` is of the newest version, `edited_in` the
    view in which it was made or written last; empty: none, as over REST.
    """

    failure = FailureSerializer(allow_null=True)
    result = ResultShapeSerializer()
    document_text = serializers.CharField()
    edited_in = serializers.ChoiceField(choices=Job.View.choices, allow_blank=True)


class JobListSerializer(serializers.Serializer[Any]):
    """The jobs, without their documents."""

    results = JobSummarySerializer(many=True)


class StartSerializer(StrictSerializer):
    """Where to start: `resume` continues with the saved state, the others start a new generation.

    Tests of the version that failed, or were not run, refuse a start unless `despite_failed_tests`.
    """

    time = serializers.DateTimeField(required=False, allow_null=True, default=None)
    version = serializers.IntegerField(min_value=1, required=False, allow_null=True, default=None)
    despite_failed_tests = serializers.BooleanField(required=False)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Add `from`, which is a keyword of Python."""
        return {
            **super().get_fields(),
            "from": serializers.ChoiceField(choices=["now", "earliest", "time", "resume"]),
        }


class StartOptionsQuerySerializer(serializers.Serializer[Any]):
    """Which version would be started; null: the newest."""

    version = serializers.IntegerField(min_value=1, required=False, allow_null=True, default=None)


class StartOptionsSerializer(serializers.Serializer[Any]):
    """What a start of `version` can do: resume or why not, and the newest version that can resume. `note`:
    which measures start empty when it resumes; empty: none does.
    """

    version = serializers.IntegerField()
    resumable = serializers.BooleanField()
    reason = serializers.CharField(allow_blank=True)
    note = serializers.CharField(allow_blank=True)
    resumable_version = serializers.IntegerField(allow_null=True)


class StartPhasesSerializer(serializers.Serializer[Any]):
    """When a start reached each phase, in milliseconds since the interruption before it, or since the begin
    of the start where nothing was interrupted. Null: not reached, or not known.

    `noticed`: the platform knew of the interruption. `placed`: an engine was chosen, and told.
    `engine_ready`: its JVM and Spark session are there. `received`: it has read what it is to run.
    `planned`: the document is planned. `queries_started`: Spark has the queries. `first_batch`: the first
    batch begins; it loads the state. `caught_up`: results are live again, and a backlog is drained.
    """

    noticed = serializers.IntegerField(allow_null=True)
    placed = serializers.IntegerField(allow_null=True)
    engine_ready = serializers.IntegerField(allow_null=True)
    received = serializers.IntegerField(allow_null=True)
    planned = serializers.IntegerField(allow_null=True)
    queries_started = serializers.IntegerField(allow_null=True)
    first_batch = serializers.IntegerField(allow_null=True)
    caught_up = serializers.IntegerField(allow_null=True)


class ExecutionSerializer(serializers.Serializer[Any]):
    """One epoch of a run: its engine, start with its phases, end and end reason.

    `interrupted_at`: when the end of the process that ran the epoch before was seen; null: it did not die.
    `state_load_ms`: how long the first batch loaded state, as Spark measures it: summed over the state's
    partitions, which load at the same time. Null until that batch has ended, and for jobs without state.
    """

    id = serializers.CharField()
    generation = serializers.IntegerField(source="run.generation.number")
    epoch = serializers.IntegerField()
    version = serializers.IntegerField()
    mode = serializers.ChoiceField(choices=["realtime", "microbatch"])
    engine = serializers.CharField(source="engine_id")
    started_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    state = serializers.CharField()
    end_reason = serializers.CharField(allow_blank=True)
    failure = FailureSerializer(allow_null=True)
    phases_ms = serializers.SerializerMethodField()
    state_load_ms = serializers.SerializerMethodField()
    interrupted_at = serializers.SerializerMethodField()

    @extend_schema_field(StartPhasesSerializer)
    def get_phases_ms(self, execution: Execution) -> dict[str, int | None]:
        """When each phase of the start was reached."""
        return phases_ms(execution)

    def get_state_load_ms(self, execution: Execution) -> int | None:
        """How long the first batch loaded state."""
        found: int | None = execution.start_phases.get(STATE_LOAD_MS)
        return found

    def get_interrupted_at(self, execution: Execution) -> datetime | None:
        """When the process of the epoch before ended."""
        return interrupted_at(execution)
