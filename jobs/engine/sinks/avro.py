"""Rows as framed Avro records, by a schema that the platform has registered."""

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.avro.functions import to_avro

from jobs.engine.columns import column, quoted
from jobs.formats.framing import framed
from jobs.messages import AvroTarget
from jobs.operators.relation import Relation


def row_avro(relation: Relation, target: AvroTarget) -> Column:
    """Every declared field as one record behind its frame.

    Args:
        relation: of the rows; the target's schema has exactly its fields.
        target: schema and id.
    """
    row = F.struct(*(column(quoted(field.name), field.name) for field in relation.schema))
    return F.concat(F.lit(framed(target.number, b"")), to_avro(row, target.text))
