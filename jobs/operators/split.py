"""split: one row per word or piece of a text (`docs/semantics/stateless-steps.md#split`)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, Final, Literal

from pydantic import Field as Parameter

from jobs.base.problems import DocumentPath, Problem, has_errors, problem
from jobs.base.schemas import Field, Schema
from jobs.base.types import INT, STRING, type_text
from jobs.expressions.spark_types import quoted
from jobs.expressions.texts_sql import string_sql
from jobs.operators.append_only import require_append_only
from jobs.operators.field_digests import FieldDigests, digest
from jobs.operators.forecasts import pieces
from jobs.operators.lineage import ColumnSources, renamed_columns
from jobs.operators.operator import stateless_operator
from jobs.operators.output_fields import check_count, check_name, nearest
from jobs.operators.parameters import InputText, NameText, Parameters, parameter
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import Needed
from jobs.operators.script_step import ScriptStep, selected

_WORD: Final = r"[\p{L}\p{M}\p{N}_]+"


class SplitStep(Parameters):
    """One row per piece of `field`: its other fields, then the piece as `as`.

    `by` is ``words`` (maximal runs of letters, marks, digits and _) or a text to cut at; empty pieces are
    dropped.
    """

    op: Literal["split"]
    input: InputText
    field: Annotated[
        NameText,
        parameter(
            "Text field",
            "Field to split; a row with null gives no rows",
            example="line",
            input="field",
            types=("string",),
        ),
    ]
    as_: Annotated[
        NameText, Parameter(alias="as"), parameter("New field", "Field for each part", example="word")
    ] = "word"
    by: Annotated[
        str,
        Parameter(max_length=100),
        parameter("Separator", "“words” or a separator, e.g. ;", example=";", inline=True),
    ] = "words"
    lower: Annotated[bool, parameter("Convert to lowercase", "Converts every part to lowercase")] = False


@dataclass(frozen=True, slots=True)
class SplitBound:
    """What the lowering needs: the text field, the name of the piece (a field that is never null), ``words``
    or the literal separator, and whether pieces become lower case.
    """

    field: str
    as_: str
    by: str
    lower: bool


def fields_read(bound: SplitBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """The needed fields except the piece, and the text field."""
    return ((needed.get("", frozenset()) - {bound.as_}) | {bound.field},)


def check(params: SplitStep, inputs: tuple[Relation, ...], path: DocumentPath) -> StepCheck[SplitBound]:
    """Append → append; the text field is removed and the piece comes last; the identity gets an index."""
    source = inputs[0]
    kept = tuple(field for field in source.schema if field.name != params.field)
    problems = [*_check_field(params, source, path), *_check_piece(params, source, path)]
    problems += check_count(len(kept) + 1, path)
    problems += require_append_only(source, (*path, "input"), "split")
    schema = Schema((*(f for f in kept if f.name != params.as_), Field(params.as_, STRING, nullable=False)))
    untyped = source.untyped - {params.field, params.as_}
    output = replace(
        source,
        schema=schema,
        kind="append",
        index_types=(*source.index_types, INT),
        row_bytes=2 * source.row_bytes,  # the other fields, and a piece
        untyped=untyped,
    )
    bound = SplitBound(params.field, params.as_, params.by, params.lower)
    return StepCheck(None if has_errors(problems) else bound, output, problems)


def _check_field(params: SplitStep, source: Relation, path: DocumentPath) -> list[Problem]:
    field_path = (*path, "field")
    field = source.schema.get(params.field)
    if field is None:
        if source.has(params.field):
            return []
        return [
            problem(
                "FIELD_UNKNOWN",
                field_path,
                f"Unknown field {params.field!r}.",
                nearest(params.field, source.schema.names),
            )
        ]
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


def _check_piece(params: SplitStep, source: Relation, path: DocumentPath) -> list[Problem]:
    found = check_name(params.as_, (*path, "as"))
    if params.as_ != params.field and params.as_ in source.schema:
        found.append(
            problem(
                "NAME_TAKEN",
                (*path, "as"),
                f"The input already has a field {params.as_}.",
                "Choose another name.",
            )
        )
    if params.by == "":
        found.append(
            problem(
                "PARAMETER_RANGE",
                (*path, "by"),
                "The separator is empty.",
                'Use words, or a separator such as ",".',
            )
        )
    return found


def meanings(bound: SplitBound, digests: FieldDigests, inputs: tuple[str, ...]) -> dict[str, str]:
    """The piece means a part of the text; the other fields keep their meaning."""
    before = digests.fields[inputs[0]]
    piece = digest(["split", before[bound.field], bound.by, bound.lower])
    digests.parents[piece] = frozenset((before[bound.field],))
    return {**{name: meaning for name, meaning in before.items() if name != bound.field}, bound.as_: piece}


def lineage(bound: SplitBound, names: Iterable[str], inputs: list[ColumnSources]) -> ColumnSources:
    """The piece comes from the text."""
    return renamed_columns({bound.as_: bound.field}, names, inputs[0])


def script(step: ScriptStep, bound: SplitBound) -> list[str]:
    """Lines that give one row per piece."""
    field = quoted(bound.field)
    if bound.by == "words":
        parts = f"regexp_extract_all({field}, {string_sql(_WORD)}, 0)"
    else:
        pattern = "".join(c if c.isalnum() and c.isascii() else f"\\x{{{ord(c):x}}}" for c in bound.by)
        parts = f"filter(split({field}, {string_sql(pattern)}, -1), p -> p != '')"
    if bound.lower:
        parts = f"transform({parts}, p -> lower(p))"
    index = f"_index{step.relation().index_depth}"
    rest = [quoted(name) for name in step.output.schema.names if name != bound.as_]
    made = f"posexplode({parts}) AS ({index}, {quoted(bound.as_)})"
    return selected(step.rows, step.input(), [*rest, *step.kept(), made])


OPERATOR: Final = stateless_operator(
    name="split",
    parameters=SplitStep,
    summary="One row per word or part of a string.",
    example="{op: split, input: lines, field: line, as: word, lower: true}",
    check=check,
    fields_read=fields_read,
    row_wise=False,
    keeps_rows=False,
    rows_out=pieces,
    meanings=meanings,
    lineage=lineage,
    script=script,
)
