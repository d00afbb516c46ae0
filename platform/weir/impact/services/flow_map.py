"""What flows where in a workspace: from topics through streams, tables and jobs to topics."""

import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, Final

from django.db.models import Q

from weir.clusters.models import HOME
from weir.lag.models import CurrentLag
from weir.lag.services.history_tables import ALIAS
from weir.runs.models import JobVersion, Run
from weir.runs.services.queries import job_summaries, jobs_of
from weir.streams.models import Stream
from weir.workspaces.models import Workspace

MAX_JOBS: Final = 500
"""More would be neither drawn nor read; the newest are left out."""
DOCUMENTS_AT_ONCE: Final = 50
MAX_AGE_US: Final = 30_000_000
"""The relay stores lag every two seconds. What is older says nothing of the present."""


@dataclass(frozen=True, slots=True)
class _Topics:
    """The workspace's streams by name, and those of the home cluster by topic."""

    by_name: dict[str, Stream]
    by_topic: dict[str, list[Stream]]

    @classmethod
    def of(cls, streams: Iterable[Stream]) -> "_Topics":
        by_name = {stream.name: stream for stream in streams}
        by_topic: defaultdict[str, list[Stream]] = defaultdict(list)
        for stream in by_name.values():
            if stream.cluster_id == HOME:
                by_topic[stream.topic].append(stream)
        return cls(by_name, dict(by_topic))

    def written(self, name: str) -> list[str]:
        """The streams that see what an output writes, by the stream or topic that it names."""
        named = self.by_name.get(name)
        topic = named.topic if named is not None and named.cluster_id == HOME else name
        return [stream.name for stream in self.by_topic.get(topic, [])]


@dataclass(frozen=True, slots=True)
class _Flows:
    """What a document reads and writes: by source its stream, and for each output to a topic its input and
    topic.
    """

    sources: dict[str, str]
    outputs: list[tuple[str, str]]

    @classmethod
    def of(cls, document: dict[str, Any]) -> "_Flows":
        sources = {
            name: source.get("stream") or source.get("table") or ""
            for name, source in (document.get("sources") or {}).items()
        }
        outputs = [
            (output.get("input", ""), output["to"].get("topic", ""))
            for output in (document.get("outputs") or {}).values()
            if isinstance(output.get("to"), dict)
        ]
        return cls(sources, outputs)


def flow_map(workspace: Workspace) -> dict[str, Any]:
    """All streams, tables and jobs of a workspace and what flows between them, by one query for each
    `DOCUMENTS_AT_ONCE` jobs and a few others.

    Returns:
        nodes: ``stream:name`` and ``job:id``, streams first; a name that a job reads or writes and that is
        registered no more is there as `missing`. edges: from node to node, each once; rates, lag and state
        are None where unknown.
    """
    jobs = list(jobs_of(workspace).order_by("created_at", "id")[: MAX_JOBS + 1])
    shown = jobs[:MAX_JOBS]
    topics = _Topics.of(Stream.objects.of(workspace).select_related("cluster"))
    rows = job_summaries(shown)
    flows = _flows({row["id"]: row["running_version"] or row["version"] for row in rows})
    measured = _measured(rows)
    edges = [
        edge
        for row in rows
        if row["id"] in flows
        for edge in _edges(row["id"], flows[row["id"]], topics, measured.get(row["id"]) or {})
    ]
    return {
        "nodes": [
            *(_stream_node(stream) for stream in topics.by_name.values()),
            *_missing(edges, topics),
            *(_job_node(row, measured.get(row["id"])) for row in rows),
        ],
        "edges": edges,
        "jobs_left_out": len(jobs) > MAX_JOBS,
    }


def _flows(versions: dict[str, int]) -> dict[str, _Flows]:
    """What these versions read and write, by job. Their documents may be a megabyte each: few are held at
    once.
    """
    found: dict[str, _Flows] = {}
    listed = list(versions.items())
    for at in range(0, len(listed), DOCUMENTS_AT_ONCE):
        some = listed[at : at + DOCUMENTS_AT_ONCE]
        wanted = reduce(or_, (Q(job=job, number=number) for job, number in some))
        for job, document in JobVersion.objects.filter(wanted).values_list("job_id", "document"):
            found[job] = _Flows.of(document)
    return found


def _measured(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """What the relay stored of live runs just now, by job."""
    jobs = [row["id"] for row in rows if row["running_version"]]
    live = set(Run.objects.current().filter(generation__job__in=jobs).values_list("pk", flat=True))
    since_us = time.time_ns() // 1_000 - MAX_AGE_US
    lags = CurrentLag.objects.using(ALIAS).filter(pk__in=jobs, at_us__gte=since_us)
    return {lag.job_id: lag.payload for lag in lags if lag.payload.get("run_id") in live}


def _edges(job_id: str, flows: _Flows, topics: _Topics, payload: dict[str, Any]) -> list[dict[str, Any]]:
    """Edges of a job; several sources of one stream, or outputs to one topic, are one edge."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    rates: dict[str, float | None] = payload.get("given") or {}
    for name, of in flows.sources.items():
        lag = (payload.get("sources") or {}).get(name) or {}
        part = {
            "rows_per_second": rates.get(name),
            "lag_records": lag.get("records"),
            "lag_seconds": lag.get("seconds"),
        }
        found[f"stream:{of}", f"job:{job_id}"].append(part)
    for given, topic in flows.outputs:
        part = {"rows_per_second": rates.get(given)}
        for name in topics.written(topic) or [topic]:
            found[f"job:{job_id}", f"stream:{name}"].append(part)
    return [{"from": start, "to": end, **_together(parts)} for (start, end), parts in found.items()]


def _together(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Rates and records add up, the greatest lag in seconds counts; unknown if one of them is."""

    def known(name: str) -> list[Any] | None:
        values = [part.get(name) for part in parts]
        return None if None in values else values

    rates, records, seconds = known("rows_per_second"), known("lag_records"), known("lag_seconds")
    return {
        "rows_per_second": sum(rates) if rates is not None else None,
        "lag_records": sum(records) if records is not None else None,
        "lag_seconds": max(seconds) if seconds is not None else None,
    }


def _stream_node(stream: Stream) -> dict[str, Any]:
    return {
        "id": f"stream:{stream.name}",
        "kind": stream.kind,
        "name": stream.name,
        "topic": stream.topic,
        "cluster": stream.cluster_id,
        "cluster_name": stream.cluster.name,
        "job": None,
    }


def _missing(edges: list[dict[str, Any]], topics: _Topics) -> list[dict[str, Any]]:
    names = {
        end.removeprefix("stream:")
        for edge in edges
        for end in (edge["from"], edge["to"])
        if end.startswith("stream:")
    }
    return [
        {
            "id": f"stream:{name}",
            "kind": "missing",
            "name": name,
            "topic": "",
            "cluster": "",
            "cluster_name": "",
            "job": None,
        }
        for name in sorted(names - topics.by_name.keys())
    ]


def _job_node(row: dict[str, Any], payload: dict[str, Any] | None) -> dict[str, Any]:
    kept = payload or {}
    return {
        "id": f"job:{row['id']}",
        "kind": "job",
        "name": row["name"],
        "topic": "",
        "cluster": "",
        "cluster_name": "",
        "job": {
            "id": row["id"],
            "desired": row["desired"],
            "observed": row["observed"],
            "lag": row["lag"],
            "rows_per_second": row["rows_per_second"],
            "state_rows": kept.get("state_rows"),
            "state_bytes": kept.get("state_bytes"),
        },
    }
