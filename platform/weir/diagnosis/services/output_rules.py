"""What the output itself tells."""

from typing import Final

from weir.diagnosis.services.evidence import Evidence
from weir.diagnosis.services.finding import Fact, Finding, PlaceKind, count, instant, seconds, since, text

FRESH_US: Final = 30_000_000
"""Output within so long is flowing."""
_OUTPUT: Final[tuple[PlaceKind, str]] = ("output", "")


def flowing(evidence: Evidence) -> Finding | None:
    """Rows were written just now."""
    if evidence.plan.ok and evidence.sink.topic is not None:
        return _topic_flowing(evidence, evidence.sink.topic)
    newest = evidence.result.newest_us
    if evidence.key or newest is None:
        return None
    # Of several producers one may have a clock ahead: the newest input's row is not the last written one.
    fresh, rate = evidence.now_us - newest <= FRESH_US, _rate(evidence)
    if not fresh and not rate:
        return None
    return Finding(
        "OUTPUT_FLOWS",
        "Results are being written",
        "Nothing holds them up. If you don't see them, look at the filters of the page.",
        _OUTPUT,
        facts=((instant("Newest result", newest),) if fresh else rate) + _written(evidence),
        waits=True,
    )


def _topic_flowing(evidence: Evidence, topic: str) -> Finding | None:
    """Rows were counted on the way to an output's topic within the last minute."""
    rate = _rate(evidence)
    if evidence.key or not rate:
        return None
    return Finding(
        "OUTPUT_FLOWS",
        "Records are being written",
        f"Nothing holds them up. If you don't see them, read {topic} from its newest records.",
        _OUTPUT,
        facts=(
            text("Topic", topic),
            *rate,
            *_written(evidence),
        ),
        waits=True,
    )


def _rate(evidence: Evidence) -> tuple[Fact, ...]:
    """Rows that were counted on the way to the output within the last minute; nothing for none."""
    rate = evidence.counts.per_second.get(evidence.reference, 0.0) if evidence.plan.ok else 0.0
    return (text("Rate", f"about {rate:,.1f} rows/s"),) if rate > 0 else ()


def _written(evidence: Evidence) -> tuple[Fact, ...]:
    """Rows that the output got; nothing where they aren't known, as after an edit before the output."""
    return () if evidence.rows_out is None else (count("Rows written", evidence.rows_out),)


def expired(evidence: Evidence) -> Finding | None:
    """Rows were written, and none is kept."""
    result = evidence.result
    if evidence.plan.ok and evidence.sink.topic is not None:
        return None
    if not evidence.rows_out or result.newest_us is not None:
        return None
    kept = (seconds("Kept for", result.retention_us),) if result.retention_us else ()
    return Finding(
        "RESULTS_EXPIRED",
        "Earlier results have expired",
        "Rows were written; those that are older than the retention, or whose key was deleted, are gone.",
        _OUTPUT,
        "Keep results longer in the job's settings, or write them to a topic as well.",
        (*_written(evidence), *kept),
    )


def unknown(evidence: Evidence, unchecked: list[str]) -> Finding:
    """No rule found a cause.

    Args:
        evidence: of the job.
        unchecked: steps that could not be looked into.
    """
    if not evidence.plan.ok:
        what = "The document has problems now, so its steps weren't looked into. Its run isn't held up."
    elif unchecked:
        what = f"What happens in {', '.join(unchecked)} isn't visible from here."
    elif evidence.key or not evidence.counts.batches:
        what = "No step holds back the newest records. What the run has read isn't known."
    else:
        what = "Records are read and no step holds them up."
    return Finding(
        "CAUSE_UNKNOWN",
        "No cause found",
        what,
        _OUTPUT,
        "Read the log of the run, and compare the steps with the newest records.",
        (
            *_counted(evidence),
            *since("Newest result", evidence.result.newest_us),
        ),
    )


def _counted(evidence: Evidence) -> tuple[Fact, ...]:
    """What the run has counted; nothing before its first batch."""
    counts = evidence.counts
    if not counts.batches:
        return ()
    return (
        count("Records read", counts.rows_in),
        *_written(evidence),
        count("Late rows, at least", counts.late),
        count("Values that became null", counts.expression_nulls),
    )
