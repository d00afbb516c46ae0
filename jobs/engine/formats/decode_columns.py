"""Columns that the steps of decoding share, on the way from bytes to rows."""

from typing import Final

from jobs.base.schemas import Field
from jobs.engine.columns import quoted
from jobs.expressions.spark_types import schema_sql
from jobs.formats.source_paths import ReadField

BODY: Final = "_body"
"""BINARY: what is decoded; for Python null where `PRE_STATUS` says more."""
PRE_STATUS: Final = "_pre_status"
"""STRING: what is known before decoding: a reason, `DELETED` or `SKIPPED`; null where the body counts."""
VALUE_STATUS: Final = "_status"
"""STRING: what decoding found: a reason, `DELETED` or `SKIPPED`; null for a row."""
KEY_STATUS: Final = "_key_status"
"""STRING: a reason; null where the key is valid."""
DELETED: Final = "DELETED"
SKIPPED: Final = "SKIPPED"


def unused_sql(field: Field | ReadField) -> str:
    """A null of a field's type."""
    return f"cast(NULL AS {schema_sql(field.type)})"


def kept_columns(frame_columns: list[str], *gone: str) -> list[str]:
    """The columns of a frame without those that a step has used up, quoted."""
    return [quoted(name) for name in frame_columns if name not in gone]
