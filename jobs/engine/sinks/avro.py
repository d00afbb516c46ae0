"""Rows as framed Avro records, by a schema that the platform has registered."""

from collections.abc import Mapping

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.avro.functions import to_avro

from jobs.engine.columns import column
from jobs.formats.framing import framed
from jobs.formats.written_names import NO_NAMES, WrittenPath
from jobs.formats.written_names_sql import written_object_sql
from jobs.kafka_messages import AvroTarget
from jobs.operators.relation import Relation


def row_avro(relation: Relation, target: AvroTarget, names: Mapping[str, WrittenPath] = NO_NAMES) -> Column:
    """Every declared field as one record after its frame.

    Args:
        relation: of the rows; the target's schema has exactly its fields.
        target: schema and id.
        names: where in a record fields are written, of those that are not written as a member of their own
            name.
    """
    row = column(written_object_sql(relation.schema, names))
    return F.concat(F.lit(framed(target.schema_id, b"")), to_avro(row, target.text))
