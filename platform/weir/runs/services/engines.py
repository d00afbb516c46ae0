"""Engines on this host: start, adopt, stop. Runs on the host's own queue only
(`docs/architecture.md#where-it-runs`).
"""

import secrets
import shutil
import time
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import structlog
from django.conf import settings
from django.utils import timezone

from jobs.base.quiet_file import quiet_file
from jobs.kafka_messages import EngineSettings, ProcessHandle
from weir.clusters.services.clients import home_profile
from weir.runs.models import Engine, ReconcilerState
from weir.runs.services import processes
from weir.runs.services.engine_deaths import note_begin
from weir.runs.services.engine_ends import broker_reachable, note_crashed, note_stopped
from weir.runs.services.engine_hosts import hosts_without_checkpoints
from weir.runs.services.engine_logs import delete_engine_log, engine_log
from weir.runs.services.exit_watch import seen_end, watch_exit
from weir.runs.services.handover import finish_handover
from weir.runs.services.placement import WITHOUT_PROCESS
from weir.runs.services.run_publisher import engine_runs_published
from weir.runs.services.standby import must_wait

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
_NOT_STARTED: Final = (
    "ENGINE_NOT_STARTED"  # code of an engine's failure: its host refused to make the process
)
_NOT_STARTED_PAUSE: Final = timedelta(seconds=10)


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
    if ended_us is None and engine.handle is not None:  # a tick may come before who waits for the end
        end = seen_end(ProcessHandle.model_validate(engine.handle))
        ended_us, memory_kill = end.ended_us, memory_kill or end.memory_kill
    if engine.state in (Engine.State.STARTING, Engine.State.READY):
        note_crashed(engine, now, ended_us, memory_kill=memory_kill)
    elif engine.state == Engine.State.STOPPING:
        note_stopped(engine)
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
    if (engine.retry_at is not None and engine.retry_at > now) or not broker_reachable():
        return
    if must_wait(engine, now) or engine.host_queue in hosts_without_checkpoints():
        return
    if _adopted(engine) or not engine_runs_published(engine):
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
    try:
        handle = _spawn(engine, incarnation)
    except OSError as error:
        _note_not_started(engine, incarnation, now, error)
        return
    known: dict[str, Any] = {"handle": handle.model_dump()}
    if (engine.failure or {}).get("code") == _NOT_STARTED:
        known["failure"] = None
    if not Engine.objects.filter(pk=engine.pk, incarnation=incarnation).update(**known):
        # This worker was so slow that another took the process for dead, and started one itself.
        _LOG.warning("an engine that was started too late is ended", engine=engine.id, pid=handle.pid)
        processes.end(handle, kill=True)
        return
    _LOG.info("engine started", engine=engine.id, incarnation=incarnation, pid=handle.pid)
    # Temporary files of processes that were killed.
    for ended in (_folder() / engine.id).glob("ended-*"):
        shutil.rmtree(ended, ignore_errors=True)


def _spawn(engine: Engine, incarnation: str) -> ProcessHandle:
    """Write the settings of an incarnation, and start its process.

    Raises:
        OSError: the host refuses, as one whose disk is full.
    """
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with suppress(OSError):  # it may be large, so it is deleted when the process is known
        (folder / engine.id / "tmp").rename(folder / engine.id / f"ended-{incarnation}")
    file = folder / f"{engine.id}.json"
    file.touch(mode=0o600)
    file.chmod(0o600)
    file.write_text(_settings_of(engine, incarnation).model_dump_json(), encoding="utf-8")
    label = processes.label_of(settings.DATA_DIR, engine.id, incarnation)
    note_begin(engine_log(engine.id), incarnation)
    return processes.spawn(file, label, engine_log(engine.id))


def _note_not_started(engine: Engine, incarnation: str, now: datetime, error: OSError) -> None:
    """Give up the claim, and say why. No process was there that could have crashed, so this spends none of
    the crash budget, and is tried again as long as it takes.
    """
    reason = error.strerror or str(error)
    file = f" ({error.filename})" if error.filename else ""
    message = f"Can't be started on {settings.HOST_QUEUE}: {reason}{file}. Retrying automatically."
    Engine.objects.filter(pk=engine.pk, incarnation=incarnation, handle__isnull=True).update(
        state=engine.state,
        last_command_at=None,
        retry_at=now + _NOT_STARTED_PAUSE,
        failure={"code": _NOT_STARTED, "message": message, "raw": "", "permanent": False},
    )
    _LOG.warning("an engine can't be started", engine=engine.id, error=message)


def _folder() -> Path:
    return Path(settings.DATA_DIR) / "engines"


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
            "host": engine.host_queue,
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
    folder = _folder()
    shutil.rmtree(folder / engine_id, ignore_errors=True)
    for file in (folder / f"{engine_id}.json", quiet_file(Path(settings.DATA_DIR), engine_id)):
        file.unlink(missing_ok=True)
    delete_engine_log(engine_id)
    return True
