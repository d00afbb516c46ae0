"""Translates errors of Spark and Kafka into a `jobs.kafka_messages.Failure` with a code and a plain message
(`docs/spark.md#failures`).
"""

import re
from dataclasses import dataclass
from typing import Final

from jobs.formats.dead_letters import foreign_topic_text
from jobs.kafka_messages import Failure

MAX_RAW: Final = 8_000
_SECRET_LINE: Final = re.compile(r"(?i)jaas|password|sasl\.|keystore|truststore")


@dataclass(frozen=True, slots=True)
class _Rule:
    code: str
    pattern: re.Pattern[str]
    message: str
    permanent: bool


def _rule(code: str, pattern: str, message: str, *, permanent: bool) -> _Rule:
    return _Rule(code, re.compile(pattern), message, permanent)


_RULES: Final = (
    _rule(
        "SUPERSEDED",
        r"CONCURRENT_STREAM_LOG_UPDATE|CONCURRENT_QUERY",
        # Of an epoch that is over nobody asks. This one met the end of the one before.
        "Another engine still wrote to this job's checkpoint. The job resumes automatically.",
        permanent=False,
    ),
    _rule(
        "AUTHENTICATION_FAILED",
        r"SaslAuthenticationException|SslAuthenticationException|SSLHandshakeException"
        r"|TopicAuthorizationException|DecryptionError|GroupAuthorizationException"
        r"|ClusterAuthorizationException"
        # librdkafka's names, of what the engine asks itself
        r"|_AUTHORIZATION_FAILED|SASL_AUTHENTICATION_FAILED|\b_AUTHENTICATION\b|UNSUPPORTED_SASL_MECHANISM",
        (
            "Kafka rejected the credentials, certificate or topic access. Test the connection under Admin "
            "› Kafka clusters. Once you change it there, the job resumes; after a fix on the cluster, resume "
            "the job."
        ),
        permanent=True,
    ),
    _rule(
        "CLUSTER_REFUSED",
        r"ClusterRefusedError",
        (
            "The Kafka cluster of a source leads to the home cluster or to an address that isn't allowed. "
            "Fix the connection under Admin › Kafka clusters, then start the job."
        ),
        permanent=True,
    ),
    _rule(
        "TOPIC_NOT_FOUND",
        r"UnknownTopicOrPartitionException|UNKNOWN_TOPIC_OR_PARTITION|This server does not host this topic",
        "An input or output topic no longer exists. Recreate it or remove it from the job, then start a "
        "new generation.",
        permanent=True,
    ),
    _rule(
        "DATA_LOST",
        r"KAFKA_DATA_LOSS|KAFKA_NULL_TOPIC|OffsetOutOfRange|offset was changed from"
        r"|Some data may have been lost|Cannot find (earliest|latest) offset",
        (
            "Unread records were deleted (retention too short, or topic recreated). Start a new "
            "generation from the earliest record; consider longer retention."
        ),
        permanent=True,
    ),
    # Before the state's own errors, which may have it as their cause.
    _rule(
        "DISK_FULL",
        r"No space left on device|Disk quota exceeded",
        "The disk of checkpoints and state is full. Free some space; the job resumes automatically.",
        permanent=False,
    ),
    _rule(
        "STATE_INCOMPATIBLE",
        r"STATE_STORE_(KEY|VALUE)_SCHEMA_NOT_COMPATIBLE|STATEFUL_OPERATOR_NOT_MATCH"
        r"|CHECKPOINT_FORMAT_V1_NOT_SUPPORTED|STATE_STORE_UNSUPPORTED|The state holds rows of other fields"
        r"|StateLayoutError",
        "Saved state doesn't match this version. Start a new generation.",
        permanent=True,
    ),
    _rule(
        "CHECKPOINT_MISSING",
        r"CheckpointMissingError",
        "The job's checkpoint is gone (see details). Bring its folder back, and the job resumes; otherwise "
        "start a new generation.",
        permanent=False,
    ),
    _rule(
        "STATE_DAMAGED",
        r"CANNOT_LOAD_STATE_STORE|MISSING_METADATA_FILE|CHECKPOINT_FILE_CHECKSUM|ChecksumException"
        r"|checksum mismatch|batch \d+ doesn't exist|FileNotFoundException.*/state/",
        "Saved state is damaged. Start a new generation.",
        permanent=True,
    ),
    _rule(
        "OUT_OF_SLOTS",
        r"CONCURRENT_SCHEDULER_INSUFFICIENT_SLOT",
        "Not enough free task slots: real-time mode needs one per partition. Stop a job, add slots, or "
        "use micro-batch mode.",
        permanent=False,
    ),
    _rule(
        "BROADCAST_TOO_LARGE",
        r"BroadcastTooLargeError",
        "A broadcast table exceeds max_rows (see details). Raise max_rows, filter the table, or remove "
        "broadcast.",
        permanent=True,
    ),
    _rule(
        "RESULT_TOO_LARGE",
        r"RecordTooLargeException",
        "A result is larger than its topic takes (see details). Leave large fields out, or raise "
        "max.message.bytes of the output topic, then start the job.",
        permanent=True,
    ),
    _rule(
        "OUT_OF_MEMORY",
        r"OutOfMemoryError",
        "The engine ran out of memory. Give it more memory, or run fewer jobs on it.",
        permanent=False,
    ),
    _rule(
        "EXECUTOR_LOST",
        r"ExecutorLostFailure",
        "An executor of the Spark cluster ended. The job resumes automatically. If it happens again, look at "
        "the executor's log and memory.",
        permanent=False,
    ),
    _rule(
        "BROKER_UNREACHABLE",
        r"TimeoutException|DisconnectException|BrokerNotAvailable|No resolvable bootstrap"
        r"|Connection to node|NotLeaderOrFollower|SchemasUnreachableError|NetworkException"
        r"|CoordinatorNotAvailable|RetriableException|_TIMED_OUT|_TRANSPORT|_ALL_BROKERS_DOWN"
        r"|REQUEST_TIMED_OUT",
        "Kafka is unreachable. The job resumes automatically.",
        permanent=False,
    ),
    _rule(
        "PLAN_INVALID",
        r"AnalysisException|ParseException|NOT_IN_ALLOWLIST|PlanRefusedError|LoweringError"
        r"|UNSUPPORTED_(FEATURE|STREAMING)|STREAMING_REAL_TIME_MODE",
        "Spark rejected a job that passed validation. Report this bug with the details below.",
        permanent=True,
    ),
)


