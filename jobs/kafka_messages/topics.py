"""Names of Weir's own topics, and headers of the records in them."""

from typing import Final

RUNS_TOPIC: Final = "weir.runs"
REPORTS_TOPIC: Final = "weir.reports"
ASKS_TOPIC: Final = "weir.asks"  # what the platform asks engines to play
ANSWERS_TOPIC: Final = "weir.answers"  # what they answer; no other reader of theirs reads it
SCHEMAS_TOPIC: Final = "weir.schemas"  # the Avro schemas of all registries, compacted by `schema_key`
WARMUP_TOPIC: Final = "weir.warmup"  # engines read and write it while they warm up; nothing else reads it
RESULTS_PREFIX: Final = "weir.results."
EXCHANGE_PREFIX: Final = "weir.exchange."
DEAD_PREFIX: Final = "weir.dead."

MAX_EXCHANGE_ROW_BYTES: Final = 16 << 20  # a row may contain two records, or many values
MAX_RESULT_BYTES: Final = 8 << 20  # JSON writes some characters as six

HEADER_EPOCH: Final = "epoch"  # decimal text
# Decimal text: Kafka timestamp, in µs, of the newest input included in the result.
HEADER_NEWEST_INPUT: Final = "newest-input"
HEADER_PARTIAL: Final = "partial"  # "1" where the window lacks rows; absent otherwise


def result_topic(run_id: str) -> str:
    """The topic of the results of one generation, by its run."""
    return f"{RESULTS_PREFIX}{run_id}"


def exchange_topic(run_id: str) -> str:
    """The topic of one generation's exchange between its two queries, by its run."""
    return f"{EXCHANGE_PREFIX}{run_id}"


def dead_letter_topic(validator_id: str) -> str:
    """The dead-letter topic of a validator, on the cluster of the validated topic.

    Users can't register or create topics with such names, so no other workspace can take the name.

    Args:
        validator_id: id of the validator's job.
    """
    return f"{DEAD_PREFIX}{validator_id}"
