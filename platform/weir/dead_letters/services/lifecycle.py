"""Starts and stops validators. One runs while a user enabled it or a running job requires it
(`settings.contract_validation`).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final, Literal

import structlog
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone
from pydantic import ValidationError

from jobs.kafka_messages import BoundSource, StartPosition
from jobs.run_states import ENDED
from weir.clusters.services.clusters import profile_of
from weir.clusters.services.offsets import watermarks
from weir.dead_letters.models import Validator
from weir.dead_letters.services.counts import counted_ends
from weir.dead_letters.services.redrive_worker import due_redrives
from weir.dead_letters.task_names import INDEX_DEAD_LETTERS, RUN_REDRIVE
from weir.runs.models import Desired, Generation, Job, JobVersion, Observed, ReconcilerState, Run
from weir.runs.services.deletion import delete_job
from weir.runs.services.job_lock import JobChangedError
from weir.runs.services.planning import current_generation
from weir.runs.services.start import start_job
from weir.runs.services.stop import stop_job
from weir.runs.services.versions import create_validator_job
from weir.runs.task_queue import enqueue
from weir.streams.models import Stream
from weir.streams.services.streams import confirm_topics
from weir.workspaces.errors import UNEXPECTED, ConflictError, ServiceError, UnreachableError
from weir.workspaces.models import Action, User
from weir.workspaces.services.events import record_event

StartFrom = Literal["earliest", "now"]

_LOG: Final = structlog.get_logger("weir.dead_letters")
SOURCE: Final = "records"  # name of the only source in a validator's document
TRIGGER: Final = "5s"  # a batch costs as much CPU as thousands of records: with 2 s, twice as much
# After these failures the checkpoint is useless; a new one starts at the end of the counted ranges.
_RESET_CODES: Final = frozenset(
    {"DATA_LOST", "TOPIC_RECREATED", "TOPIC_NOT_FOUND", "STATE_DAMAGED", "STATE_INCOMPATIBLE"}
)
_LOCK_TTL: Final = timedelta(seconds=60)  # longer than a start takes


def enable(stream: Stream, actor: User, start_from: StartFrom = "earliest") -> Validator:
    """Enable a stream's validator; no error if it is enabled already. A failed one is started again.

    Args:
        stream: the stream.
        actor: the user, for the audit trail.
        start_from: where a validator that never ran starts to read; kept for the case that it can't start
            now. Ignored where it is enabled already.

    Raises:
        ServiceError: it cannot be started now. It stays enabled and the reconciler retries.
    """
    validator = ensure_validator(stream)
    if not validator.enabled:
        _set_enabled(validator, actor, enabled=True, start_from=start_from)
    with _locked(validator) as acquired:
        if acquired and (validator.job.desired != Desired.RUNNING or _has_failed(validator)):
            _start(validator, actor)
    return validator


def disable(stream: Stream, actor: User) -> Validator | None:
    """Disable a stream's validator. It keeps running while a job requires it. None if
    the stream has no validator.
    """
    validator = Validator.objects.select_related("stream", "job").filter(stream=stream).first()
    if validator is None:
        return None
    if validator.enabled:
        _set_enabled(validator, actor, enabled=False)
    if not required_by(validator.stream):
        stop_job(validator.job, actor)
    validator.refresh_from_db()
    return validator


def required_by(stream: Stream) -> list[str]:
    """Names of the running jobs that require this stream's validator."""
    found = []
    for version in _requiring_versions(stream.workspace_id):
        if stream.name in _input_streams(version):
            found.append(version.job.name)
    return sorted(found)


def reconcile_validators() -> None:
    """Bring all validators to their desired state: start, stop, restart after a changed contract,
    and resume unfinished work.
    """
    required: set[tuple[int, str]] = set()
    for version in _requiring_versions():
        required |= {(version.job.workspace_id, name) for name in _input_streams(version)}
        for stream in Stream.objects.filter(
            workspace=version.job.workspace_id, name__in=_input_streams(version), validator__isnull=True
        ):
            ensure_validator(stream)
    for validator in Validator.objects.select_related("stream__cluster", "job__workspace"):
        with _locked(validator) as acquired:
            if acquired:
                stream = validator.stream
                _reconcile_and_record(validator, (stream.workspace_id, stream.name) in required)
        if validator.index_pending and validator.stream.cluster.reachable is not False:
            enqueue(INDEX_DEAD_LETTERS, validator.pk)
    for redrive_id in due_redrives(timezone.now()):
        enqueue(RUN_REDRIVE, redrive_id)


