"""branch: rows by condition into named outputs ``step.name`` (`docs/semantics/stateless-steps.md#branch`)."""

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import Field

from jobs.base.problems import DocumentPath, Problem, has_errors, problem, warning
from jobs.expressions import Expression
from jobs.expressions.write_spark import any_of
from jobs.operators.expression_checks import condition_over
from jobs.operators.field_digests import same_meanings
from jobs.operators.forecasts import one_row
from jobs.operators.lineage import same_columns
from jobs.operators.operator import stateless_operator
from jobs.operators.output_fields import check_name
from jobs.operators.parameters import ExpressionText, InputText, NameText, Parameters, parameter
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import Needed, expression_fields
from jobs.operators.script_step import ScriptStep, passing


class BranchStep(Parameters):
    """Send rows to named outputs, read as ``step.name``.

    With `match` first a row goes to the first branch whose condition is true, with all to every such branch;
    null counts as not true. Rows that no condition holds for go to `rest`, where one is named.
    """

    op: Literal["branch"]
    input: InputText
    branches: Annotated[
        dict[str, ExpressionText],
        Field(min_length=1, max_length=50),
        parameter(
            "Branches: name, condition",
            "Condition of each branch, which is read as step.name; null counts as false",
            example={"errors": "level = 'ERROR'"},
            input="mapping",
            entry="branch",
            keys="name",
            values="expression",
        ),
    ]
    match: Annotated[
        Literal["first", "all"],
        parameter(
            "Routing",
            "Where a row goes that meets several conditions",
            choices={"first": "First match", "all": "All matches"},
        ),
    ] = "first"
    rest: Annotated[
        NameText | None,
        parameter("Default branch", "Leave empty to drop unmatched rows", example="others", inline=True),
    ] = None


@dataclass(frozen=True, slots=True)
class BranchBound:
    """The outputs and their conditions, in order; with `first` a row goes only to the first output whose
    condition is true. `rest` (may be None) is the output of rows for which no condition is true.
    """

    branches: tuple[tuple[str, Expression], ...]
    first: bool
    rest: str | None

    @property
    def conditions(self) -> dict[str, str]:
        """By output, Spark SQL (never null) of the condition for a row to go there."""
        holds = [(name, f"coalesce({condition.sql}, false)") for name, condition in self.branches]
        found: dict[str, str] = {}
        for at, (name, condition) in enumerate(holds):
            earlier = [other for _, other in holds[:at]] if self.first else []
            found[name] = f"{condition} AND NOT ({any_of(earlier)})" if earlier else condition
        if self.rest is not None:
            found[self.rest] = f"NOT ({any_of([condition for _, condition in holds])})"
        return found


def fields_read(bound: BranchBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """The fields that are needed of any output, and the fields of the conditions."""
    return (
        frozenset[str]().union(*needed.values())
        | expression_fields(condition for _, condition in bound.branches),
    )


def check(params: BranchStep, inputs: tuple[Relation, ...], path: DocumentPath) -> StepCheck[BranchBound]:
    """Any input → the same schema, kind, identity and slack on every output. Warns BRANCH_UNREACHABLE."""
    source = inputs[0]
    problems: list[Problem] = []
    conditions: list[tuple[str, Expression]] = []
    for name, text in params.branches.items():
        field_path = (*path, "branches", name)
        condition, found = condition_over(source, text, field_path)
        problems += [*check_name(name, field_path), *found]
        if condition is None:
            continue
        problems += _unreachable(params, condition, [earlier for _, earlier in conditions], field_path)
        conditions.append((name, condition))
    if params.rest is not None:
        problems += _check_rest(
            params, params.rest, [condition for _, condition in conditions], (*path, "rest")
        )
    ports = dict.fromkeys([*params.branches, *([params.rest] if params.rest is not None else [])], source)
    complete = len(conditions) == len(params.branches) and not has_errors(problems)
    bound = BranchBound(tuple(conditions), params.match == "first", params.rest) if complete else None
    return StepCheck(bound, source, problems, ports, only_ports=True)


def _check_rest(
    params: BranchStep, rest: str, conditions: list[Expression], path: DocumentPath
) -> list[Problem]:
    found = check_name(rest, path)
    if rest in params.branches:
        found.append(
            problem("NAME_TAKEN", path, f"A branch named {rest} already exists.", "Choose another name.")
        )
    if any(_always(condition) for condition in conditions):
        found.append(
            _warning(
                path, f"Unreachable: another branch of this step matches every row, so {rest} gets none."
            )
        )
    return found


def _unreachable(
    params: BranchStep, condition: Expression, earlier: list[Expression], path: DocumentPath
) -> list[Problem]:
    if condition.literal is False:
        return [_warning(path, "Unreachable: the condition is always false.")]
    if params.match == "all":
        return []
    if any(_always(other) for other in earlier):
        return [_warning(path, "Unreachable: an earlier branch matches every row.")]
    if any(other.canonical == condition.canonical for other in earlier):
        return [_warning(path, "Unreachable: an earlier branch has the same condition.")]
    return []


def _always(condition: Expression) -> bool:
    return condition.literal is True


def _warning(path: DocumentPath, message: str) -> Problem:
    return warning("BRANCH_UNREACHABLE", path, message, "Remove the branch or reorder the branches.")


def script(step: ScriptStep, bound: BranchBound) -> list[str]:
    """Lines with one filter per named output."""
    return [line for name, condition in bound.conditions.items() for line in passing(step, name, condition)]


def deletes(bound: BranchBound, upstream: bool) -> bool:  # noqa: ARG001
    """True: a row deletes its key in the outputs it does not go to, because an earlier row may have gone
    there.
    """
    return True


OPERATOR: Final = stateless_operator(
    name="branch",
    parameters=BranchStep,
    summary="Route rows by condition to named outputs.",
    example="{op: branch, input: logs, branches: {errors: \"level = 'ERROR'\"}, rest: others}",
    check=check,
    fields_read=fields_read,
    row_wise=True,
    keeps_rows=False,
    rows_out=one_row,
    meanings=same_meanings,
    lineage=same_columns,
    script=script,
    deletes=deletes,
)
