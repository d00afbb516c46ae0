"""Late rows of a step: the policies for them (`late`), and the late output ``step.late``
(`docs/semantics/late-rows.md`).

`late_from` in `jobs/engine/operators/late_rows.py` decides when a row is late. It must agree with the column
that each lowering marks as the one Spark compares with the watermark.
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
    """The relation of a step's late output: rows that are late for all their windows, with the input row's
    fields and identity, then the step's name, its lateness watermark, and by how many µs the row is late.
    """
    kept = tuple(field for field in source.schema if field.name not in LATE_NAMES)
    return replace(source, schema=Schema((*kept, *LATE_FIELDS)), late_rows=True)


def check_late_port(source: Relation, path: DocumentPath) -> list[Problem]:
    """NAME_TAKEN when the input has a field with a name that the late output adds; PARAMETER_RANGE above 500
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
    """The input fields among the fields that are needed of the late output."""
    return needed - LATE_NAMES
