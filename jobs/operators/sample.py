"""sample: a share of the rows, the same ones whenever they are read again
(`docs/semantics/stateless-steps.md#sample`).
"""

from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from jobs.base.problems import DocumentPath, has_errors, problem
from jobs.expressions.spark_types import quoted
from jobs.operators.field_digests import same_meanings
from jobs.operators.forecasts import one_row
from jobs.operators.identity_sql import identity_sql
from jobs.operators.lineage import same_columns
from jobs.operators.operator import stateless_operator
from jobs.operators.parameters import InputText, Parameters, parameter
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import reads_all
from jobs.operators.script_step import ScriptStep

_HASHES: Final = 2**32


class SampleStep(Parameters):
    """Keep about `fraction` of the rows (0 < fraction ≤ 1), chosen by their identity: a retry keeps the
    same."""

    op: Literal["sample"]
    input: InputText
    fraction: Annotated[
        float,
        parameter("Sample fraction", "0 to 1; deterministic per row", example=0.1, inline=True),
    ]


@dataclass(frozen=True, slots=True)
class SampleBound:
    """The share of rows to keep: a row is kept when crc32(identity) < fraction · 2^32."""

    fraction: float


def check(params: SampleStep, inputs: tuple[Relation, ...], path: DocumentPath) -> StepCheck[SampleBound]:
    """Any input → the same schema, kind, identity and slack. PARAMETER_RANGE."""
    problems: list[Any] = []
    if not 0 < params.fraction <= 1:
        message = f"{params.fraction:g} isn't a valid fraction."
        problems.append(
            problem(
                "PARAMETER_RANGE",
                (*path, "fraction"),
                message,
                "fraction must be > 0 and ≤ 1, e.g. 0.1 for 10%.",
            )
        )
    return StepCheck(None if has_errors(problems) else SampleBound(params.fraction), inputs[0], problems)


def script(step: ScriptStep, bound: SampleBound) -> list[str]:
    """Lines that keep the rows whose identity has a small enough hash."""
    parts = [(quoted(name), of) for name, of in step.inputs[0].parts]
    hashed = f"cast(crc32(cast({identity_sql(parts)} AS BINARY)) AS DOUBLE)"
    chosen = f"{hashed} < {bound.fraction * _HASHES!r}D"
    return [
        "# by the row's identity, so that the same rows are chosen whenever they are read",
        f"{step.rows} = {step.input()}.where({chosen!r})",
    ]


OPERATOR: Final = stateless_operator(
    name="sample",
    parameters=SampleStep,
    summary="A deterministic sample of the rows.",
    example="{op: sample, input: trades, fraction: 0.1}",
    check=check,
    fields_read=reads_all,
    row_wise=True,
    keeps_rows=False,
    rows_out=one_row,
    meanings=same_meanings,
    lineage=same_columns,
    script=script,
)
