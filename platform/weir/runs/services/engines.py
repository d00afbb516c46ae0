"""Engines on this host: start, adopt, stop. Runs on the host's own queue only
(`docs/architecture.md#where-it-runs`).
"""

import secrets
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from jobs.base.instants import instant_of
from jobs.base.log_text import readable
from jobs.base.quiet_file import quiet_file
from jobs.kafka_messages import EngineSettings, ProcessHandle
from jobs.run_states import LIVE
from weir.clusters.services.clients import home_profile
from weir.runs.models import Desired, Engine, Execution, Isolation, Observed, ReconcilerState, Run
from weir.runs.services import processes
from weir.runs.services.engine_deaths import Death, how_it_ended, is_suspicious, note_begin
from weir.runs.services.engine_hosts import hosts_without_checkpoints
from weir.runs.services.engine_logs import delete_engine_log, engine_log
from weir.runs.services.epochs import begin_epoch, close_execution, set_observed
from weir.runs.services.exit_watch import watch_exit
from weir.runs.services.handover import finish_handover
from weir.runs.services.isolation import isolate, most_suspicious, try_again
from weir.runs.services.placement import WITHOUT_PROCESS, give_back_engines, shared_candidate, was_standby
from weir.runs.services.restart_policy import ENGINE_ERROR, MAX_CRASHES, backoff, spend_crash
from weir.runs.services.run_publisher import publish_runs
from weir.runs.services.standby import must_wait, standby_pause, take_over
from weir.runs.services.start_phases import after_interruption
from weir.runs.services.unplaced import begin_placed
from weir.runs.services.viewing import in_order
from weir.runs.task_queue import PUBLISH_RUN, START_RUN, enqueue
from weir.workspaces.errors import ServiceError

_LOG: Final = structlog.get_logger("weir.engines")
_STOP_TIMEOUT: Final = timedelta(seconds=20)
SILENT_ENGINE_STOPPED_AFTER: Final = timedelta(minutes=5)
RELAY_CURRENT_WITHIN: Final = timedelta(
    seconds=5
)  # of the end of `weir.reports`; else silence does not count
_WATCHED_S: Final = 15.0  # that an engine has to be silent while it is watched
_FORGOTTEN_AFTER_S: Final = 60.0
_found_silent: Final[dict[tuple[str, str], float]] = {}  # engine and incarnation → monotonic seconds
_SPAWN_TIMEOUT: Final = timedelta(seconds=15)
# An engine that is killed soon after its start may be killed again; nothing else bounds its starts.
_KILLED_YOUNG: Final = timedelta(seconds=60)
_KILLED_PAUSE: Final = timedelta(seconds=5)
_LOG_TAIL_BYTES: Final = 4_000
_IDLE: Final = timedelta(minutes=10)


def reconcile_engine(
    engine_id: str, now: datetime | None = None, ended_us: int | None = None, *, memory_kill: bool = False
) -> None:
    """Bring one engine of this host closer to its desired state: start, adopt or stop it. Idempotent.

    Args:
        engine_id: of the engine.
        now: the present; None reads the clock.
        ended_us: when its process was seen to end; None: not seen.
        memory_kill: the host's kernel ended a process for want of memory at that moment.
    """
    moment = now or timezone.now()
    engine = Engine.objects.filter(pk=engine_id, host_queue=settings.HOST_QUEUE).first()
    if engine is None:
        return
    if _alive(engine):
        replaced = engine.successor_id is not None and finish_handover(engine.id)
        if not engine.should_run or engine.state == Engine.State.STOPPING or replaced:
            _stop(engine, moment)
        else:
            watch_exit(engine.id, ProcessHandle.model_validate(engine.handle), engine.host_queue)
            _watch(engine, moment)
    elif not _being_launched(engine, moment):
        _replace_process(engine, moment, ended_us, memory_kill=memory_kill)


def _replace_process(engine: Engine, now: datetime, ended_us: int | None, *, memory_kill: bool) -> None:
    """Note how the process of an engine ended, and start another if the engine should run."""
    if engine.state in (Engine.State.STARTING, Engine.State.READY):
        _crashed(engine, now, ended_us, memory_kill=memory_kill)
    elif engine.state == Engine.State.STOPPING:
        _stopped(engine)
    if engine.should_run and engine.state in (Engine.State.STOPPED, Engine.State.LOST):
        _launch(engine, now)


