"""Collects the evidence about a job: from the database, clusters, and the newest records of its sources."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Final

from django.utils import timezone

from jobs.base.instants import instant_of
from jobs.plan import Plan
from jobs.run_states import LIVE, NEVER_STARTED
from weir.diagnosis.services.edited_steps import counts_since_edit, edited_nodes
from weir.diagnosis.services.evidence import (
    Counts,
    EngineFacts,
    Evidence,
    ResultFacts,
    RunFacts,
    StepFacts,
    sink_of,
)
from weir.diagnosis.services.key_scan import identity_texts
from weir.diagnosis.services.source_facts import SourceFacts
from weir.diagnosis.services.source_reader import Asked, SourceReader
from weir.lag.models import CurrentLag
from weir.lag.services.history_tables import ALIAS as LAG_ALIAS
from weir.results.models import ALIAS as RESULTS_ALIAS
from weir.results.models import ResultRow
from weir.results.services.records import key_digest
from weir.runs.models import Execution, Generation, Job, JobVersion, Run, reports_read_until
from weir.runs.services.lag_health import MAX_AGE_US, current_health
from weir.runs.services.overload import overload_of
from weir.runs.services.planning import current_generation, current_version, plan_in, streams_of
from weir.streams.services.topic_ref import stream_ref
from weir.workspaces.errors import ServiceError

_SOURCES_AT_ONCE: Final = 4


def evidence_of(job: Job, key: str = "", output: str = "") -> Evidence:
    """All that is known about a job now. Reads at most `SAMPLE_RECORDS` of each source.

    Args:
        job: of a user; it may never have run.
        key: that is asked about, as in `key_scan.scan_for_key`: at most `KEY_RECORDS` more are read. Empty:
            all rows.
        output: name of the output that is asked about; empty: the first, which is the result where the
            document has one.

    Raises:
        ServiceError: OUTPUT_UNKNOWN: the running version has no such output.
        BusyError: a topic of large batches is being read by others.
    """
    generation = current_generation(job)
    run = (
        Run.objects.select_related("engine").filter(generation=generation).first()
        if generation is not None
        else None
    )
    version = current_version(job, run.version if run is not None and run.observed in LIVE else None)
    plan = plan_in(job.workspace, version.document)
    sink = sink_of(plan, output)
    if output and (sink is None or sink.name != output):
        raise ServiceError("OUTPUT_UNKNOWN", f"Version {version.number} has no output {output[:80]!r}.")
    lag = CurrentLag.objects.using(LAG_ALIAS).filter(pk=job.pk).first() if run is not None else None
    payload = lag.payload if lag and run and lag.payload.get("run_id") == run.pk else {}
    now_us = time.time_ns() // 1_000
    if lag is not None and now_us - lag.at_us > MAX_AGE_US:
        payload = {**payload, "given": {}, "rows_per_second": None}  # rates of before
    counts = _counts(payload, _us(generation.created_at) if generation is not None else None)
    if run is not None and plan.ok:
        counts = counts_since_edit(counts, plan, _edited(job, run, version))
    return Evidence(
        now_us=now_us,
        run=_run_facts(run, now_us),
        engine=_engine_facts(run),
        plan=plan,
        sources=_sources(job, plan, generation, payload, Asked(key, sink)),
        counts=_of_all_keys(counts) if key else counts,
        watermark_us=payload.get("watermark_us"),
        rows_per_second=payload.get("rows_per_second"),
        result=_result_facts(job, generation, key) if sink is None or sink.topic is None else ResultFacts(),
        output=output,
        key=key,
    )


def _edited(job: Job, run: Run, version: JobVersion) -> frozenset[str]:
    """Nodes that other versions of the run had otherwise."""
    ran = Execution.objects.filter(run=run).values_list("version", flat=True)
    others = JobVersion.objects.filter(job=job, number__in=ran).exclude(number=version.number)
    return edited_nodes(version.document, others.values_list("document", flat=True))


def _us(at: Any) -> int | None:
    return None if at is None else instant_of(at)


def _run_facts(run: Run | None, now_us: int) -> RunFacts:
    if run is None:
        return RunFacts(NEVER_STARTED)
    failure = run.failure
    health = current_health(run, now_us)
    return RunFacts(
        shown=run.shown_state(reports_read_until(), timezone.now()),
        since_us=_us(run.observed_since),
        last_seen_us=_us(run.last_seen_at),
        failure=(failure["code"], failure["message"]) if failure else None,
        retry_at_us=_us(run.retry_at),
        draining=run.draining,
        rate_limit=run.rate_limit,
        lag_health=None if health is None else health.kind.value,
        catch_up_us=None if health is None or health.catch_up_s is None else round(health.catch_up_s * 1e6),
    )


def _engine_facts(run: Run | None) -> EngineFacts | None:
    engine = run.engine if run is not None else None
    if engine is None:
        return None
    failure = engine.failure or {}
    overload = overload_of(engine, timezone.now())
    return EngineFacts(
        engine.state,
        engine.ready,
        _us(engine.last_seen_at),
        failure.get("message", ""),
        overload.text if overload else "",
    )


def _counts(payload: dict[str, Any], since_us: int | None) -> Counts:
    counted = payload.get("counts")
    if not counted:
        return Counts()
    names = ("batches", "rows_in", "rows_out", "late", "expression_nulls")
    rates: dict[str, float | None] = payload.get("given") or {}
    return Counts(
        **{name: counted[name] for name in names},
        given=counted.get("given") or {},
        per_second={reference: rate for reference, rate in rates.items() if rate is not None},
        steps=_step_facts(counted.get("steps") or {}, payload.get("steps") or {}),
        since_us=since_us,
    )


def _of_all_keys(counts: Counts) -> Counts:
    """What counts say of a single key: that batches were done."""
    return replace(counts, given={}, per_second={}, steps={})


def _step_facts(counted: dict[str, Any], states: dict[str, Any]) -> dict[str, StepFacts]:
    """What was counted of each step, and what it keeps now."""
    return {
        name: StepFacts(
            expression_nulls=counted.get(name, {}).get("expression_nulls", 0),
            late=counted.get(name, {}).get("late"),
            keyless=counted.get(name, {}).get("keyless"),
            state_rows=states.get(name, {}).get("state_rows"),
        )
        for name in counted.keys() | states.keys()
    }


def _result_facts(job: Job, generation: Generation | None, key: str) -> ResultFacts:
    if generation is None:
        return ResultFacts()
    rows = ResultRow.objects.using(RESULTS_ALIAS).filter(job_id=job.pk, generation=generation.number)
    newest = rows.order_by("-newest_input_us", "-digest").values_list("timestamp_ms", flat=True).first()
    digests = [key_digest(identity) for identity in identity_texts(key)] if key else []
    of_key = rows.filter(digest__in=digests).values_list("timestamp_ms", flat=True).first() if key else None
    return ResultFacts(
        key_row_us=None if of_key is None else of_key * 1_000,
        newest_us=None if newest is None else newest * 1_000,
        retention_us=generation.retention_ms * 1_000,
    )


def _sources(
    job: Job, plan: Plan, generation: Generation | None, payload: dict[str, Any], asked: Asked
) -> tuple[SourceFacts, ...]:
    """Facts of the sources, in the order of the document; clusters are asked side by side."""
    streams = streams_of(job.workspace, plan)
    bound: dict[str, Any] = generation.sources if generation is not None else {}
    reader = SourceReader(plan, bound, payload, asked)
    refs = {name: stream_ref(stream) for name, stream in streams.items()}
    with ThreadPoolExecutor(_SOURCES_AT_ONCE) as pool:
        return tuple(pool.map(lambda name: reader.facts(name, streams[name], refs[name]), streams))
