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
FRAME_HEAD: Final = 5


def utf8_sql(bytes_sql: str) -> str:
    """The text of some bytes, or null where they are no UTF-8."""
    return f"if(is_valid_utf8(cast({bytes_sql} AS STRING)), cast({bytes_sql} AS STRING), NULL)"


def is_framed_sql(bytes_sql: str) -> str:
    """True where bytes begin with a frame; null for null."""
    return f"(octet_length({bytes_sql}) >= {FRAME_HEAD} AND hex(substring({bytes_sql}, 1, 1)) = '00')"


def unused_sql(field: Field | ReadField) -> str:
    """A null of a field's type."""
    return f"cast(NULL AS {schema_sql(field.type)})"


def kept_columns(frame_columns: list[str], *gone: str) -> list[str]:
    """The columns of a frame without those that a step has used up, quoted."""
    return [quoted(name) for name in frame_columns if name not in gone]
