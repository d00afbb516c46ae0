"""The load of a document as its streams show it now: rates of sources, and numbers of keys of steps.

What the forecast of a job's state rests on (`jobs.plan.forecast`), where nobody knows better.
"""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from jobs.plan import Plan
from weir.runs.services.planning import rate_of, streams_of
from weir.streams.models import Stream
from weir.streams.services.distinct_values import distinct_values
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Workspace

MOST_SAMPLES: Final = 8  # steps whose keys are counted; others of a large document stay unknown
REPEATED: Final = 0.5
"""Share of distinct keys in a sample above which their number says nothing: where nearly every row has a key
of its own, more rows have more keys."""


@dataclass(frozen=True)
class MeasuredLoad:
    """What was measured; names that are missing are unknown.

    Attributes:
        rates: records per second over the last minute, by source.
        key_counts: distinct keys by step.
        sampled: rows of the sample that they were counted in, by step; 0: nothing had to be counted.
    """

    rates: dict[str, float] = field(default_factory=dict)
    key_counts: dict[str, int] = field(default_factory=dict)
    sampled: dict[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The API's JSON form."""
        return {"rates": self.rates, "key_counts": self.key_counts, "sampled": self.sampled}


def measured_load(workspace: Workspace, plan: Plan) -> MeasuredLoad:
    """Measure what the document's streams show now. A cluster that does not answer leaves its part unknown.

    Args:
        workspace: whose streams the plan reads.
        plan: of a document; with errors, nothing is measured.
    """
    found = MeasuredLoad()
    if not plan.ok:
        return found
    streams = streams_of(workspace, plan)
    for source, stream in streams.items():
        with suppress(ServiceError):
            if (rate := rate_of(stream)) is not None:
                found.rates[source] = round(rate, 3)
    for step, (source, fields) in list(_keys(plan).items())[:MOST_SAMPLES]:
        if not fields:
            found.key_counts[step], found.sampled[step] = 1, 0
        elif source in streams:
            _count_keys(found, step, streams[source], fields)
    return found


def _count_keys(found: MeasuredLoad, step: str, stream: Stream, fields: tuple[str, ...]) -> None:
    try:
        distinct = distinct_values(stream, fields)
    except ServiceError:
        return
    if distinct.rows and distinct.values <= REPEATED * distinct.rows:
        found.key_counts[step], found.sampled[step] = distinct.values, distinct.rows


def _keys(plan: Plan) -> dict[str, tuple[str, tuple[str, ...]]]:
    """By stateful step with `by`, the source and its fields that the key is made of: as many values at most.

    Keys from several sources, or from no field, are left out; no fields: one key for all rows.
    """
    document: Any = plan.document
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for node in plan.live_nodes:
        by = getattr(document.steps.get(node.name), "by", None) if node.state.kind != "none" else None
        if by is None:
            continue
        columns = {column for name in by for column in plan.lineage[node.name].get(name, {""})}
        sources = {column.partition(".")[0] for column in columns}
        if not by:
            found[node.name] = ("", ())
        elif len(sources) == 1:
            (source,) = sources
            found[node.name] = (source, tuple(sorted(column.partition(".")[2] for column in columns)))
    return found
