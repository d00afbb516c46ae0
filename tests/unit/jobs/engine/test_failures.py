"""What an error means, whatever names of users its text holds."""

import pytest
from confluent_kafka import KafkaError, KafkaException

from jobs.engine.failures import failure_of

UNKNOWN = "org.apache.kafka.common.errors.TimeoutException: Topic {} not present in metadata after 60000 ms."
EXPIRED = "TimeoutException: Expiring 3 record(s) for {}-0:120000 ms has passed since batch creation"


@pytest.mark.parametrize("text", [UNKNOWN, EXPIRED])
@pytest.mark.parametrize("topic", ["orders", "password-resets", "keystores", "file-checksums"])
def test_a_topic_of_any_name_may_be_unreachable_for_a_while(text: str, topic: str) -> None:
    found = failure_of(text.format(topic), "StreamingQueryException")
    assert (found.code, found.permanent) == ("BROKER_UNREACHABLE", False)


@pytest.mark.parametrize(
    "literal", ["SSLHandshakeException", "OffsetOutOfRange", "OutOfMemoryError", "AnalysisException"]
)
def test_a_document_may_hold_the_names_of_errors(literal: str) -> None:
    """Spark writes the query's plan behind what happened, with the literals of its expressions."""
    plan = f"\n=== Streaming Query ===\nLogical Plan:\nFilter contains(line, {literal})"
    found = failure_of(UNKNOWN.format("logs") + plan, "StreamingQueryException")
    assert (found.code, found.permanent) == ("BROKER_UNREACHABLE", False)
    assert literal in found.raw
    assert failure_of("Job aborted." + plan, "StreamingQueryException").code == "ENGINE_ERROR"


def test_a_full_disk_is_no_damaged_state() -> None:
    text = "[CANNOT_LOAD_STATE_STORE.UNCATEGORIZED] ... RocksDBException: IO error: No space left on device"
    found = failure_of(text, "StreamingQueryException")
    assert (found.code, found.permanent) == ("DISK_FULL", False)


def test_a_result_that_no_restart_makes_smaller_ends_the_run() -> None:
    text = (
        "org.apache.kafka.common.errors.RecordTooLargeException: The message is 9000000 bytes when serialized"
    )
    found = failure_of(text, "StreamingQueryException")
    assert (found.code, found.permanent) == ("RESULT_TOO_LARGE", True)


def test_a_line_that_may_hold_a_secret_is_not_shown() -> None:
    found = failure_of("SaslAuthenticationException: of user weir, password secret\nat x", "KafkaException")
    assert (found.code, found.raw) == ("AUTHENTICATION_FAILED", "at x")


@pytest.mark.parametrize(
    "code",
    [
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
        KafkaError.SASL_AUTHENTICATION_FAILED,
        KafkaError.UNSUPPORTED_SASL_MECHANISM,
        KafkaError._AUTHENTICATION,
    ],
)
def test_what_librdkafka_calls_a_refusal_is_one(code: int) -> None:
    """The engine's own requests fail with its names, Spark's with those of Java's classes."""
    found = failure_of(KafkaException(KafkaError(code)))
    assert (found.code, found.permanent) == ("AUTHENTICATION_FAILED", True)


@pytest.mark.parametrize(
    "text",
    [
        "org.rocksdb.RocksDBException: block checksum mismatch: stored = 1, computed = 2 in 000012.sst",
        "[CHECKPOINT_FILE_CHECKSUM_VERIFICATION_FAILED] Checksum verification failed",
        "org.apache.hadoop.fs.ChecksumException: Checksum error: file:/state/1.delta at 0",
    ],
)
def test_a_damaged_file_of_state_is_known_by_its_checksum(text: str) -> None:
    assert failure_of(text, "StreamingQueryException").code == "STATE_DAMAGED"