def _alive(engine: Engine) -> bool:
    """True while the engine's process runs. A process whose handle could not be saved is
    found by its label.
    """
    if engine.handle is None:
        if engine.state != Engine.State.STARTING:
            return False
        found = processes.find(processes.label_of(settings.DATA_DIR, engine.id, engine.incarnation))
        if found is None:
            return False
        engine.handle = found[0].model_dump()
        Engine.objects.filter(pk=engine.pk).update(handle=engine.handle)
        return True
    return processes.is_alive(ProcessHandle.model_validate(engine.handle))


def _being_launched(engine: Engine, now: datetime) -> bool:
    """True while another worker has claimed the start and the process does not exist yet:
    that is no crash.
    """
    fresh = engine.last_command_at is not None and now - engine.last_command_at < _SPAWN_TIMEOUT
    return engine.state == Engine.State.STARTING and engine.handle is None and fresh


def _launch(engine: Engine, now: datetime) -> None:
    """Start a new incarnation. Its id is saved before the process exists, so that a crash of
    the worker loses nothing.
    """
    if (engine.retry_at is not None and engine.retry_at > now) or not _broker_reachable():
        return
    if must_wait(engine, now) or engine.host_queue in hosts_without_checkpoints():
        return
    if _adopted(engine) or not _runs_published(engine):
        return
    incarnation = secrets.token_hex(8)
    claimed = Engine.objects.filter(
        pk=engine.pk, incarnation=engine.incarnation, state=engine.state, host_queue=engine.host_queue
    ).update(
        incarnation=incarnation,
        state=Engine.State.STARTING,
        handle=None,
        ready=False,
        started_at=now,
        last_command_at=timezone.now(),  # of the claim: publishing runs may have taken seconds
        last_seen_at=None,
    )
    if not claimed:  # another worker was first, or another host has it since
        return
    folder = Path(settings.DATA_DIR) / "engines"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with suppress(OSError):  # it may be large, so it is deleted when the process is known
        (folder / engine.id / "tmp").rename(folder / engine.id / f"ended-{incarnation}")
    file = folder / f"{engine.id}.json"
    file.touch(mode=0o600)
    file.chmod(0o600)
    file.write_text(_settings_of(engine, incarnation).model_dump_json(), encoding="utf-8")
    label = processes.label_of(settings.DATA_DIR, engine.id, incarnation)
    note_begin(engine_log(engine.id), incarnation)
    handle = processes.spawn(file, label, engine_log(engine.id))
    if not Engine.objects.filter(pk=engine.pk, incarnation=incarnation).update(handle=handle.model_dump()):
        # This worker was so slow that another took the process for dead, and started one itself.
        _LOG.warning("an engine that was started too late is ended", engine=engine.id, pid=handle.pid)
        processes.end(handle, kill=True)
        return
    _LOG.info("engine started", engine=engine.id, incarnation=incarnation, pid=handle.pid)
    for ended in (folder / engine.id).glob("ended-*"):  # temporary files of processes that were killed
        shutil.rmtree(ended, ignore_errors=True)


def _runs_published(engine: Engine) -> bool:
    """Publish what has changed of an engine's runs; False when the broker did not take it.

    A process that starts reads the last record of each run. It would execute an epoch that is over if the
    next one, or the stop, were not published yet.
    """
    changed = Run.objects.filter(engine=engine, published_at__isnull=True)
    try:
        publish_runs(list(in_order(changed).select_related("generation__job__workspace", "engine")))
    except ServiceError as error:
        _LOG.warning("the engine's runs are not published yet", engine=engine.id, error=error.detail)
        return False
    return True


def _adopted(engine: Engine) -> bool:
    """Adopt a process of this engine that the database does not know (it was
    restored): there must never be two.
    """
    found = processes.find(processes.label_of(settings.DATA_DIR, engine.id))
    if found is None:
        return False
    handle, incarnation = found
    Engine.objects.filter(pk=engine.pk).update(
        incarnation=incarnation,
        state=Engine.State.STARTING,
        handle=handle.model_dump(),
        started_at=timezone.now(),
    )
    _LOG.warning("an engine was found that the database did not know", engine=engine.id, pid=handle.pid)
    return True


def _settings_of(engine: Engine, incarnation: str) -> EngineSettings:
    return EngineSettings.model_validate(
        {
            "engine_id": engine.id,
            "incarnation": incarnation,
            "kind": engine.kind,
            "standby": engine.standby,
            "home": home_profile(),
            "home_listeners": settings.KAFKA_OPEN_BOOTSTRAP_SERVERS,
            "master": settings.SPARK_MASTER,
            "master_secret_file": settings.SPARK_SECRET_FILE,
            "slots": settings.ENGINE_SLOTS,
            "driver_memory_mb": settings.ENGINE_MEMORY_MB,
            "jars_dir": str(settings.JARS_DIR),
            "data_dir": str(settings.DATA_DIR),
            "encryption_key_file": str(settings.ENCRYPTION_KEY_FILE),
            "private_clusters": settings.PRIVATE_CLUSTERS,
        }
    )


