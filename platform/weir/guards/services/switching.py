"""When a guard is on: while a person wants it, or a job that runs asks for it (`settings.guard`)."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final, Literal

import structlog
from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone

from jobs.messages import BoundSource, StartPosition
from weir.clusters.services import profile_of
from weir.clusters.topics import watermarks
from weir.guards.models import Guard, Redrive
from weir.guards.queueing import READ_LETTERS, SEND_AGAIN
from weir.guards.services.counting import counted_ends
from weir.runs.models import Desired, Job, JobVersion, Observed, ReconcilerState, Run
from weir.runs.planning import current_generation
from weir.runs.services.deletion import delete_job
from weir.runs.services.start import start_job
from weir.runs.services.stop import stop_job
from weir.runs.services.versions import create_guard_job
from weir.runs.task_queue import enqueue
from weir.streams.models import Stream
from weir.streams.services import confirm_topics
from weir.workspaces.errors import ConflictError, ServiceError
from weir.workspaces.models import User
from weir.workspaces.services import record_event

Begin = Literal["earliest", "now"]

_LOG: Final = structlog.get_logger("weir.guards")
SOURCE: Final = "records"  # what a guard's document calls its stream
TRIGGER: Final = "5s"  # each batch costs as much as thousands of records: 2 s cost more than twice the CPU
# With these a checkpoint is no use any more; its successor begins where the counts end.
_BEGIN_ANEW: Final = frozenset({"DATA_LOST", "TOPIC_RECREATED", "TOPIC_NOT_FOUND", "STATE_DAMAGED", "STATE_INCOMPATIBLE"})
_TAKEN: Final = timedelta(seconds=60)  # longer than a start may take
_OVER: Final = (Observed.STOPPED, Observed.FAILED)


def switch_on(stream: Stream, actor: User, begin: Begin = "earliest") -> Guard:
    """A person wants the guard. Switching on what is on is no error; a guard that had failed is started again.

    Args:
        stream: which.
        actor: who asks.
        begin: where a guard that never ran begins to read.

    Raises:
        ServiceError: it cannot be started; it stays wanted, and is tried again.
    """
    guard = ensure_guard(stream)
    if not guard.wanted:
        _want(guard, actor, on=True)
    with _taken(guard) as is_ours:
        if is_ours and (guard.job.desired != Desired.RUNNING or _has_failed(guard)):
            _start(guard, actor, begin)
    return guard


def switch_off(stream: Stream, actor: User) -> Guard | None:
    """A person does not want the guard any more; it stays on while a job needs it. None where there never was one."""
    guard = Guard.objects.select_related("stream", "job").filter(stream=stream).first()
    if guard is None:
        return None
    if guard.wanted:
        _want(guard, actor, on=False)
    if not needed_by(guard.stream):
        stop_job(guard.job, actor)
    guard.refresh_from_db()
    return guard


def needed_by(stream: Stream) -> list[str]:
    """Names of the running jobs that ask for this stream's guard."""
    found = []
    for version in _asking(stream.workspace_id):
        if stream.name in _read_by(version):
            found.append(version.job.name)
    return sorted(found)


def tend_guards() -> None:
    """One tick: start and stop what jobs need or need no longer, follow changed contracts, go on with what was left undone."""
    for version in _asking():
        for stream in Stream.objects.filter(workspace=version.job.workspace_id, name__in=_read_by(version), guard__isnull=True):
            ensure_guard(stream)
    for guard in Guard.objects.select_related("stream__cluster", "job__workspace"):
        with _taken(guard) as is_ours:
            if is_ours:
                _tend_or_say(guard)
        if guard.unread:
            enqueue(READ_LETTERS, guard.pk)
    undone = Redrive.objects.filter(state=Redrive.State.RUNNING) | Redrive.objects.filter(letters__state="sending")
    for redrive_id in undone.distinct().values_list("pk", flat=True):
        enqueue(SEND_AGAIN, redrive_id)


def forget_job(job_id: str) -> None:
    """The guard is gone: its job is stopped and removed, and with it the topic of the dead letters."""
    job = Job.objects.filter(pk=job_id).first()
    if job is not None:
        delete_job(job, None)


def ensure_guard(stream: Stream) -> Guard:
    """The stream's guard; made, switched off, where there is none."""
    found = Guard.objects.select_related("stream", "job").filter(stream=stream).first()
    if found is not None:
        return found
    try:
        with transaction.atomic():
            job = create_guard_job(stream.workspace, f"guard:{stream.name}", _document(stream))
            return Guard.objects.create(workspace=stream.workspace, stream=stream, job=job)
    except IntegrityError:  # somebody else was faster
        return Guard.objects.select_related("stream", "job").get(stream=stream)


def _want(guard: Guard, actor: User, *, on: bool) -> None:
    guard.wanted = on
    guard.save(update_fields=["wanted"])
    stream = guard.stream
    said = f"Contract validation of {stream.name} turned {'on' if on else 'off'}"
    record_event(guard.workspace, "stream", said, actor=actor.username, subject=stream.name)


