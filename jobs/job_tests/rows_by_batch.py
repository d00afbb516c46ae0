"""What each batch of a play gave, as a person looks at it."""

from typing import Any, Final

from jobs.job_tests.played_content import content_of, output_form
from jobs.plan import Plan
from jobs.play import PlayedRows, PlayResult

MAX_SHOWN: Final = 200  # rows of all batches and outputs


def rows_by_batch(plan: Plan, played: PlayResult) -> list[dict[str, Any]]:
    """The rows that each batch gave, as a test's batch expects them; the first `MAX_SHOWN` of all.

    Args:
        plan: of the job document that was played.
        played: to its end, or as far as it came.

    Returns:
        JSON values by batch: ``outputs``, each with its ``name``, ``rows`` and the number of those that are
        not shown (``more``), and ``late``, the number of late rows.
    """
    room = MAX_SHOWN
    found = []
    for batch in played.batches:
        outputs = []
        for sink in plan.sinks:
            given = batch.outputs.get(sink.name, PlayedRows())
            rows = _rows(plan, sink.name, given)
            shown = rows[:room]
            room -= len(shown)
            not_kept = given.rows + given.tombstones - len(given.first)
            outputs.append({"name": sink.name, "rows": shown, "more": len(rows) - len(shown) + not_kept})
        found.append({"outputs": outputs, "late": batch.late})
    return found


def _rows(plan: Plan, output: str, given: PlayedRows) -> list[dict[str, Any]]:
    return [row.plain for row in content_of([given], output_form(plan, output), deletions=True).rows]