def _stop(engine: Engine, now: datetime) -> None:
    """Send SIGTERM first; SIGKILL when the process still runs after the deadline."""
    handle = ProcessHandle.model_validate(engine.handle)
    if engine.state != Engine.State.STOPPING:
        processes.end(handle)
        Engine.objects.filter(pk=engine.pk).update(
            state=Engine.State.STOPPING, last_command_at=now, ready=False
        )
    elif engine.last_command_at is None or now - engine.last_command_at > _STOP_TIMEOUT:
        processes.end(handle, kill=True)


def _watch(engine: Engine, now: datetime) -> None:
    """Stop a live process only after 5 min without heartbeats while broker and relay
    have worked all the time.
    """
    state = ReconcilerState.objects.filter(pk=1).first()
    seen_at = engine.last_seen_at or engine.started_at
    if state is None or seen_at is None or now - seen_at < SILENT_ENGINE_STOPPED_AFTER:
        return
    broker_stable = (
        state.broker_answers_since is not None
        and now - state.broker_answers_since > SILENT_ENGINE_STOPPED_AFTER
    )
    relay_current = (
        state.relay_caught_up_at is not None and now - state.relay_caught_up_at < RELAY_CURRENT_WITHIN
    )
    if broker_stable and relay_current and _is_watched_silence(engine):
        _LOG.warning(
            "engine is alive but sends no heartbeats; it is stopped",
            engine=engine.id,
            last_seen_at=str(seen_at),
        )
        _stop(engine, now)


def _is_watched_silence(engine: Engine) -> bool:
    """Whether an engine is silent that was found so some heartbeats ago: after a suspend of the machine all
    clocks have jumped, and nobody had a chance to send one.
    """
    key, now = (engine.id, engine.incarnation), time.monotonic()  # it stands still in a suspend
    for other, at in list(_found_silent.items()):
        if now - at > _FORGOTTEN_AFTER_S:
            _found_silent.pop(other, None)
    return now - _found_silent.setdefault(key, now) >= _WATCHED_S


@transaction.atomic
def _stopped(engine: Engine) -> None:
    """The process ended after it was stopped."""
    if not _lock_as_it_was(engine):
        return
    Engine.objects.filter(pk=engine.pk).update(
        state=Engine.State.STOPPED, handle=None, ready=False, slots_used=0
    )
    engine.state = Engine.State.STOPPED
    _release_runs(engine, _interrupted_runs(engine), "Engine stopped.")


def _lock_as_it_was(engine: Engine) -> bool:
    """Lock an engine until the end of the transaction, and read it again. False: another worker was first to
    notice how its process ended.

    Before its runs are locked, as the relay does, which would otherwise wait for each other.
    """
    same = Engine.objects.filter(pk=engine.pk, incarnation=engine.incarnation, state=engine.state)
    if same.select_for_update().first() is None:
        return False
    engine.refresh_from_db()
    return True


@transaction.atomic
def _crashed(engine: Engine, now: datetime, ended_us: int | None, *, memory_kill: bool) -> None:
    """The process ended although nobody stopped it: count a crash, unless it was killed from outside or the
    broker was down, and start the next epoch of its runs.

    The failure of a dedicated engine includes the end of its log. The log of one that others use, or used
    before, contains output of jobs of other workspaces too, so it stays in the file, which operators can
    read.
    """
    if not _lock_as_it_was(engine):
        return
    death = how_it_ended(
        engine_log(engine.id), was_ready=engine.state == Engine.State.READY, memory_kill=memory_kill
    )
    spent = False
    if death is not Death.KILLED and _broker_reachable():
        engine.crashes, spent = spend_crash(engine.crashes)
        engine.failed_starts += death is Death.NEVER_READY
        spent = spent or (engine.standby and engine.failed_starts >= MAX_CRASHES)
    runs = _interrupted_runs(engine)
    suspects = _suspects(engine, runs, death)
    spent = spent and not suspects  # what has a cause that is being found goes on
    is_alone = engine.kind == Engine.Kind.DEDICATED and not was_standby(engine)
    failure = {
        "code": ENGINE_ERROR,
        "message": death.value + _how_often(engine, spent=spent),
        "raw": _tail(engine_log(engine.id)) if is_alone else "",
        "permanent": spent,
    }
    state = Engine.State.FAILED if spent else Engine.State.LOST
    retry_at = now + standby_pause(engine) if spent and engine.standby else _retry_at(engine, death, now)
    engine.state, engine.retry_at, engine.failure, engine.handle, engine.ready = (
        state,
        retry_at,
        failure,
        None,
        False,
    )
    engine.save(update_fields=["state", "crashes", "failed_starts", "retry_at", "failure", "handle", "ready"])
    _LOG.warning(
        "engine crashed",
        engine=engine.id,
        how=death.name,
        crashes=len(engine.crashes),
        final=spent,
        suspects=len(suspects),
        log=str(engine_log(engine.id)),
    )
    if engine.kind == Engine.Kind.ISOLATION:
        try_again([run for run in runs if run.id in suspects], death.value + ".", failure)
    else:
        isolate([run for run in runs if run.id in suspects], death.value + ".", failure)
    innocent = [run for run in runs if run.id not in suspects]
    successor = _successor(engine, goes_on=bool(innocent))
    phases = after_interruption(ended_us, instant_of(timezone.now()))
    _release_runs(engine, innocent, death.value + ".", failure, successor, phases)
    if successor != engine:
        transaction.on_commit(lambda: _runs_published(successor))


