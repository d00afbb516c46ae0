"""Why a record is malformed: fixed codes, in the order in which they are tested
(`docs/semantics/records-and-formats.md`).
"""

from typing import Final

REASONS: Final = (
    "VALUE_NULL",
    "TOO_LARGE",
    "NOT_FRAMED",
    "SCHEMA_UNKNOWN",
    "SCHEMA_MISMATCH",
    "NOT_AVRO",
    "NOT_TEXT",
    "NOT_CSV",
    "COLUMN_COUNT",
    "NOT_JSON",
    "TOO_DEEP",
    "NOT_OBJECT",
    "NOT_CHANGE",
    "FIELD_TYPE",
    "KEY_NULL",
    "KEY_INVALID",
    "FIELD_MISSING",
    "TIME_MISSING",
    "TIME_RANGE",
    "TIME_AHEAD",
)
MAX_BYTES: Final = 1_000_000
MAX_DEPTH: Final = 64
