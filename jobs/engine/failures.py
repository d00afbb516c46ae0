"""What went wrong, in plain words: Spark's and Kafka's errors as codes of `jobs.messages.Failure` (`docs/spark.md#failures`)."""

import re
from dataclasses import dataclass
from typing import Final

from jobs.formats.dead_letters import foreign_topic_text
from jobs.messages import Failure

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
        "Another engine runs the same generation. This one has stopped; nothing needs to be done.",
        permanent=True,
    ),
    _rule(
        "CREDENTIALS_REFUSED",
        r"SaslAuthenticationException|SslAuthenticationException|SSLHandshakeException|TopicAuthorizationException|SealError"
        r"|GroupAuthorizationException|ClusterAuthorizationException",
        "The Kafka cluster refused the user, the password or the certificate, or the user may not read the topic. "
        "Try the cluster's connection under Admin, mend it there, and start the job again.",
        permanent=True,
    ),
    _rule(
        "CLUSTER_REFUSED",
        r"ClusterRefusedError",
        "The cluster of a source leads to the home cluster, or to an address that clusters may not have here. "
        "Mend the cluster's connection under Admin, and start the job again.",
        permanent=True,
    ),
    _rule(
        "TOPIC_GONE",
        r"UnknownTopicOrPartitionException|UNKNOWN_TOPIC_OR_PARTITION|This server does not host this topic",
        "An input or result topic does not exist any more. Create it again or remove the stream, then start the job anew.",
        permanent=True,
    ),
    _rule(
        "DATA_LOST",
        r"KAFKA_DATA_LOSS|KAFKA_NULL_TOPIC|OffsetOutOfRange|offset was changed from|Some data may have been lost"
        r"|Cannot find (earliest|latest) offset",
        "Records that the job had not read yet are gone from the topic: it kept them for too short a time, or was recreated. "
        "Start again from the earliest records that are left, or with a new generation.",
        permanent=True,
    ),
    _rule(
        "STATE_INCOMPATIBLE",
        r"STATE_STORE_(KEY|VALUE)_SCHEMA_NOT_COMPATIBLE|STATEFUL_OPERATOR_NOT_MATCH|CHECKPOINT_FORMAT_V1_NOT_SUPPORTED"
        r"|STATE_STORE_UNSUPPORTED",
        "The stored state belongs to another form of this job. Start a new generation.",
        permanent=True,
    ),
    _rule(
        "STATE_DAMAGED",
        r"CANNOT_LOAD_STATE_STORE|MISSING_METADATA_FILE|CHECKPOINT_FILE_CHECKSUM|checksum|batch \d+ doesn't exist"
        r"|FileNotFoundException.*/state/",
        "The stored state cannot be read. Start a new generation from the last known positions or from earliest.",
        permanent=True,
    ),
    _rule(
        "OUT_OF_SLOTS",
        r"CONCURRENT_SCHEDULER_INSUFFICIENT_SLOT",
        "The engine has too few free task slots: in real-time mode every partition holds one. Stop another job, raise the engine's slots, "
        "or use micro-batch mode.",
        permanent=False,
    ),
    _rule(
        "BROADCAST_LARGE",
        r"CopyTooLargeError",
        "A table that the job copies (broadcast) has more rows than max_rows allows; the text below says which. Raise max_rows, "
        "let fewer rows through with a filter before the join, or leave broadcast out: the table is then joined as it changes.",
        permanent=True,
    ),
    _rule("OUT_OF_MEMORY", r"OutOfMemoryError", "The engine ran out of memory. Give it more, or run fewer jobs on it.", permanent=False),
    _rule(
        "BROKER_UNREACHABLE",
        r"TimeoutException|DisconnectException|BrokerNotAvailable|No resolvable bootstrap|Connection to node|NotLeaderOrFollower"
        r"|SchemasUnreachableError|NetworkException|CoordinatorNotAvailable|RetriableException|_TIMED_OUT|_TRANSPORT|_ALL_BROKERS_DOWN|REQUEST_TIMED_OUT",
        "The Kafka cluster does not answer. The job waits and goes on by itself when it is back.",
        permanent=False,
    ),
    _rule(
        "PLAN_REFUSED",
        r"AnalysisException|ParseException|NOT_IN_ALLOWLIST|PlanRefusedError|LoweringError|UNSUPPORTED_(FEATURE|STREAMING)"
        r"|STREAMING_REAL_TIME_MODE",
        "The engine cannot run this job as it is written. This is a defect of the check that let it through: please report it "
        "with the text below.",
        permanent=True,
    ),
)


def failure_of(error: BaseException | str, kind: str = "") -> Failure:
    """The failure behind an exception or an exception's text.

    Args:
        error: what was raised, or what Spark says of a query that ended.
        kind: name of the exception's class, when `error` is text.
    """
    name = type(error).__name__ if isinstance(error, BaseException) else kind
    raw = without_secrets(f"{name}: {error}" if name else str(error))
    for rule in _RULES:
        if rule.pattern.search(raw):
            return Failure(code=rule.code, message=rule.message, raw=raw[:MAX_RAW], permanent=rule.permanent)
    message = "The engine met an error that it does not know. The text below is Spark's own."
    return Failure(code="ENGINE_ERROR", message=message, raw=raw[:MAX_RAW], permanent=False)


def dead_topic_gone(topic: str) -> Failure:
    """The topic of a guard's dead letters was deleted."""
    message = f"The topic {topic}, in which the dead letters were kept, was deleted. Switch the guard on again; it makes a new one."
    return Failure(code="TOPIC_GONE", message=message, permanent=True)


def topic_foreign(topic: str) -> Failure:
    """A topic of the name of a guard's dead letters was made by somebody else."""
    return Failure(code="TOPIC_FOREIGN", message=foreign_topic_text(topic), permanent=True)


def topic_recreated(topic: str) -> Failure:
    """An input has another id than the one that the run began with."""
    message = (
        f"The topic {topic} was deleted and created again, so the stored positions mean nothing in it. "
        "Start a new generation: from its earliest records, or from now."
    )
    return Failure(code="TOPIC_RECREATED", message=message, permanent=True)


def topic_gone(topic: str) -> Failure:
    """An input does not exist."""
    message = f"The topic {topic} does not exist any more. Create it again or remove the stream, then start the job anew."
    return Failure(code="TOPIC_GONE", message=message, permanent=True)


def exchange_topic_lost(topic: str) -> Failure:
    """The exchange topic of a run was deleted or recreated."""
    message = (
        f"The internal topic {topic} between the job's two queries was deleted, and the rows waiting in it are lost. "
        "Start a new generation: from its earliest records, or from now."
    )
    return Failure(code="TOPIC_GONE", message=message, permanent=True)


def without_secrets(text: str) -> str:
    """The text without lines that may hold credentials, and without control characters."""
    kept = (line for line in text.splitlines() if not _SECRET_LINE.search(line))
    return "\n".join("".join(c if c >= " " or c == "\t" else " " for c in line) for line in kept)
