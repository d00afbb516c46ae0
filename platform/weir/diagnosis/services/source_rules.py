"""Causes that lie with topics and their records."""

from collections.abc import Callable, Iterable
from typing import Final

from jobs import run_states
from weir.diagnosis.services.evidence import Evidence
from weir.diagnosis.services.finding import (
    Basis,
    Fact,
    Finding,
    amount,
    count,
    instant,
    seconds,
    share,
    since,
    text,
)
from weir.diagnosis.services.row_paths import gives_rows
from weir.diagnosis.services.source_facts import ALMOST_ALL, MalformedReason, Sample, SourceFacts

QUIET_US: Final = 60_000_000
"""A source without a record for so long is silent."""

_MOST_PARTITIONS: Final = 8

Defect = Callable[[Evidence, SourceFacts], Finding | None]


def source_cause(evidence: Evidence) -> Finding | None:
    """The first source that gives no rows, if the result needs it; None: rows come in."""
    plan = evidence.plan
    if evidence.run.shown == run_states.WAITING and all(
        one.state != "unreachable" for one in evidence.sources
    ):
        return _waits()
    found = {source.name: defect for source in evidence.own_sources if (defect := _defect(evidence, source))}
    if not found or not plan.ok:
        return next(iter(found.values()), None) if not plan.ok else None
    result = evidence.reference
    alone = [name for name in found if not gives_rows(plan, result, {name})]
    if alone:
        return found[alone[0]]
    return None if gives_rows(plan, result, found.keys()) else next(iter(found.values()))


def _defect(evidence: Evidence, source: SourceFacts) -> Finding | None:
    return next((found for rule in _DEFECTS if (found := rule(evidence, source))), None)


def _waits() -> Finding:
    """The engine waits for a cluster; those of the sources answer from here."""
    return Finding(
        "CLUSTER_UNREACHABLE",
        "A Kafka cluster doesn't answer the engine",
        "The run waits until the cluster answers, and goes on by itself. From here, its sources can be read.",
        ("run", ""),
        "Check the clusters that the job writes to, and the network of the engine.",
        basis="reported",
    )


def _unreachable(evidence: Evidence, source: SourceFacts) -> Finding | None:  # noqa: ARG001
    if source.state != "unreachable":
        return None
    return Finding(
        "CLUSTER_UNREACHABLE",
        "The Kafka cluster doesn't answer",
        source.detail or "The run waits until the cluster answers, and goes on by itself.",
        ("source", source.name),
        "Check the brokers and the network.",
        _topic(source),
        "broker",
    )


def _deleted(evidence: Evidence, source: SourceFacts) -> Finding | None:  # noqa: ARG001
    if source.state != "deleted":
        return None
    return Finding(
        "TOPIC_DELETED",
        "The topic doesn't exist",
        f"{source.topic} was deleted, or the stream was registered for a topic that isn't there.",
        ("source", source.name),
        "Create the topic again, or point the stream to another one; then start the job anew.",
        _topic(source),
        "broker",
    )


def _recreated(evidence: Evidence, source: SourceFacts) -> Finding | None:  # noqa: ARG001
    if source.state != "recreated":
        return None
    return Finding(
        "TOPIC_RECREATED",
        "The topic was deleted and created again",
        f"The job's positions belong to the old {source.topic}; the new one has other records at them.",
        ("source", source.name),
        "Start the job anew: its state belongs to records that are gone.",
        _topic(source),
        "broker",
    )


def _empty(evidence: Evidence, source: SourceFacts) -> Finding | None:  # noqa: ARG001
    if source.state != "there" or not source.partitions or source.retained or source.records:
        return None
    return _without_records(source)


def _without_records(source: SourceFacts) -> Finding:
    table = source.static or source.is_table
    gone = source.written > 0
    what = "Every record has expired or was deleted." if gone else "Nothing was ever written to it."
    return Finding(
        "TABLE_EMPTY" if table else "TOPIC_EMPTY",
        "The table is empty" if table else "The topic is empty",
        what,
        ("source", source.name),
        "Check that its producer runs and writes to this topic and cluster.",
        (*_topic(source), count("Records ever written", source.written)),
        "broker",
    )


