"""The channel runs: the state of every job of a workspace, sent again when it changes."""

import logging
import time
from collections import defaultdict
from datetime import datetime
from typing import Any, Final

from django.db import DatabaseError
from django.utils import timezone

from jobs.run_states import NEVER_STARTED
from weir.live.blocking_pool import BlockingPool
from weir.live.latest_subscription import LatestSubscription
from weir.live.lookups import micros, view_of, workspace_runs
from weir.live.run_registry import RunRegistry
from weir.runs.models import Job, Run, reports_read_until
from weir.runs.services.run_figures import NO_FIGURES, figures_json

_LOG: Final = logging.getLogger(__name__)


class RunsChannel:
    """Reads each subscribed workspace from the database every two seconds; in between it
    applies changes of the registry.
    """

    def __init__(self, pool: BlockingPool, registry: RunRegistry) -> None:
        self._pool = pool
        self._registry = registry
        self._watching: defaultdict[int, set[LatestSubscription]] = defaultdict(set)
        self._jobs: dict[int, dict[str, dict[str, Any]]] = {}  # workspace → job → row of the database

    async def subscribe(self, subscription: LatestSubscription) -> None:
        """Serve a subscription."""
        self._watching[subscription.workspace_id].add(subscription)
        await self._read(subscription.workspace_id)

    def run_changed(self, job_id: str) -> None:
        """The state of a job's run changed: send it."""
        for workspace_id, jobs in self._jobs.items():
            if job_id in jobs:
                self._send(workspace_id, job_id)

    async def tick(self) -> None:
        """Read the subscribed workspaces again."""
        for workspace_id, watching in list(self._watching.items()):
            watching -= {subscription for subscription in watching if subscription.closed}
            if not watching:
                del self._watching[workspace_id]
                self._jobs.pop(workspace_id, None)
                continue
            await self._read(workspace_id)

    async def _read(self, workspace_id: int) -> None:
        try:
            found, read_until = await self._pool.run(_read_runs, workspace_id)
        except DatabaseError as error:
            _LOG.info("jobs of workspace %s: %s", workspace_id, error)
            return
        for _, run in found:
            if run is not None:
                self._registry.learn(view_of(run, run.generation))
        self._jobs[workspace_id] = {job.pk: _body(job, run, read_until) for job, run in found}
        for job_id in self._jobs[workspace_id]:
            self._send(workspace_id, job_id)
        self._send_deleted(workspace_id)

    def _send(self, workspace_id: int, job_id: str) -> None:
        body = dict(self._jobs[workspace_id][job_id])
        view = self._registry.of_job(job_id)
        if view is not None and (view.generation, view.epoch) >= (
            body["generation"] or 0,
            body["epoch"] or 0,
        ):
            body |= {
                "observed": self._registry.shown_state(view, time.time_ns() // 1000),
                "failure": view.failure,
            }
            body |= {"generation": view.generation, "epoch": view.epoch}
            body["last_seen_us"] = max(filter(None, (view.seen_us, body["last_seen_us"])), default=None)
        for subscription in self._watching[workspace_id]:
            subscription.send("status", job_id, body)

    def _send_deleted(self, workspace_id: int) -> None:
        for subscription in self._watching[workspace_id]:
            deleted = subscription.sent_subjects - self._jobs[workspace_id].keys()
            for job_id in deleted:
                subscription.send("status", job_id, {"job_id": job_id, "deleted": True})
            subscription.settle(deleted)


def _read_runs(workspace_id: int) -> tuple[list[tuple[Job, Run | None]], datetime | None]:
    # In this order: runs that are read after the instant can only be newer.
    read_until = reports_read_until()
    return workspace_runs(workspace_id), read_until


def _body(job: Job, run: Run | None, read_until: datetime | None) -> dict[str, Any]:
    body: dict[str, Any] = {
        "job_id": job.pk,
        "name": job.name,
        "desired": job.desired,
        "observed": NEVER_STARTED,
        "observed_since_us": None,
        "last_seen_us": None,
        "failure": None,
        "generation": None,
        "epoch": None,
        **NO_FIGURES,
    }
    if run is None:
        return body
    shown = run.shown_state(read_until)
    return body | {
        "observed": shown,
        "observed_since_us": micros(run.observed_since),
        "last_seen_us": micros(run.last_seen_at),
        "failure": run.failure,
        "generation": run.generation.number,
        "epoch": run.epoch,
        **figures_json(run, shown, timezone.now()),
    }
