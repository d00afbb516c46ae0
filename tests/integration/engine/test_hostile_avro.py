"""What the JVM's decoder says of Avro records that would cost more than their length."""

from typing import Any, Final

import pytest
from pyspark.sql import SparkSession

from jobs.engine.formats.native import decoder_spec
from tests.support.hostile_schemas import HOSTILE_SCHEMAS
from tests.support.wide_records import HOSTILE_AVRO, WideRecord

pytestmark = pytest.mark.integration

_RECORDS: Final = (*HOSTILE_AVRO, *HOSTILE_SCHEMAS)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("record", _RECORDS, ids=[record.title for record in _RECORDS])
def test_the_decoder_says_what_python_says(spark: SparkSession, record: WideRecord) -> None:
    jvm: Any = spark.sparkContext._jvm
    spec = decoder_spec(record.contract, record.contract.read_fields)
    row = jvm.weir.decode.AvroDecoder(spec).decode(record.value)
    status = row.getUTF8String(len(record.contract.fields))
    assert (None if status is None else status.toString()) == record.reason