def delete_validator_job(job_id: str) -> None:
    """Delete the job of a deleted validator, and with it the dead-letter topic."""
    job = Job.objects.filter(pk=job_id).first()
    if job is not None:
        delete_job(job, None)


def ensure_validator(stream: Stream) -> Validator:
    """The stream's validator; created, disabled, if there is none."""
    found = Validator.objects.select_related("stream", "job").filter(stream=stream).first()
    if found is not None:
        return found
    try:
        with transaction.atomic():
            job = create_validator_job(stream.workspace, f"validator:{stream.name}", _document(stream))
            return Validator.objects.create(workspace=stream.workspace, stream=stream, job=job)
    except IntegrityError:  # created concurrently
        return Validator.objects.select_related("stream", "job").get(stream=stream)


def _set_enabled(
    validator: Validator, actor: User, *, enabled: bool, start_from: StartFrom = "earliest"
) -> None:
    validator.enabled, validator.start_from = enabled, start_from
    validator.save(update_fields=["enabled", "start_from"])
    stream = validator.stream
    text = f"Contract validation of {stream.name} turned {'on' if enabled else 'off'}"
    record_event(
        validator.workspace, "stream", text, actor=actor.username, subject=stream.name, action=Action.CHANGED
    )


def _document(stream: Stream) -> dict[str, Any]:
    return {
        "format": 1,
        "name": f"Contract validation of {stream.name}",
        "sources": {SOURCE: {stream.kind: stream.name}},
        "outputs": {"counts": {"input": SOURCE, "to": "result"}},
        "settings": {"mode": "microbatch", "trigger": TRIGGER},
    }


def _requiring_versions(workspace_id: int | None = None) -> list[JobVersion]:
    """The versions with which jobs run now, of those that require validators."""
    rows = (
        JobVersion.objects.select_related("job")
        .only("document", "job")
        .filter(
            job__kind=Job.Kind.JOB,
            job__desired=Desired.RUNNING,
            job__generations__number=F("job__generation"),
            job__generations__run__version=F("number"),
            document__settings__contract_validation=True,
        )
    )
    return list(rows if workspace_id is None else rows.filter(job__workspace=workspace_id))


def _input_streams(version: JobVersion) -> set[str]:
    return {source.get("stream") or source.get("table") for source in version.document["sources"].values()}


@contextmanager
def _locked(validator: Validator) -> Iterator[bool]:
    """Lock a validator against concurrent starts and stops, and reload it. Yields False if
    another process holds the lock.
    """
    now = timezone.now()
    free = Q(locked_until__isnull=True) | Q(locked_until__lt=now)
    acquired = bool(Validator.objects.filter(free, pk=validator.pk).update(locked_until=now + _LOCK_TTL))
    validator.refresh_from_db(fields=["enabled", "start_from", "last_error"])
    validator.job.refresh_from_db()
    try:
        yield acquired
    finally:
        if acquired:
            Validator.objects.filter(pk=validator.pk).update(locked_until=None)


def _reconcile_and_record(validator: Validator, is_required: bool) -> None:
    """Reconcile a validator. An error is stored; the next tick retries."""
    try:
        _reconcile(validator, is_required)
        last_error = ""
    except ServiceError as error:
        last_error = error.detail[:500]
        _LOG.info("a validator could not be reconciled", stream=validator.stream.name, error=error.detail)
    except DatabaseError:
        raise
    except Exception:  # noqa: BLE001 - a defect in one keeps no other, and no redrive, from being looked after
        last_error = UNEXPECTED
        _LOG.exception("a validator could not be reconciled", stream=validator.stream.name)
    if last_error != validator.last_error:
        Validator.objects.filter(pk=validator.pk).update(last_error=last_error)


def _reconcile(validator: Validator, is_required: bool) -> None:
    if not (validator.enabled or is_required):
        # A job that requires it may have started since that was read.
        if validator.job.desired == Desired.RUNNING and not required_by(validator.stream):
            stop_job(validator.job, None)
    elif validator.job.desired != Desired.RUNNING or _is_outdated(validator):
        cluster = validator.stream.cluster
        if cluster.reachable is False:  # each start would wait for its silence, and others for that
            raise UnreachableError(
                "BROKER_UNREACHABLE", f"Kafka cluster {cluster.name} is unreachable: {cluster.error}"
            )
        _start(validator, None)


