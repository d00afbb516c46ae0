"""How complete single outputs are: what flows into an output is counted, and nothing else of its job."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from jobs.base.instants import instant_of
from jobs.document import JobDocument
from jobs.operators import late_rows
from jobs.run_states import RUNNING
from weir.alerts.models import Objective
from weir.alerts.services.windows import Windows
from weir.measurements import Snapshot
from weir.runs.models import JobVersion

MINUTES_5: Final = 300_000_000


@dataclass(frozen=True, slots=True)
class Upstream:
    """The sources and steps that an output's rows come from."""

    sources: frozenset[str]
    steps: frozenset[str]


class OutputShares:
    """Shares of the last five minutes, by objective."""

    def __init__(self) -> None:
        self._windows = Windows()
        self._versions: dict[tuple[str, int], JobDocument | None] = {}  # by job and number

    def take(self, objectives: Iterable[Objective], snapshot: Snapshot) -> dict[str, float]:
        """Late, failed and malformed rows as a share of what is read for the output, by objective; what is
        not known, and what is replaying, has none. One query where a version is new.

        Args:
            objectives: those that are about one output.
            snapshot: of the present.
        """
        wanted = {one.pk: one for one in objectives}
        if not wanted:
            return {}
        now_us, found = instant_of(snapshot.now), {}
        jobs = {measured.job.pk: measured for measured in snapshot.jobs}
        runs = {key: one.run for key, one in jobs.items() if one.run is not None and one.is_current}
        self._read({(one.job_id, runs[one.job_id].version) for one in wanted.values() if one.job_id in runs})
        for key, objective in wanted.items():
            run = runs.get(objective.job_id)
            if run is None or run.shown_state(snapshot.reports_read_until, snapshot.now) != RUNNING:
                continue
            document = self._versions.get((objective.job_id, run.version))
            upstream = None if document is None else upstream_of(document, objective.output)
            if upstream is None:
                continue  # this version has no such output
            bad, read = _counted((jobs[objective.job_id].payload or {}).get("counts") or {}, upstream)
            recent = self._windows.share(f"{run.pk}/{key}", bad, read, now_us, MINUTES_5)
            if recent is not None and recent.share is not None:
                found[key] = recent.share
        self._windows.forget_before(now_us - 2 * MINUTES_5)
        return found

    def _read(self, wanted: set[tuple[str, int]]) -> None:
        missing = wanted - self._versions.keys()
        self._versions = {key: document for key, document in self._versions.items() if key in wanted}
        if missing:
            rows = JobVersion.objects.filter(job__in={job for job, _ in missing})
            for job, number, document in rows.values_list("job_id", "number", "document"):
                if (job, number) in missing:
                    self._versions[job, number] = _parsed(document)


def _parsed(stored: Any) -> JobDocument | None:
    """A stored document; None: this version of Weir can't read it, so nothing is known of its outputs."""
    try:
        return JobDocument.model_validate(stored)
    except ValidationError:
        return None


def upstream_of(document: JobDocument, output: str) -> Upstream | None:
    """What flows into an output of a document; None: it has no such output.

    Args:
        document: of a version.
        output: its name.
    """
    if output not in document.outputs:
        return None
    found: set[str] = set()
    counted: set[str] = set()
    waiting = [document.outputs[output].input]
    while waiting:
        name, _, port = waiting.pop().partition(".")
        if port != late_rows.PORT:
            counted.add(name)  # late rows are what an output of late rows is for
        if name not in found:
            found.add(name)
            step = document.steps.get(name)
            waiting += [] if step is None else [reference for _, reference in step.inputs()]
    return Upstream(frozenset(found & document.sources.keys()), frozenset(counted & document.steps.keys()))


def _counted(counts: Mapping[str, Any], upstream: Upstream) -> tuple[float, float]:
    sources = [counts.get("sources", {}).get(name, {}) for name in upstream.sources]
    steps = [counts.get("steps", {}).get(name, {}) for name in upstream.steps]
    malformed = sum(source.get("malformed", 0) for source in sources)
    # where late rows of a step are not counted, none of them is known
    spoiled = sum((step.get("late") or 0) + step.get("expression_nulls", 0) for step in steps)
    return malformed + spoiled, sum(source.get("records", 0) for source in sources)
