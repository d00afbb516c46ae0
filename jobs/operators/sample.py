"""sample: a share of the rows, the same ones whenever they are read again (`docs/semantics/stateless-steps.md#sample`)."""

from dataclasses import dataclass
from typing import Any, Literal

from jobs.base.problems import has_errors, problem
from jobs.operators.parameters import NameText, Parameters
from jobs.operators.relation import Relation, StepCheck


class SampleStep(Parameters):
    """Keep about `fraction` of the rows (0 < fraction ≤ 1), chosen by their identity: a retry keeps the same."""

    op: Literal["sample"]
    input: NameText
    fraction: float


@dataclass(frozen=True, slots=True)
class SampleBound:
    """The share; a row stays when crc32(identity) < fraction · 2^32."""

    fraction: float


def check(params: SampleStep, inputs: tuple[Relation, ...], path: tuple[str, ...]) -> StepCheck[SampleBound]:
    """Any input → the same schema, kind, identity and slack. PARAMETER_RANGE."""
    problems: list[Any] = []
    if not 0 < params.fraction <= 1:
        message = f"{params.fraction:g} isn't a valid fraction."
        problems.append(problem("PARAMETER_RANGE", (*path, "fraction"), message, "fraction must be > 0 and ≤ 1, e.g. 0.1 for 10%."))
    return StepCheck(None if has_errors(problems) else SampleBound(params.fraction), inputs[0], problems)
