"""Records that were read of a source, counted in one pass beside those that are malformed
(`jvm/src/weir/decode/ReadCounts.java`).
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from pyspark.sql import Column

from jobs.engine.columns import column
from jobs.formats.malformed_reasons import REASONS
from jobs.kafka_messages import SourceRead

_NAME: Final = "read"


def read_counts() -> Column:
    """An aggregate over `jobs.engine.formats.decoding.decoded` records, for `source_read`."""
    return column("weir_read_counts(_reason, _partition, _offset)", _NAME)


def source_read(observed: Any) -> SourceRead:
    """The counts of a source's records as a message.

    Args:
        observed: the metric whose only column is `read_counts`; Spark writes it as a list or as an object.
    """
    text = observed[_NAME] if isinstance(observed, Mapping) else observed[0]
    found = json.loads(text)
    malformed = {reason: found["malformed"][reason] for reason in REASONS if reason in found["malformed"]}
    return SourceRead.model_validate({**found, "malformed": malformed})
