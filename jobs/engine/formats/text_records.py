"""Plain texts in Spark."""

from pyspark.sql import DataFrame

from jobs.engine.columns import column
from jobs.engine.formats.decode_columns import BODY, PRE_STATUS, VALUE_STATUS, kept_columns, utf8_sql
from jobs.formats.source_paths import ReadField


def read_text(frame: DataFrame, fields: tuple[ReadField, ...]) -> DataFrame:
    """The one field of a text; parameters and result as of `jobs.engine.formats.json_records.read_json`."""
    status = (
        f"CASE WHEN {PRE_STATUS} IS NOT NULL THEN {PRE_STATUS} WHEN {utf8_sql(BODY)} IS NULL "
        "THEN 'NOT_TEXT' END"
    )
    rest = [column(name) for name in kept_columns(frame.columns, BODY, PRE_STATUS)]
    return frame.select(*rest, column(utf8_sql(BODY), fields[0].name), column(status, VALUE_STATUS))
