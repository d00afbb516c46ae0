"""sample in Spark (`docs/semantics/stateless-steps.md#sample`): chosen by a row's identity, so that a retry
chooses the same rows.
"""

from typing import Final

from jobs.engine.identity import identity_bytes
from jobs.engine.operators.row_filter import keep_rows
from jobs.engine.rows import Rows
from jobs.operators.relation import Relation
from jobs.operators.sample import SampleBound

_HASHES: Final = 2**32


def lower(step: str, bound: SampleBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:  # noqa: ARG001
    """The rows whose hash is below the fraction. Changes of one key have the same hash, so a changelog keeps
    or drops whole keys.
    """
    rows = inputs[0]
    chosen = f"cast(crc32({identity_bytes(rows)}) AS DOUBLE) < {bound.fraction * _HASHES!r}D"
    return keep_rows(rows, chosen, output)
