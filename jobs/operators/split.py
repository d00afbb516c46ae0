"""split: one row per word or piece of a text (`docs/semantics/stateless-steps.md#split`)."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field as Parameter

from jobs.base.problems import Problem, has_errors, problem
from jobs.base.schemas import Field, Schema
from jobs.base.types import INT, STRING, type_text
from jobs.operators.append_only import require_append_only
from jobs.operators.output_fields import check_count, check_name, nearest
from jobs.operators.parameters import NameText, Parameters
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import Needed


class SplitStep(Parameters):
    """One row per piece of `field`: its other fields, then the piece as `as`.

    `by` is ``words`` (maximal runs of letters, marks, digits and _) or a text to cut at; empty pieces are dropped.
    """

    op: Literal["split"]
    input: NameText
    field: NameText
    as_: Annotated[NameText, Parameter(alias="as")] = "word"
    by: Annotated[str, Parameter(max_length=100)] = "words"
    lower: bool = False


@dataclass(frozen=True, slots=True)
class SplitBound:
    """What to cut: `by` is ``words`` or the literal text to cut at; `as_` is not null, positions count from 0."""

    field: str
    as_: str
    by: str
    lower: bool


def fields_read(bound: SplitBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """What is read below but the piece, and the text itself."""
    return ((needed.get("", frozenset()) - {bound.as_}) | {bound.field},)


def check(params: SplitStep, inputs: tuple[Relation, ...], path: tuple[str, ...]) -> StepCheck[SplitBound]:
    """Append → append; the split field is replaced by the piece, which comes last; identity gets the position."""
    source = inputs[0]
    kept = tuple(field for field in source.schema if field.name != params.field)
    problems = [*_check_field(params, source, path), *_check_piece(params, source, path)]
    problems += check_count(len(kept) + 1, path)
    problems += require_append_only(source, (*path, "input"), "split")
    schema = Schema((*(f for f in kept if f.name != params.as_), Field(params.as_, STRING, nullable=False)))
    untyped = source.untyped - {params.field, params.as_}
    output = replace(source, schema=schema, kind="append", index_types=(*source.index_types, INT), untyped=untyped)
    bound = SplitBound(params.field, params.as_, params.by, params.lower)
    return StepCheck(None if has_errors(problems) else bound, output, problems)


def _check_field(params: SplitStep, source: Relation, path: tuple[str, ...]) -> list[Problem]:
    field_path = (*path, "field")
    field = source.schema.get(params.field)
    if field is None:
        if source.has(params.field):
            return []
        return [problem("FIELD_UNKNOWN", field_path, f"Unknown field {params.field!r}.", nearest(params.field, source.schema.names))]
    if field.type != STRING:
        return [
            problem(
                "TYPE_MISMATCH",
                field_path,
                f"split needs a string; {field.name} has type {type_text(field.type)}.",
                "Choose a string field.",
            )
        ]
    return []


def _check_piece(params: SplitStep, source: Relation, path: tuple[str, ...]) -> list[Problem]:
    found = check_name(params.as_, (*path, "as"))
    if params.as_ != params.field and params.as_ in source.schema:
        found.append(problem("NAME_TAKEN", (*path, "as"), f"The input already has a field {params.as_}.", "Choose another name."))
    if params.by == "":
        found.append(problem("PARAMETER_RANGE", (*path, "by"), "The separator is empty.", 'Use words, or a separator such as ",".'))
    return found
