"""Which engine a run goes to."""

from typing import Final

from django.conf import settings
from django.db.models import Q, Sum

from weir.runs.models import LIVE_STATES, Desired, Engine, Job, Run
from weir.workspaces.errors import ServiceError

WARM_ENGINE: Final = "shared-1"
TRIAL_ENGINE: Final = "trial-1"
_KEPT_FREE: Final = 4  # one slot in four stays free for micro-batches, which come and go


def shared_candidate() -> Engine | None:
    """The shared engine that the next run would be tried on first."""
    return Engine.objects.filter(kind=Engine.Kind.SHARED, wanted=True).exclude(state=Engine.State.FAILED).order_by("id").first()


def place(job: Job, kind: str, slots: int) -> Engine:
    """The engine for a run of this job; made (not yet started) where none fits.

    Args:
        job: whose run.
        kind: ``shared`` or ``dedicated``, as the document says; a job that is not shareable gets its own all the same.
        slots: task slots that the run takes at once.

    Raises:
        ServiceError: no engine has that many slots.
    """
    room = settings.ENGINE_SLOTS - settings.ENGINE_SLOTS // _KEPT_FREE
    if slots > room:
        raise ServiceError("OUT_OF_SLOTS", f"Needs {slots} slots; an engine has {room}. Use fewer partitions or micro-batch mode.")
    if kind == "dedicated" or not job.shareable:
        return _wanted(dedicated_engine_id(job), Engine.Kind.DEDICATED)
    number = 1
    while True:
        engine = _wanted(f"shared-{number}", Engine.Kind.SHARED)
        if slots_taken(engine, besides=job) + slots <= room:
            return engine
        number += 1


def dedicated_engine_id(job: Job) -> str:
    """The id of the engine that runs this job alone, if it ever had one."""
    return f"dedicated-{job.id}"


def trial_engine() -> Engine:
    """The engine on which one run at a time shows whether it ends it."""
    return _wanted(TRIAL_ENGINE, Engine.Kind.TRIAL)


def slots_taken(engine: Engine, besides: Job | None = None) -> int:
    """Slots that the engine's runs take, those not yet started included."""
    runs = Run.objects.filter(engine=engine).filter(Q(desired=Desired.RUNNING) | Q(observed__in=LIVE_STATES))
    if besides is not None:
        runs = runs.exclude(generation__job=besides)
    return runs.aggregate(total=Sum("slots"))["total"] or 0


def ensure_warm_engine() -> None:
    """The engine that waits for the first job, where the settings ask for one."""
    if settings.WARM_ENGINE and not Engine.objects.filter(pk=WARM_ENGINE, wanted=True).exists():
        _wanted(WARM_ENGINE, Engine.Kind.SHARED)


def _wanted(engine_id: str, kind: Engine.Kind) -> Engine:
    """The engine of that id, wanted; one that had failed gets a new chance, because a person asks."""
    engine, _ = Engine.objects.get_or_create(
        id=engine_id, defaults={"kind": kind, "host_queue": settings.HOST_QUEUE, "slots": settings.ENGINE_SLOTS}
    )
    if engine.state == Engine.State.FAILED:
        engine.state, engine.crashes, engine.failure, engine.retry_at = Engine.State.STOPPED, [], None, None
        engine.wanted = True
        engine.save(update_fields=["state", "crashes", "failure", "retry_at", "wanted"])
    elif not engine.wanted:
        engine.wanted = True
        engine.save(update_fields=["wanted"])
    return engine