def _starts_behind(evidence: Evidence, source: SourceFacts) -> Finding | None:  # noqa: ARG001
    if source.static or source.records or source.after_start != 0 or not source.retained:
        return None
    return Finding(
        "START_AFTER_NEWEST",
        "The job begins behind the newest record",
        "All records of the topic were written before the position at which the job started to read.",
        ("source", source.name),
        "Start the job anew from the earliest record or from a time, or wait for new records.",
        (
            *_topic(source),
            text("Start", source.start.kind if source.start else "unknown"),
            count("Records before the start", source.retained),
            *_newest(source),
        ),
        "broker",
    )


def _malformed(evidence: Evidence, source: SourceFacts) -> Finding | None:  # noqa: ARG001
    """By the newest records where some were read: what the run has read may be well-formed by now."""
    sample = source.sample
    basis: Basis = "reported"
    records, malformed, reasons = source.records or 0, source.malformed, source.reasons
    if sample is not None and sample.read:
        records, malformed, reasons, basis = sample.read, sample.malformed_count, sample.malformed, "sample"
    if not records or malformed < ALMOST_ALL * records:
        return None
    most = reasons[0] if reasons else MalformedReason("", malformed)
    example = most.example or next((one.example for one in source.reasons if one.reason == most.reason), None)
    of = f"the newest {amount(records, 'record')}" if basis == "sample" else "what the run read"
    recent = "recent " if sample is not None and basis == "sample" and not sample.complete else ""
    why = most.detail or f"Most often: {most.reason}."
    return Finding(
        "ALL_MALFORMED" if malformed == records else "MOSTLY_MALFORMED",
        f"{'Every' if malformed == records else 'Nearly every'} {recent}record is malformed",
        f"Malformed among {of}: {malformed:,}. {why}",
        ("source", source.name),
        "Compare the records with the stream's contract: encoding, key and field types.",
        (
            *_topic(source),
            share("Malformed", malformed, records),
            count("Records looked at", records),
            text("Reason", most.reason),
            count("Records with this reason", most.records),
            *([] if example is None else [text("Example", f"partition {example[0]}, offset {example[1]}")]),
            *(_malformed_since(sample) if sample is not None else ()),
            *(_malformed_so_far(source) if basis == "sample" else ()),
        ),
        basis,
    )


def _malformed_since(sample: Sample) -> tuple[Fact, ...]:
    """Of a sample that begins with malformed records, it is not known what was before it."""
    earlier = not sample.complete and sample.malformed_since_us == sample.oldest_us
    return since("Malformed at least since" if earlier else "Malformed since", sample.malformed_since_us)


def _malformed_so_far(source: SourceFacts) -> tuple[Fact, ...]:
    """What the run has read of it, where that is known."""
    if not source.records:
        return ()
    return (share("Malformed, of all that the run read", source.malformed, source.records),)


_DEFECTS: Final[tuple[Defect, ...]] = (
    _unreachable,
    _deleted,
    _recreated,
    _empty,
    _starts_behind,
    _malformed,
)


def first_batch(evidence: Evidence) -> Finding | None:
    """Records wait, and no batch has ended yet."""
    if evidence.counts.batches:
        return None
    left = {source.name: _left(source) for source in evidence.own_sources if _left(source)}
    if not left:
        return None
    return Finding(
        "FIRST_BATCH",
        "The first batch isn't done",
        "Records wait and are being read. The first batch takes longest.",
        ("source", next(iter(left))),
        facts=(count("Records to read", sum(left.values())),),
        waits=True,
    )


def _left(source: SourceFacts) -> int:
    """Records that the first batches have to read: before a position is known, all since the start."""
    return (source.after_start if source.waiting is None else source.waiting) or 0