def _document(stream: Stream) -> dict[str, Any]:
    kind = "table" if stream.stream_contract.kind == "table" else "stream"
    return {
        "format": 1,
        "name": f"Contract validation of {stream.name}",
        "sources": {SOURCE: {kind: stream.name}},
        "outputs": {"verdicts": {"input": SOURCE, "to": "result"}},
        "settings": {"mode": "microbatch", "trigger": TRIGGER},
    }


def _asking(workspace_id: int | None = None) -> list[JobVersion]:
    """Newest versions of running jobs that ask for guards."""
    rows = JobVersion.objects.select_related("job").filter(
        job__kind=Job.Kind.JOB, job__desired=Desired.RUNNING, number=F("job__version"), document__settings__guard=True
    )
    return list(rows if workspace_id is None else rows.filter(job__workspace=workspace_id))


def _read_by(version: JobVersion) -> set[str]:
    return {source.get("stream") or source.get("table") for source in version.document["sources"].values()}


@contextmanager
def _taken(guard: Guard) -> Iterator[bool]:
    """Whether nobody else starts or stops this guard meanwhile; what may have changed is read anew."""
    now = timezone.now()
    free = Q(taken_until__isnull=True) | Q(taken_until__lt=now)
    is_ours = bool(Guard.objects.filter(free, pk=guard.pk).update(taken_until=now + _TAKEN))
    guard.refresh_from_db(fields=["wanted", "trouble"])
    guard.job.refresh_from_db()
    try:
        yield is_ours
    finally:
        if is_ours:
            Guard.objects.filter(pk=guard.pk).update(taken_until=None)


def _tend_or_say(guard: Guard) -> None:
    """What stands in the way is written down, and tried again with the next tick."""
    try:
        _tend(guard)
        trouble = ""
    except ServiceError as error:
        trouble = error.detail[:500]
        _LOG.info("a guard waits", stream=guard.stream.name, error=error.detail)
    if trouble != guard.trouble:
        Guard.objects.filter(pk=guard.pk).update(trouble=trouble)


def _tend(guard: Guard) -> None:
    if not (guard.wanted or needed_by(guard.stream)):
        stop_job(guard.job, None)
    elif guard.job.desired != Desired.RUNNING or _is_outdated(guard):
        _start(guard, None, "earliest")


def _run_of(guard: Guard) -> Run | None:
    generation = current_generation(guard.job)
    return Run.objects.select_related("generation").filter(generation=generation).first() if generation else None


def _has_failed(guard: Guard) -> bool:
    run = _run_of(guard)
    return run is not None and run.observed == Observed.FAILED


def _is_outdated(guard: Guard) -> bool:
    """The stream has another contract or connection than the guard works with."""
    generation = current_generation(guard.job)
    if generation is None:
        return False
    bound = BoundSource.model_validate(generation.sources[SOURCE])
    is_changed = _meaning(bound.contract.as_json()) != _meaning(guard.stream.stream_contract.as_json())
    return is_changed or bound.cluster != profile_of(guard.stream.cluster)


def _meaning(contract: Any) -> Any:
    """A contract without the schemas of writers: new ones reach a running query by themselves."""
    if not isinstance(contract, dict):
        return contract
    return {name: _meaning(part) for name, part in contract.items() if name != "writers"}


def _start(guard: Guard, actor: User | None, begin: Begin) -> None:
    """Go on where it was, by the stream's present contract and connection; where that is not possible, begin anew behind what was counted.

    Raises:
        ServiceError: it cannot be started now; one that runs, runs on as it was.
    """
    job = Job.objects.select_related("workspace").get(pk=guard.job_id)
    run = _run_of(guard)
    if run is None:
        start_job(job, actor, begin)
    elif (run.failure or {}).get("code") in _BEGIN_ANEW:
        _begin_anew(guard, job, actor, run)
    else:
        try:
            start_job(job, actor, "resume", again=True)
        except ConflictError:
            _begin_anew(guard, job, actor, run)
    guard.job.refresh_from_db()


def _begin_anew(guard: Guard, job: Job, actor: User | None, run: Run) -> None:
    """A fresh checkpoint that begins where the counts end: nothing is counted twice, and nothing that is still there is left out.

    Raises:
        ConflictError: the last counts of the old one may still be on their way.
    """
    if run.observed not in _OVER:
        stop_job(job, actor)
        raise ConflictError("GUARD_ENDING", "Contract validation is restarting.")
    around = ReconcilerState.objects.filter(pk=1).first()
    if around is None or around.relay_caught_up_at is None or around.relay_caught_up_at <= run.observed_since:
        raise ConflictError("GUARD_ENDING", "Contract validation is restarting; the last counts are still being stored.")
    start_job(job, actor, "earliest", starts={SOURCE: _start_behind(guard)})


def _start_behind(guard: Guard) -> StartPosition:
    (stream,) = confirm_topics([guard.stream])
    counted = counted_ends(guard, stream.topic_id)
    there = watermarks(profile_of(stream.cluster), {stream.topic: stream.partitions})
    places = {partition: min(max(counted.get(partition, low), low), high) for (_, partition), (low, high) in there.items()}
    return StartPosition(kind="offsets", offsets=places)
