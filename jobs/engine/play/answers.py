"""Fits what a play gave into an answer of bounded size."""

from typing import Final

from jobs.kafka_messages import Answer
from jobs.play import PlayedBatch, PlayedRows, PlayProblem, PlayResult

_TOO_LARGE: Final = PlayProblem(
    code="TOO_LARGE", message="Even without its rows the answer is too large. Preview a job with fewer steps."
)


def fitted(answer: Answer, max_bytes: int) -> tuple[bytes, Answer]:
    """The answer as JSON of at most so many bytes: with fewer rows of each step and output where it would be
    larger, and marked as shortened. Counts stay complete; where they alone are larger, it says so.
    """
    value = answer.model_dump_json().encode()
    most = max(
        (
            len(rows.first)
            for batch in answer.result.batches
            for rows in (*batch.outputs.values(), *batch.steps.values())
        ),
        default=0,
    )
    while len(value) > max_bytes and most:
        most //= 2
        answer = answer.model_copy(update={"result": _shortened(answer.result, most), "shortened": True})
        value = answer.model_dump_json().encode()
    if len(value) > max_bytes:
        answer = answer.model_copy(update={"result": PlayResult(problem=_TOO_LARGE)})
        value = answer.model_dump_json().encode()
    return value, answer


def _shortened(result: PlayResult, most: int) -> PlayResult:
    return result.model_copy(update={"batches": tuple(_batch(batch, most) for batch in result.batches)})


def _batch(batch: PlayedBatch, most: int) -> PlayedBatch:
    return batch.model_copy(
        update={
            "outputs": {name: _rows(rows, most) for name, rows in batch.outputs.items()},
            "steps": {name: _rows(rows, most) for name, rows in batch.steps.items()},
        }
    )


def _rows(rows: PlayedRows, most: int) -> PlayedRows:
    if len(rows.first) <= most:
        return rows
    return rows.model_copy(update={"first": rows.first[:most], "truncated": True})