def _how_often(engine: Engine, *, spent: bool) -> str:
    if spent and engine.standby and engine.failed_starts:
        return f", {engine.failed_starts} times in a row."
    return " five times in ten minutes." if spent else "."


def _retry_at(engine: Engine, death: Death, now: datetime) -> datetime | None:
    """When the engine may be started again; None: at once."""
    if death is Death.KILLED:
        young = engine.started_at is not None and now - engine.started_at < _KILLED_YOUNG
        return now + _KILLED_PAUSE if young else None
    if engine.kind == Engine.Kind.ISOLATION:
        return None  # to crash is what it is for
    return now + backoff(len(engine.crashes)) if len(engine.crashes) > 1 else None


def _suspects(engine: Engine, runs: list[Run], death: Death) -> set[str]:
    """The ids of those runs of an engine that died which are tried on the isolation engine."""
    isolates = engine.kind == Engine.Kind.ISOLATION
    if engine.kind == Engine.Kind.DEDICATED or not is_suspicious(death, engine.crashes, isolates=isolates):
        return set()
    # One that is about to leave the isolation engine has proven itself.
    wanted = [run for run in runs if run.desired == Desired.RUNNING and not (isolates and run.awaiting_stop)]
    return {run.id for run in (wanted if isolates else most_suspicious(wanted))}


def _successor(engine: Engine, *, goes_on: bool) -> Engine:
    """The engine that gets the runs of a crashed one; a hand-over that it had begun is over.

    goes_on: some runs do.
    """
    concerned = engine.successor_id is not None or goes_on
    found = take_over(engine) if concerned and engine.state != Engine.State.FAILED else engine
    if found == engine and engine.successor_id is not None:
        engine.successor = None
        engine.save(update_fields=["successor"])
    return found


def _interrupted_runs(engine: Engine) -> list[Run]:
    """The runs of a dead process: those that it executed, and those that it reported as stopped because it
    ended itself. Those that come first are first. Locked until the end of the transaction: whoever stops one
    meanwhile does so before, or changes the next epoch.
    """
    interrupted = Q(observed__in=LIVE) | Q(observed=Observed.STOPPED, desired=Desired.RUNNING)
    runs = Run.objects.filter(interrupted, engine=engine).select_for_update(of=("self",))
    return list(in_order(runs.select_related("generation__job")))


def _release_runs(
    engine: Engine,
    runs: Sequence[Run],
    reason: str,
    failure: dict[str, Any] | None = None,
    successor: Engine | None = None,
    phases: Mapping[str, int] | None = None,
) -> None:
    """End the executions of a dead process: runs that should stop are stopped, the others start their
    next epoch, on the successor where there is one (or fail with it), or elsewhere where the engine may not
    start again. phases: as for `begin_epoch`.
    """
    next_engine = successor or engine
    stays = engine.kind == Engine.Kind.ISOLATION or next_engine.host_queue not in hosts_without_checkpoints()
    for run in runs:
        if run.desired != Desired.RUNNING:
            close_execution(run, Observed.STOPPED, reason)
            set_observed(run, Observed.STOPPED)
            run.save(update_fields=["observed", "observed_since"])
        elif engine.state == Engine.State.FAILED:
            close_execution(run, Observed.FAILED, reason, failure)
            set_observed(run, Observed.FAILED)
            run.failure, run.published_at = failure, None
            run.save(update_fields=["observed", "observed_since", "failure", "published_at"])
            transaction.on_commit(lambda run_id=run.id: enqueue(PUBLISH_RUN, run_id))  # type: ignore[misc]  # bound by value
        else:
            close_execution(run, Observed.FAILED if failure else Observed.STOPPED, reason, failure)
            if not stays or (engine.kind == Engine.Kind.ISOLATION and run.awaiting_stop):
                begin_placed(run)
            else:
                begin_epoch(run, next_engine, phases=phases)
            transaction.on_commit(lambda run_id=run.id: enqueue(START_RUN, run_id))  # type: ignore[misc]  # bound by value


