"""Messages between platform and engine over Kafka, typed (`docs/architecture.md#topics`).

Every value is JSON of one of these models. Readers ignore fields they do not know, so that either side may be
newer. Instants are whole microseconds, sizes bytes, offsets the *next* offset to read unless a name says
otherwise.
"""

from jobs.kafka_messages.desired_run import (
    AvroTarget,
    BoundSource,
    DesiredRun,
    ExchangeTopic,
    Positions,
    RunMode,
    RunTask,
    StartPosition,
)
from jobs.kafka_messages.engine_settings import EngineSettings
from jobs.kafka_messages.message import Message
from jobs.kafka_messages.play_asks import (
    ASK,
    MAX_ANSWER_BYTES,
    MAX_ASK_BYTES,
    Answer,
    Ask,
    CancelAsk,
    PlayAsk,
    PlayFolderAsk,
)
from jobs.kafka_messages.progress import (
    CatchingUp,
    CopyReport,
    MalformedExample,
    PartitionProgress,
    PositionsReport,
    ProgressReport,
    SourceRead,
    StepState,
)
from jobs.kafka_messages.reports import REPORT, Report
from jobs.kafka_messages.run_logs import MAX_LOG_DETAIL, MAX_LOG_MESSAGE, LogLevel, LogLine, LogReport
from jobs.kafka_messages.run_report import Failure, RunReport
from jobs.kafka_messages.run_states import (
    HeartbeatReport,
    ProcessHandle,
    RunHeartbeat,
    RunStateReport,
    StartPhase,
)
from jobs.kafka_messages.topics import (
    ANSWERS_TOPIC,
    ASKS_TOPIC,
    DEAD_PREFIX,
    EXCHANGE_PREFIX,
    HEADER_EPOCH,
    HEADER_NEWEST_INPUT,
    HEADER_PARTIAL,
    MAX_EXCHANGE_ROW_BYTES,
    MAX_RESULT_BYTES,
    REPORTS_TOPIC,
    RESULTS_PREFIX,
    RUNS_TOPIC,
    SCHEMAS_TOPIC,
    WARMUP_TOPIC,
    dead_letter_topic,
    exchange_topic,
    result_topic,
)
from jobs.kafka_messages.validation import ValidatedRange, ValidationReport
from jobs.kafka_messages.writer_schemas import SCHEMAS_WHOLE_KEY, WriterSchema, schema_key

__all__ = [
    "ANSWERS_TOPIC",
    "ASK",
    "ASKS_TOPIC",
    "DEAD_PREFIX",
    "EXCHANGE_PREFIX",
    "HEADER_EPOCH",
    "HEADER_NEWEST_INPUT",
    "HEADER_PARTIAL",
    "MAX_ANSWER_BYTES",
    "MAX_ASK_BYTES",
    "MAX_EXCHANGE_ROW_BYTES",
    "MAX_LOG_DETAIL",
    "MAX_LOG_MESSAGE",
    "MAX_RESULT_BYTES",
    "REPORT",
    "REPORTS_TOPIC",
    "RESULTS_PREFIX",
    "RUNS_TOPIC",
    "SCHEMAS_TOPIC",
    "SCHEMAS_WHOLE_KEY",
    "WARMUP_TOPIC",
    "Answer",
    "Ask",
    "AvroTarget",
    "BoundSource",
    "CancelAsk",
    "CatchingUp",
    "CopyReport",
    "DesiredRun",
    "EngineSettings",
    "ExchangeTopic",
    "Failure",
    "HeartbeatReport",
    "LogLevel",
    "LogLine",
    "LogReport",
    "MalformedExample",
    "Message",
    "PartitionProgress",
    "PlayAsk",
    "PlayFolderAsk",
    "Positions",
    "PositionsReport",
    "ProcessHandle",
    "ProgressReport",
    "Report",
    "RunHeartbeat",
    "RunMode",
    "RunReport",
    "RunStateReport",
    "RunTask",
    "SourceRead",
    "StartPhase",
    "StartPosition",
    "StepState",
    "ValidatedRange",
    "ValidationReport",
    "WriterSchema",
    "dead_letter_topic",
    "exchange_topic",
    "result_topic",
    "schema_key",
]
