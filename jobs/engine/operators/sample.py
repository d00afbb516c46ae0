"""sample in Spark (`docs/semantics/stateless-steps.md#sample`): a row's identity decides, so that a retry
decides alike.
"""

from typing import Final

from jobs.engine.identity import identity_text
from jobs.engine.operators.row_filter import keep_rows
from jobs.engine.rows import Rows
from jobs.operators.relation import Relation
from jobs.operators.sample import SampleBound

_HASHES: Final = 2**32


def lower(step: str, bound: SampleBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:  # noqa: ARG001
    """Rows whose hash is small enough. A key of a changelog always has the same hash, so it stays or goes for
    ever.
    """
    rows = inputs[0]
    chosen = f"cast(crc32(cast({identity_text(rows)} AS BINARY)) AS DOUBLE) < {bound.fraction * _HASHES!r}D"
    return keep_rows(rows, chosen, output)
