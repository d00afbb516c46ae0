"""Late rows of a step: what may be done with them (`late`), and what flows out of ``step.late``
(`docs/semantics/late-rows.md`).

When a row is late is `late_from` in `jobs/engine/operators/late_rows.py`, which must agree with the time that
each lowering marks for Spark's watermark.
"""

from dataclasses import replace
from typing import Annotated, Final, Literal

from jobs.base.problems import DocumentPath, Problem, problem
from jobs.base.schemas import Field, Schema
from jobs.base.types import LONG, STRING, TIMESTAMP
from jobs.operators.output_fields import check_count
from jobs.operators.parameters import parameter
from jobs.operators.relation import Relation

LatePolicy = Annotated[
    Literal["drop", "dead_letter"],
    parameter(
        "Late rows",
        "What becomes of rows that the watermark has passed; the late output is read as step.late",
        input="late_rows",
        choices={"drop": "Drop and count", "dead_letter": "Send to late output"},
    ),
]
PORT: Final = "late"
LATE_FIELDS: Final = (
    Field("late_step", STRING, nullable=False),
    Field("late_watermark", TIMESTAMP, nullable=False),
    Field("late_by", LONG, nullable=False),
)
LATE_NAMES: Final = frozenset(field.name for field in LATE_FIELDS)


def late_relation(source: Relation) -> Relation:
    """The rows that a step refuses for all their windows: the input row's fields and identity, then which
    step, its lateness watermark, and by how many µs the row came too late.
    """
    kept = tuple(field for field in source.schema if field.name not in LATE_NAMES)
    return replace(source, schema=Schema((*kept, *LATE_FIELDS)), late_rows=True)


def check_late_port(source: Relation, path: DocumentPath) -> list[Problem]:
    """NAME_TAKEN when the input has a field of one of the names that the port adds; PARAMETER_RANGE above 500
    fields.
    """
    taken = [field.name for field in source.schema if field.name in LATE_NAMES]
    problems = [
        problem(
            "NAME_TAKEN",
            path,
            f"The input has a field {name}, which is also added to late rows.",
            "Rename it before this step.",
        )
        for name in taken
    ]
    return problems + (check_count(len(source.schema.fields) + len(LATE_FIELDS), path) if not taken else [])


def read_for_late_port(needed: frozenset[str]) -> frozenset[str]:
    """The input fields behind what is read of the port."""
    return needed - LATE_NAMES
