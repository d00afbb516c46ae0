"""Judges the lag of every job that was started, every three seconds, as consumer groups are looked at."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from jobs.base.instants import Instant, datetime_of, instant_of
from jobs.run_states import ENDED, READING, UNKNOWN
from weir.consumer_groups.services.mirror_health import (
    is_at_risk,
    mirrored_health,
    mirrored_topics,
    with_losses,
)
from weir.consumer_groups.services.run_tracks import Partition, ReadPosition, RunTracks
from weir.lag.services.tracker import LagTracker, RunLag
from weir.runs.models import Desired, Run, reports_read_until
from weir.runs.services import run_measures
from weir.runs.services.lag_health import JobHealth, Kind
from weir.runs.services.run_publisher import mirror_group

REFRESH_US: Final = 10_000_000  # a health that stays the same is stored again after this long


class HealthRecorder:
    """Stores what the lag of each job means.

    Args:
        tracker: of the lag of runs.
    """

    def __init__(self, tracker: LagTracker) -> None:
        self._tracker = tracker
        self._tracks: dict[str, RunTracks] = {}
        self._committed: dict[str, dict[tuple[str, str], int]] = {}  # by run and topic, since when

    def store(self, now_us: int) -> None:
        """Judge each job's current run.

        Args:
            now_us: the present. What engines reported is known until a little earlier, and judged as of then.
        """
        read_until = reports_read_until()
        if read_until is None:
            return  # nothing of engines is known
        now, at_us = datetime_of(Instant(now_us)), min(now_us, instant_of(read_until))
        found = {run: self._own(run, run.shown_state(read_until, now), at_us) for run in _current_runs()}
        self._forget(found.keys())
        for run in found:
            self._note_commits(run, now_us)
        mirrors = {run: self._mirror(run) for run, own in found.items() if own is None or is_at_risk(own)}
        topics = mirrored_topics({name: read for name, read in mirrors.values()}, now_us)
        for run, own in found.items():
            mirrored = topics.get(mirrors[run][0], []) if run in mirrors else []
            health = mirrored_health(mirrored, now_us) if own is None else with_losses(own, mirrored)
            stored = None if health is None else health.stored()
            if _differ(run.lag_health, stored):
                run_measures.record_lag_health(run.pk, stored)

    def _own(self, run: Run, shown: str, at_us: int) -> JobHealth | None:
        """What its own positions mean; None: it has none, or nobody says how it is."""
        followed = self._tracker.runs.get(run.pk)
        if followed is None or shown not in READING:
            self._tracks.pop(run.pk, None)  # a pause says nothing of how the rest is read
            ended = followed is None or shown in ENDED or shown == UNKNOWN
            return None if ended else JobHealth(Kind.UNKNOWN, at_us)
        tracks = self._tracks.setdefault(run.pk, RunTracks())
        tracks.observe(at_us, self._positions(followed))
        return tracks.health(at_us, batches=run.mode == "microbatch" or run.draining)

    def _positions(self, run: RunLag) -> dict[Partition, ReadPosition]:
        found = {}
        for source, partitions in run.positions.items():
            topic = run.topics.get(source)
            for partition, position in partitions.items():
                ends = None if topic is None else self._tracker.ends.get((*topic, partition))
                reached = position.reached
                if reached is not None and ends is not None and ends.end is not None:
                    found[source, partition] = ReadPosition(reached, ends)
        return found

    def _mirror(self, run: Run) -> tuple[str, dict[tuple[str, str], int]]:
        job = run.generation.job
        return mirror_group(job.workspace.slug, job.name), self._committed[run.pk]

    def _note_commits(self, run: Run, now_us: int) -> None:
        """Note of which topics the run has committed positions, and since when: until then its mirror has
        those of the generation before, whose records may be gone since.
        """
        followed = self._tracker.runs.get(run.pk)
        if followed is None:
            self._committed[run.pk] = {}
            return
        known = self._committed.get(run.pk)
        committed: dict[tuple[str, str], int] = {}
        for source, partitions in followed.positions.items():
            topic = followed.topics.get(source)
            if topic is not None and any(position.committed is not None for position in partitions.values()):
                # What had been committed before this process looked first was so for some time.
                committed[topic] = 0 if known is None else known.get(topic, now_us)
        self._committed[run.pk] = committed

    def _forget(self, runs: Iterable[Run]) -> None:
        current = {run.pk for run in runs}
        for known in (self._tracks, self._committed):
            for gone in known.keys() - current:
                del known[gone]


def _differ(known: Mapping[str, Any] | None, found: Mapping[str, Any] | None) -> bool:
    if known is None or found is None:
        return known is not found
    if found["at_us"] - known["at_us"] >= REFRESH_US:
        return True
    return {**known, "at_us": 0} != {**found, "at_us": 0}


def _current_runs() -> list[Run]:
    runs = Run.objects.current().exclude(desired=Desired.DELETED)
    return list(
        runs.select_related("generation__job__workspace").only(
            "engine",
            "observed",
            "observed_since",
            "last_seen_at",
            "desired",
            "mode",
            "draining",
            "lag_health",
            "generation__job__name",
            "generation__job__workspace__slug",
        )
    )
