"""What the output itself tells."""

from typing import Final

from weir.diagnosis.services.evidence import Evidence
from weir.diagnosis.services.finding import Finding, PlaceKind, count, instant, seconds, since, text

FRESH_US: Final = 30_000_000
"""Output within so long is flowing."""
_OUTPUT: Final[tuple[PlaceKind, str]] = ("output", "")


def flowing(evidence: Evidence) -> Finding | None:
    """Rows were written just now."""
    if evidence.plan.ok and evidence.sink.topic is not None:
        return _topic_flowing(evidence, evidence.sink.topic)
    newest = evidence.result.newest_us
    if evidence.key or newest is None or evidence.now_us - newest > FRESH_US:
        return None
    return Finding(
        "OUTPUT_FLOWS",
        "Results are being written",
        "Nothing holds them up. If you don't see them, look at the filters of the page.",
        _OUTPUT,
        facts=(instant("Newest result", newest), count("Rows written", evidence.rows_out or 0)),
        waits=True,
    )


def _topic_flowing(evidence: Evidence, topic: str) -> Finding | None:
    """Rows were counted on the way to an output's topic within the last minute."""
    rate = evidence.counts.per_second.get(evidence.reference, 0.0)
    if evidence.key or rate <= 0:
        return None
    return Finding(
        "OUTPUT_FLOWS",
        "Records are being written",
        f"Nothing holds them up. If you don't see them, read {topic} from its newest records.",
        _OUTPUT,
        facts=(
            text("Topic", topic),
            count("Rows in the last minute, about", round(rate * 60)),
            count("Rows written", evidence.rows_out or 0),
        ),
        waits=True,
    )


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
        (count("Rows written", evidence.rows_out or 0), *kept),
    )


def unknown(evidence: Evidence, unchecked: list[str]) -> Finding:
    """No rule found a cause.

    Args:
        evidence: of the job.
        unchecked: steps that could not be looked into.
    """
    counts = evidence.counts
    what = (
        f"What happens in {', '.join(unchecked)} isn't visible from here."
        if unchecked
        else "Records are read and no step holds them up."
    )
    return Finding(
        "CAUSE_UNKNOWN",
        "No cause found",
        what,
        _OUTPUT,
        "Read the log of the run, and compare the steps with the newest records.",
        (
            count("Records read", counts.rows_in),
            *(() if evidence.rows_out is None else (count("Rows written", evidence.rows_out),)),
            count("Late rows, at least", counts.late),
            count("Values that became null", counts.expression_nulls),
            *since("Newest result", evidence.result.newest_us),
        ),
    )
