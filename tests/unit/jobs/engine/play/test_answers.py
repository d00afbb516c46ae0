"""An answer has a bounded size, and says what it leaves out."""

from jobs.engine.play.answers import fitted
from jobs.kafka_messages import Answer
from jobs.play import PlayedBatch, PlayedRow, PlayedRows, PlayResult


def answer(rows: int) -> Answer:
    made = tuple(PlayedRow(key=f'["{at}"]', value={"text": "x" * 100}) for at in range(rows))
    batch = PlayedBatch(
        steps={"step": PlayedRows(rows=rows, first=made)}, outputs={"out": PlayedRows(rows=1)}
    )
    return Answer(ask_id="a", engine_id="e", at_us=1, runs=0, result=PlayResult(batches=(batch,)))


def test_what_fits_is_sent_as_it_is() -> None:
    value, kept = fitted(answer(10), 100_000)
    assert Answer.model_validate_json(value) == kept == answer(10)


def test_rows_are_left_out_until_it_fits_and_counts_stay() -> None:
    value, kept = fitted(answer(100), 5_000)
    step = kept.result.batches[0].steps["step"]
    assert len(value) <= 5_000
    assert (kept.shortened, step.rows, step.truncated) == (True, 100, True)
    assert 0 < len(step.first) < 100


def test_an_answer_that_is_too_large_without_rows_says_so() -> None:
    """Kafka would refuse it, and a person would wait for nothing."""
    given = answer(1)
    batch = given.result.batches[0].model_copy(update={"nulls": {f"step_{at}": 1 for at in range(1_000)}})
    value, kept = fitted(given.model_copy(update={"result": PlayResult(batches=(batch,))}), 5_000)
    assert len(value) <= 5_000
    assert kept.result.problem is not None
    assert kept.result.problem.code == "TOO_LARGE"