def note_host_ended(*, publish: bool) -> None:
    """Note that this host's engines were stopped on purpose, as when the whole
    system stops: that is no crash.

    Args:
        publish: publish the next epochs of their runs, so that an engine's next start does not wait for the
            broker's. No process may run that could take them for its own.
    """
    for engine in Engine.objects.filter(
        host_queue=settings.HOST_QUEUE,
        state__in=(Engine.State.STARTING, Engine.State.READY, Engine.State.STOPPING),
    ):
        _stopped(engine)
        if publish:
            _runs_published(engine)


def delete_engine(engine_id: str) -> bool:
    """Delete an engine without a process, with its settings, temporary files and log;
    False while its process runs.
    """
    engine = Engine.objects.filter(pk=engine_id).first()
    if engine is None:
        return True
    if engine.state not in WITHOUT_PROCESS:
        return False
    engine.delete()
    folder = Path(settings.DATA_DIR) / "engines"
    shutil.rmtree(folder / engine_id, ignore_errors=True)
    for file in (folder / f"{engine_id}.json", quiet_file(Path(settings.DATA_DIR), engine_id)):
        file.unlink(missing_ok=True)
    delete_engine_log(engine_id)
    return True


def retire_idle_engines(now: datetime) -> None:
    """Engines without runs should no longer run: dedicated ones at once, shared ones (except the warm one and
    the standby) ten minutes after their start and the end of their last run. A run that has failed until a
    person starts it needs none.
    """
    warm = shared_candidate() if settings.WARM_ENGINE else None
    holding = Run.objects.holding().filter(engine=OuterRef("pk"))
    # An engine that has failed with its runs has no process to end, and is not to be started without them.
    failed_with = Q(Exists(Run.objects.expected().filter(engine=OuterRef("pk"))), state=Engine.State.FAILED)
    idle = Engine.objects.filter(~Exists(holding), ~failed_with, should_run=True)
    needless = [each for each in idle if not (each == warm or each.standby or each.successor_id is not None)]
    if Run.objects.filter(isolation=Isolation.QUEUED, desired=Desired.RUNNING).exists():
        # The next group is tried on the engine that tried the last one, which is warm.
        needless = [each for each in needless if each.kind != Engine.Kind.ISOLATION]
    used = _used_lately(needless, now)
    for engine in needless:
        if engine.id not in used:
            idle.filter(pk=engine.pk).update(should_run=False)
    give_back_engines()


def _used_lately(engines: Sequence[Engine], now: datetime) -> set[str]:
    """The ids of those shared engines that have started, or whose last run has ended, within `_IDLE`."""
    since = now - _IDLE
    shared = [each for each in engines if each.kind == Engine.Kind.SHARED]
    started = {each.id for each in shared if each.started_at is not None and each.started_at > since}
    others = {each.id for each in shared} - started
    ended = Execution.objects.filter(engine_id__in=others, ended_at__gt=since)
    return started.union(ended.values_list("engine_id", flat=True))


def want_engines_of_runs() -> None:
    """Engines whose runs are to run should run. A run may get an engine at the moment in which another
    process, which does not see the run yet, finds that the engine has nothing to do.
    """
    to_run = Run.objects.filter(engine=OuterRef("pk"), desired=Desired.RUNNING, observed__in=LIVE)
    Engine.objects.filter(Exists(to_run), should_run=False).update(should_run=True)


def _broker_reachable() -> bool:
    state = ReconcilerState.objects.filter(pk=1).first()
    return state is None or state.broker_answers_since is not None


def _tail(log: Path) -> str:
    try:
        with log.open("rb") as file:
            before = max(0, log.stat().st_size - _LOG_TAIL_BYTES)
            file.seek(before)
            lines = file.read().decode("utf-8", "replace").splitlines()
            return "\n".join(map(readable, lines[1:] if before and len(lines) > 1 else lines))
    except FileNotFoundError:
        return ""
