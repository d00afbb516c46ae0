"""The rows of each batch for people: the first of them, and how many there are beside."""

from jobs.job_tests.rows_by_batch import MAX_SHOWN, rows_by_batch
from jobs.plan import plan_job
from jobs.play import PlayedBatch, PlayedRow, PlayedRows, PlayResult
from tests.support.plan_helpers import contract

DOCUMENT = {
    "format": 1,
    "name": "copied",
    "sources": {"s": {"stream": "s"}},
    "outputs": {"out": {"input": "s", "to": "result"}},
}


def test_rows_that_the_play_did_not_keep_are_counted_too() -> None:
    rows = tuple(PlayedRow(key=f'["{at}"]', value={}) for at in range(MAX_SHOWN + 50))
    first = PlayedRows(rows=1_500, first=rows, truncated=True)
    second = PlayedRows(rows=2, tombstones=1, first=rows[:3])
    played = PlayResult(
        batches=(PlayedBatch(outputs={"out": first}), PlayedBatch(outputs={"out": second}, late=2))
    )
    found = rows_by_batch(plan_job(DOCUMENT, {"s": contract()}), played)
    assert [(len(one["rows"]), one["more"]) for batch in found for one in batch["outputs"]] == [
        (MAX_SHOWN, 1_500 - MAX_SHOWN),
        (0, 3),
    ]
    assert [batch["late"] for batch in found] == [0, 2]


def test_a_row_whose_window_ends_after_the_year_9999_is_shown() -> None:
    far = PlayedRow(key='["a"]', value={"n": 1}, at_us=253_402_300_800_000_000)
    played = PlayResult(batches=(PlayedBatch(outputs={"out": PlayedRows(rows=1, first=(far,))}),))
    (batch,) = rows_by_batch(plan_job(DOCUMENT, {"s": contract()}), played)
    assert [output["rows"] for output in batch["outputs"]] == [[{"n": 1}]]
