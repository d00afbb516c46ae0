"""Lets a warm engine of this host play tests: the standby, which has no runs to hurt.

A process of its own would start Spark first (`play_process.py`), and plays where there is no such engine.
"""

import time
from datetime import timedelta
from typing import Final

import structlog
from django.db.models import QuerySet
from django.utils import timezone

from jobs.kafka_messages import ASKS_TOPIC, CancelAsk, PlayFolderAsk
from weir.clusters.services.system_topics import publish
from weir.job_tests.models import JobTestRun
from weir.job_tests.services.spool import Spool
from weir.runs.models import Engine
from weir.runs.services.ready_engines import idle_engines
from weir.workspaces.errors import ServiceError

ACCEPT_WITHIN: Final = timedelta(seconds=10)
_LOG: Final = structlog.get_logger("weir.job_tests")


def ask(run: JobTestRun, seconds: float) -> bool:
    """Ask an engine to play what is in the spool; False: there is none to ask.

    Args:
        run: with its scripts in the spool; its engine is noted.
        seconds: after which nobody waits any more.
    """
    engine = _idle(run).first()
    if engine is None:
        return False
    expires_us = time.time_ns() // 1_000 + int(seconds * 1_000_000)
    value = PlayFolderAsk(engine_id=engine.id, owner=_owner(run), expires_us=expires_us, run_id=run.pk)
    try:
        publish(ASKS_TOPIC, {run.pk: value.model_dump_json().encode()})
    except ServiceError as error:  # the broker is away, or its topic is
        _LOG.info("no engine was asked to play tests", run=run.pk, error=error.detail)
        return False
    run.engine, run.engine_incarnation, run.asked_at = engine.id, engine.incarnation, timezone.now()
    run.save(update_fields=["engine", "engine_incarnation", "asked_at"])
    return True


def plays(run: JobTestRun) -> bool:
    """True while the engine that was asked goes on: the same incarnation, without runs, and it has answered
    in time that it will.
    """
    folder = Spool(run.pk).plays
    if folder.is_declined:
        return False
    if not _idle(run).filter(pk=run.engine, incarnation=run.engine_incarnation).exists():
        return False
    is_young = run.asked_at is not None and timezone.now() - run.asked_at < ACCEPT_WITHIN
    return is_young or folder.is_accepted


def give_up(run: JobTestRun) -> None:
    """Nobody waits for the engine any more; what it plays is broken off."""
    value = CancelAsk(engine_id=run.engine, owner=_owner(run))
    run.engine = run.engine_incarnation = ""
    run.save(update_fields=["engine", "engine_incarnation"])
    try:
        publish(ASKS_TOPIC, {run.pk: value.model_dump_json().encode()})
    except ServiceError as error:  # it ends at the missing folder
        _LOG.info("the engine that plays tests was not told to end", run=run.pk, error=error.detail)


def _idle(run: JobTestRun) -> QuerySet[Engine]:
    """Those that can read the folder: of the same host."""
    return idle_engines(run.scope).filter(host_queue=run.host_queue)


def _owner(run: JobTestRun) -> str:
    return f"tests/{run.pk}"
