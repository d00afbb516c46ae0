"""Accept what came: expectations made of a play that a person has looked at."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from jobs.job_tests.played_content import content_of, output_form
from jobs.plan import Plan
from jobs.play import PlayedBatch, PlayResult

MAX_CAPTURED_ROWS: Final = 200


class TooManyRowsError(ValueError):
    """There are more rows than a person looks at; the message says how many."""


def captured_expectation(plan: Plan, played: PlayResult) -> dict[str, Any]:
    """What a test would expect at its end, so that this play passes: all rows of all outputs, and the counts.

    Args:
        plan: of the job document that was played.
        played: to its end.

    Returns:
        The ``expect`` of a test document, as JSON values.

    Raises:
        TooManyRowsError: there are too many rows to be accepted by looking at them.
    """
    outputs: dict[str, Any] = {}
    total = 0
    for sink in plan.sinks:
        given = [batch.outputs[sink.name] for batch in played.batches if sink.name in batch.outputs]
        content = content_of(given, output_form(plan, sink.name), deletions=False)
        total += len(content.rows)
        if content.truncated or total > MAX_CAPTURED_ROWS:
            raise TooManyRowsError(
                f"More than {MAX_CAPTURED_ROWS:,} rows came out; choose fewer records to capture a test."
            )
        outputs[sink.name] = {"rows": [row.plain for row in content.rows]}
    expect: dict[str, Any] = {"outputs": outputs}
    counts: Mapping[str, dict[str, int]] = {
        "malformed": _summed(
            played,
            lambda batch: {name: sum(source.malformed.values()) for name, source in batch.sources.items()},
        ),
        "errors": _summed(played, lambda batch: batch.nulls),
        "keyless": _summed(played, lambda batch: batch.keyless),
    }
    expect |= {name: found for name, found in counts.items() if found}
    late = sum(batch.late for batch in played.batches)
    return expect | ({"late": late} if late else {})


def _summed(played: PlayResult, of: Callable[[PlayedBatch], Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for batch in played.batches:
        for name, count in of(batch).items():
            total[name] = total.get(name, 0) + count
    return {name: count for name, count in total.items() if count}