def silent(evidence: Evidence) -> Finding | None:
    """Everything is read, and no source of the output has had a record for a minute, or none has any left."""
    streams = [source for source in evidence.own_sources if not source.static]
    if any(source.sample is None or source.waiting != 0 for source in streams):
        return None  # what isn't known may be new
    newest = [
        source.sample.newest_us for source in streams if source.sample and source.sample.newest_us is not None
    ]
    if not newest and not any(source.retained for source in streams):
        # _empty leaves out what the run has read: it may hold a table, or all of it was malformed.
        return next(map(_without_records, streams), None)
    if not newest or evidence.now_us - max(newest) < QUIET_US:
        return None
    latest = max(streams, key=lambda source: (source.sample and source.sample.newest_us) or 0)
    return Finding(
        "NO_NEW_RECORDS",
        "No new records",
        "Everything has been read. Nothing new was written since.",
        ("source", latest.name),
        "Check that the producers run.",
        (
            *_topic(latest),
            instant("Newest record", max(newest)),
            seconds("Silent for", evidence.now_us - max(newest)),
            *partitions(latest),
        ),
        "broker",
    )


def catching_up(evidence: Evidence, sources: Iterable[SourceFacts]) -> Finding | None:
    """A backlog is read, or isn't: rows of the present come when it is done.

    Args:
        evidence: of the job.
        sources: whose records the output waits for. It is a backlog where more of them wait than the run
            reads in ten seconds, as far as that is known.
    """
    streams = [source for source in sources if not source.static]
    waiting = sum(source.waiting_at_least for source in streams)
    rate, health = evidence.rows_per_second, evidence.run.lag_health
    if not waiting or (rate is not None and waiting < 10 * rate and not evidence.run.draining):
        return None
    unknown = any(source.waiting is None for source in streams)
    facts = [count("Records to read, at least" if unknown else "Records to read", waiting)]
    behind = max(streams, key=lambda source: source.waiting_at_least)
    if health == "stopped":
        return Finding(
            "NOT_READING",
            "Records wait, and none is read",
            "The run reports no progress, although records wait.",
            ("source", behind.name),
            "Read the log of the run. If it names no cause, stop and resume the job.",
            (*_topic(behind), *facts),
        )
    if health in ("behind", "falling_behind"):
        return _not_caught_up(evidence, behind, tuple(facts))
    if evidence.run.catch_up_us is not None:
        facts.append(seconds("Done in about", evidence.run.catch_up_us))
    elif rate:
        facts.append(seconds("Done in about, without new records", waiting / rate * 1e6))
    limit = evidence.run.rate_limit
    limited = "" if limit is None else f" The job reads at most {limit:,} records/s of each stream."
    return Finding(
        "CATCHING_UP",
        "Reading a backlog",
        f"Older records are read first.{limited}",
        ("source", behind.name),
        facts=tuple(facts),
        waits=True,
    )


def _not_caught_up(evidence: Evidence, source: SourceFacts, facts: tuple[Fact, ...]) -> Finding:
    """A backlog that doesn't shrink: waiting is of no use."""
    limit = evidence.run.rate_limit
    return Finding(
        "FALLING_BEHIND",
        "The job doesn't catch up",
        "Older records are read first, and new ones are written as fast as they are read, or faster.",
        ("source", source.name),
        "See under Lag which partitions are behind, and give the job an engine of its own or more cores."
        if limit is None
        else f"Raise the rate limit of {limit:,} records/s in the job's settings.",
        (*_topic(source), *facts),
    )


def silent_partitions(evidence: Evidence, source: SourceFacts) -> list[int]:
    """Partitions without a record for a minute, where others have had some."""
    quiet = [part.number for part in source.partitions if part.quiet_since(evidence.now_us - QUIET_US)]
    return sorted(quiet) if len(quiet) < len(source.partitions) else []


def partitions(source: SourceFacts) -> tuple[Fact, ...]:
    """The newest record of each partition, the longest silent first; of one with many partitions, some."""
    if len(source.partitions) < 2:
        return ()
    known = [part for part in source.partitions if part.newest_us is not None or part.end == part.low]
    ordered = sorted(known, key=lambda part: part.newest_us or 0)[:_MOST_PARTITIONS]
    return tuple(
        text(f"Newest record of partition {part.number}", "none")
        if part.newest_us is None
        else instant(f"Newest record of partition {part.number}", part.newest_us)
        for part in ordered
    )


def _topic(source: SourceFacts) -> tuple[Fact, ...]:
    return (text("Topic", source.topic),)


def _newest(source: SourceFacts) -> tuple[Fact, ...]:
    newest = source.sample.newest_us if source.sample else None
    return () if newest is None else (instant("Newest record", newest),)