def _run_of(validator: Validator) -> Run | None:
    generation = current_generation(validator.job)
    return (
        Run.objects.select_related("generation").filter(generation=generation).first() if generation else None
    )


def _has_failed(validator: Validator) -> bool:
    run = _run_of(validator)
    return run is not None and run.observed == Observed.FAILED


def _is_outdated(validator: Validator) -> bool:
    """Whether the stream's contract or connection has changed since the validator was started."""
    generation = current_generation(validator.job)
    if generation is None:
        return False
    bound = _bound_source(generation)
    if bound is None:
        return True
    is_changed = _decoding_part(bound.contract.as_json()) != _decoding_part(
        validator.stream.stream_contract.as_json()
    )
    return is_changed or bound.cluster != profile_of(validator.stream.cluster)


def _decoding_part(contract: Any) -> Any:
    """A contract without its writers' schemas, which a running query reloads by itself."""
    if not isinstance(contract, dict):
        return contract
    return {name: _decoding_part(part) for name, part in contract.items() if name != "writers"}


def _start(validator: Validator, actor: User | None) -> None:
    """Resume a validator with the stream's current contract and connection. One that never ran starts where
    it was asked to; one whose checkpoint is useless, after the counted ranges.

    Raises:
        ServiceError: it cannot be started now. A running one keeps running as before.
    """
    job = Job.objects.select_related("workspace").get(pk=validator.job_id)
    run = _run_of(validator)
    if run is None and validator.start_from == Validator.StartFrom.NOW:
        start_job(job, actor, "now", starts={SOURCE: _start_at_end(validator)})
    elif run is None:
        start_job(job, actor, "earliest")
    elif (run.failure or {}).get("code") in _RESET_CODES:
        _reset(validator, job, actor, run)
    else:
        try:
            start_job(job, actor, "resume", again=True)
        except JobChangedError:
            raise  # its checkpoint is as good as before
        except ConflictError:
            _reset(validator, job, actor, run)
    validator.job.refresh_from_db()


def _reset(validator: Validator, job: Job, actor: User | None, run: Run) -> None:
    """StartPosition from a new checkpoint at the end of the counted ranges, so that no record is
    counted twice or left out.

    Raises:
        ConflictError: the last counts of the old checkpoint may not have been stored yet.
    """
    if run.observed not in ENDED:
        stop_job(job, actor)
        raise ConflictError("VALIDATOR_STOPPING", "Contract validation is restarting.")
    surroundings = ReconcilerState.objects.filter(pk=1).first()
    if (
        surroundings is None
        or surroundings.relay_caught_up_at is None
        or surroundings.relay_caught_up_at <= run.observed_since
    ):
        raise ConflictError(
            "VALIDATOR_STOPPING", "Contract validation is restarting; the last counts are still being stored."
        )
    start_job(job, actor, "earliest", starts={SOURCE: _start_after_counts(validator)})


def _start_at_end(validator: Validator) -> StartPosition:
    """After all records that are there now; also of a table, of which a job would read all entries."""
    (stream,) = confirm_topics([validator.stream])
    logs = watermarks(profile_of(stream.cluster), {stream.topic: stream.partitions}, committed=True)
    return StartPosition(
        kind="offsets", offsets={partition: end for (_, partition), (_, end) in logs.items()}
    )


def _start_after_counts(validator: Validator) -> StartPosition:
    """After the counted ranges; a partition without counts begins where the validator began to read it."""
    (stream,) = confirm_topics([validator.stream])
    starts = _first_offsets(validator, stream.topic_id) | counted_ends(validator, stream.topic_id)
    logs = watermarks(profile_of(stream.cluster), {stream.topic: stream.partitions})
    offsets = {
        partition: min(max(starts.get(partition, low), low), high)
        for (_, partition), (low, high) in logs.items()
    }
    return StartPosition(kind="offsets", offsets=offsets)


def _first_offsets(validator: Validator, topic_id: str) -> dict[int, int]:
    """Where a validator began to read this topic, by partition; empty: at its first records."""
    generation = current_generation(validator.job)
    bound = _bound_source(generation) if generation is not None else None
    return bound.start.offsets if bound is not None and bound.topic_id == topic_id else {}


def _bound_source(generation: Generation) -> BoundSource | None:
    """What the validator reads; None: an older version of Weir has saved it in another form."""
    try:
        return BoundSource.model_validate(generation.sources.get(SOURCE))
    except ValidationError:
        return None
