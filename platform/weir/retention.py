"""How long everything is kept: what no person chooses, and the defaults of what they do.

People choose how long windowed results are kept, by job (`jobs.document_parts.Settings.retention`), how long
a topic that they create keeps its records, and when an API token expires. Caches and locks of seconds are not
listed: they stand beside what they spare. `docs/architecture.md#retention` says what is never deleted.
"""

from datetime import timedelta
from typing import Final

_HOUR_MS: Final = 3_600_000
_DAY_MS: Final = 24 * _HOUR_MS

# Kafka topics. Only closed segments are deleted or compacted, so these are kept small.
SEGMENT_MS: Final = 600_000
SEGMENT_BYTES: Final = 64 << 20
COMPACTION_LAG_MS: Final = _HOUR_MS  # at most, of compacted topics
REPORTS_RETENTION_MS: Final = _DAY_MS
WARMUP_RETENTION_MS: Final = _HOUR_MS
ASKS_RETENTION_MS: Final = _HOUR_MS  # asks and answers of previews: they hold records of streams
DEAD_LETTER_RETENTION_MS: Final = 14 * _DAY_MS  # their rows in the database go with them
EXCHANGE_RETENTION_MS: Final = (
    -1
)  # until read, however long the job is stopped; the engine deletes what it has read
RESULT_TOMBSTONE_RETENTION_MS: Final = _DAY_MS
# A cursor has to find every tombstone since; the margin is for the time that catching up takes.
CURSOR_MAX_AGE_US: Final = RESULT_TOMBSTONE_RETENTION_MS * 1_000 * 8 // 10

# The database of results
RESULT_MAX_ROWS: Final = (
    500_000  # per append-only result; Kafka keeps older ones until the topic's retention ends
)
LAG_HISTORY_MAX_SAMPLES: Final = (
    3_600  # end offsets per partition, in memory: an hour at one sample per second
)
# History of jobs and consumer groups: seconds that a point stands for → how long it is kept, µs
METRIC_HISTORY: Final = {10: 3_600_000_000, 60: 86_400_000_000, 900: 30 * 86_400_000_000}
RESULT_PURGE_INTERVAL_S: Final = 30.0

# The control database
HOURLY_COUNTS_RETENTION: Final = timedelta(days=7)  # of validation; merged then. The page shows a day by hour
STOPPED_ENGINE_RETENTION: Final = timedelta(days=7)
SAVED_SCAN_TTL: Final = timedelta(minutes=10)  # unfinished scans of tables
SAVED_SCANS_PER_STREAM: Final = 16
SAVED_SCANS_MAX_BYTES: Final = 64 * 1024 * 1024  # of all streams
TICKET_TTL: Final = timedelta(seconds=30)  # of a WebSocket
SIGN_IN_LINK_TTL: Final = timedelta(minutes=15)
API_TOKEN_DEFAULT_DAYS: Final = 90
API_TOKEN_MAX_DAYS: Final = 3650
SHARE_LINK_DEFAULT_DAYS: Final = 7
SHARE_LINK_MAX_DAYS: Final = 90
ENDED_SHARE_LINK_RETENTION: Final = timedelta(
    days=30
)  # after it expired or was revoked, when it is listed so
ENDED_TOKEN_RETENTION: Final = timedelta(days=30)  # after its expiry, when it is listed as expired
ALERT_RETENTION: Final = timedelta(days=90)  # after it was resolved
MAX_ALERTS: Final = 50_000  # of a workspace, of those that are resolved: a rule may fire for each row
NOTIFICATION_RETENTION: Final = timedelta(days=30)  # the delivery log
MAX_NOTIFICATIONS: Final = 10_000  # of a workspace, of those that have ended
LINEAGE_EVENT_RETENTION: Final = timedelta(days=7)  # after they were sent, or given up
REPEATED_ATTEMPTS_PER_RUN: Final = 100  # the newest that failed of what is around the run
SUPERSEDED_RETENTION: Final = timedelta(minutes=10)  # topics and checkpoint of a generation, from the next on
LOG_LINE_RETENTION: Final = timedelta(days=14)  # what engines log about runs
LOG_LINES_PER_RUN: Final = 2_000  # the newest
LOG_SIZE_PER_RUN: Final = 1024 * 1024  # characters, likewise
ENGINE_LOG_BYTES: Final = 10 << 20  # of what an engine's process writes; as much again of what was before
EVENT_RETENTION: Final = timedelta(days=400)  # the audit trail: a year, and time to look back on it
WRONG_PASSWORDS_TTL: Final = timedelta(minutes=15)  # how long they count
PURGE_INTERVAL_S: Final = 600.0
COUNTS_PURGE_INTERVAL_S: Final = 3_600.0
DEAD_LETTER_PURGE_INTERVAL_S: Final = 3_600.0
