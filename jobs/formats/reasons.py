"""Why a record is malformed: fixed codes, in the order in which they are tested (`semantics.md` 1.9, 7)."""

from typing import Final

REASONS: Final = (
    "VALUE_NULL",
    "TOO_LARGE",
    "NOT_JSON",
    "TOO_DEEP",
    "NOT_OBJECT",
    "FIELD_TYPE",
    "FIELD_MISSING",
    "TIME_MISSING",
    "TIME_RANGE",
    "TIME_AHEAD",
)
MAX_BYTES: Final = 1_000_000
MAX_DEPTH: Final = 64