PLAN_MARK: Final = "\n=== Streaming Query ==="


def failure_of(error: BaseException | str, kind: str = "") -> Failure:
    """The failure that an exception, or its text, stands for; ENGINE_ERROR where no rule matches.

    Args:
        error: what was raised, or Spark's text about a query that ended.
        kind: name of the exception's class, when `error` is a text.
    """
    name = type(error).__name__ if isinstance(error, BaseException) else kind
    told = f"{name}: {error}" if name else str(error)
    raw = without_secrets(
        told
    )  # shown; a line that is left out counts, since topics may have names like secrets
    # Behind the mark Spark writes the query's plan, with the texts and names of its document.
    judged = told.partition(PLAN_MARK)[0]
    for rule in _RULES:
        if rule.pattern.search(judged):
            return Failure(code=rule.code, message=rule.message, raw=raw[:MAX_RAW], permanent=rule.permanent)
    message = "Unexpected Spark error. See details."
    return Failure(code="ENGINE_ERROR", message=message, raw=raw[:MAX_RAW], permanent=False)


def dead_letter_topic_gone(topic: str) -> Failure:
    """The topic of a validator's dead letters was deleted."""
    message = f"Dead letter topic {topic} was deleted. Turn contract validation on again to create a new one."
    return Failure(code="TOPIC_NOT_FOUND", message=message, permanent=True)


def topic_foreign(topic: str) -> Failure:
    """A topic with the name of a validator's dead-letter topic was not created by the service."""
    return Failure(code="TOPIC_FOREIGN", message=foreign_topic_text(topic), permanent=True)


def topic_recreated(topic: str) -> Failure:
    """An input topic has another id than when the run began."""
    message = f"Topic {topic} was recreated, so saved offsets are invalid. Start a new generation."
    return Failure(code="TOPIC_RECREATED", message=message, permanent=True)


def topic_gone(topic: str) -> Failure:
    """An input topic does not exist."""
    message = (
        f"Topic {topic} no longer exists. Recreate it or remove it from the job, then start a new generation."
    )
    return Failure(code="TOPIC_NOT_FOUND", message=message, permanent=True)


def topic_not_known_yet(raw: str) -> Failure:
    """A broker did not know a topic that exists: one that was made a moment ago, on a busy broker."""
    message = "A Kafka broker doesn't know a topic of this job yet. The job resumes automatically."
    return Failure(code="BROKER_UNREACHABLE", message=message, raw=raw, permanent=False)


def exchange_topic_lost(topic: str) -> Failure:
    """The exchange topic of a run was deleted or recreated."""
    message = (
        f"Internal topic {topic} was deleted, and rows in transit between the job's queries are lost. "
        "Start a new generation."
    )
    return Failure(code="TOPIC_NOT_FOUND", message=message, permanent=True)


def without_secrets(text: str) -> str:
    """The text without lines that may hold credentials, and without control characters."""
    kept = (line for line in text.splitlines() if not _SECRET_LINE.search(line))
    return "\n".join("".join(c if c >= " " or c == "\t" else " " for c in line) for line in kept)
