"""explode: one row per array element or map entry (`docs/semantics/stateless-steps.md#explode`)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, Final, Literal

from pydantic import Field as Parameter

from jobs.base.problems import DocumentPath, Problem, has_errors, problem
from jobs.base.schemas import Field, Schema
from jobs.base.types import INT, STRING, Array, DataType, Map, type_text
from jobs.expressions.spark_types import quoted, schema_sql
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


class ExplodeStep(Parameters):
    """One row per element of `field`: its other fields, then the element.

    An array's element is called `as` (the array's own name unless given); a map's entries, in the order of
    their keys, give the fields `key` and `value`. `position` names a field with the index, from 0. With
    `keep_empty` a row whose array or map is null or empty stays, once, without element; otherwise it goes.
    """

    op: Literal["explode"]
    input: InputText
    field: Annotated[
        NameText,
        parameter(
            "Array or map",
            "Field with the elements or entries",
            example="items",
            input="field",
            types=("array", "map"),
        ),
    ]
    as_: Annotated[
        NameText | None,
        Parameter(alias="as"),
        parameter("New field", "Leave empty to use the array's name", example="item", inline=True),
    ] = None
    key: Annotated[NameText, parameter("Key field", "Field for the key of a map's entry", example="key")] = (
        "key"
    )
    value: Annotated[
        NameText, parameter("Value field", "Field for the value of a map's entry", example="value")
    ] = "value"
    keep_empty: Annotated[
        bool,
        parameter(
            "Keep rows with an empty array or map",
            "Keeps rows whose array or map is empty or null, once, without an element",
        ),
    ] = False
    position: Annotated[
        NameText | None,
        parameter("Position field (optional)", "Zero-based", example="position", inline=True),
    ] = None


@dataclass(frozen=True, slots=True)
class ExplodeBound:
    """What the lowering needs: `field` is the array or map, `type` its type; `names` are the new fields,
    (element,) of an array or (key, value) of a map.
    """

    field: str
    names: tuple[str, ...]
    type: Array | Map
    keep_empty: bool
    position: str | None

    @property
    def made(self) -> tuple[str, ...]:
        """Names of the fields that the step adds, in order."""
        return (*((self.position,) if self.position else ()), *self.names)

    @property
    def parts(self) -> tuple[str, ...]:
        """Spark SQL of the new fields, in the order of `names`, over the column ``_element``."""
        return ("_element",) if isinstance(self.type, Array) else ("_element.key", "_element.value")

    @property
    def elements(self) -> str:
        """Spark SQL of the array to explode: a map's entries in the order of their keys."""
        field, elements, element = quoted(self.field), self._elements, self._element_type
        if not self.keep_empty:
            return elements
        return f"if(coalesce(size({field}), 0) > 0, {elements}, array(cast(NULL AS {element})))"

    @property
    def _elements(self) -> str:
        field = quoted(self.field)
        if isinstance(self.type, Array):
            return field
        # Spark keeps map entries in the order in which they were inserted. To sort only the keys would take a
        # look-up of each value, and Spark 4.3 searches a map from its first entry on.
        order = "CASE WHEN _a.key < _b.key THEN -1 WHEN _a.key > _b.key THEN 1 ELSE 0 END"
        return f"array_sort(map_entries({field}), (_a, _b) -> {order})"

    @property
    def _element_type(self) -> str:
        if isinstance(self.type, Array):
            return schema_sql(self.type.element)
        return f"STRUCT<key: STRING, value: {schema_sql(self.type.value)}>"


def fields_read(bound: ExplodeBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """The needed fields that the step does not add itself, and the array or map."""
    return ((needed.get("", frozenset()) - set(bound.made)) | {bound.field},)


def check(params: ExplodeStep, inputs: tuple[Relation, ...], path: DocumentPath) -> StepCheck[ExplodeBound]:
    """Append → append; the field is removed, position and element come last; the identity gets an index.

    FIELD_UNKNOWN, NOT_EXPLODABLE, NAME_TAKEN, KIND_MISMATCH.
    """
    source = inputs[0]
    exploded, problems = _exploded(params, source, path)
    names = _names(params, exploded)
    kept = [name for name in source.schema.names if name != params.field]
    problems += _check_names(names, kept, path)
    problems += check_count(len(kept) + len(names), path)
    problems += require_append_only(source, (*path, "input"), "explode")
    output = _output(params, source, exploded, {name for _, name in names})
    if exploded is None or has_errors(problems):
        return StepCheck(None, output, problems)
    elements = tuple(name for parameter, name in names if parameter != "position")
    return StepCheck(
        ExplodeBound(params.field, elements, exploded, params.keep_empty, params.position), output, problems
    )


def _output(params: ExplodeStep, source: Relation, exploded: Array | Map | None, added: set[str]) -> Relation:
    """The remaining fields, then the `added` ones, whose types are unknown if `exploded` is None. Of several
    `added` fields with the same name, only the last one is kept.
    """
    kept = [field for field in source.schema if field.name not in {params.field, *added}]
    made = {field.name: field for field in _made_fields(params, exploded)}
    untyped = (source.untyped - {params.field}) | (added if exploded is None else frozenset())
    return replace(
        source,
        schema=Schema((*kept, *made.values())),
        kind="append",
        index_types=(*source.index_types, INT),
        row_bytes=2 * source.row_bytes,  # the other fields, and an element
        untyped=frozenset(untyped),
    )


def _exploded(
    params: ExplodeStep, source: Relation, path: DocumentPath
) -> tuple[Array | Map | None, list[Problem]]:
    field = source.schema.get(params.field)
    field_path = (*path, "field")
    if field is None:
        if source.has(params.field):
            return None, []
        return None, [
            problem(
                "FIELD_UNKNOWN",
                field_path,
                f"Unknown field {params.field!r}.",
                nearest(params.field, source.schema.names),
            )
        ]
    if not isinstance(field.type, Array | Map):
        message = f"explode needs an array or a map; {field.name} has type {type_text(field.type)}."
        return None, [
            problem("NOT_EXPLODABLE", field_path, message, "Use split for strings and flatten for structs.")
        ]
    if isinstance(field.type, Map) and params.as_ is not None:
        message = "Map entries have a key and a value, so as doesn't apply."
        return field.type, [problem("PARAMETER_RANGE", (*path, "as"), message, "Set key and value instead.")]
    return field.type, []


def _names(params: ExplodeStep, exploded: Array | Map | None) -> list[tuple[str, str]]:
    """(parameter, name) of each field that the step adds."""
    names = [("position", params.position)] if params.position is not None else []
    if isinstance(exploded, Map):
        return [*names, ("key", params.key), ("value", params.value)]
    return [
        *names,
        ("as" if params.as_ is not None else "field", params.as_ if params.as_ is not None else params.field),
    ]


def _made_fields(params: ExplodeStep, exploded: Array | Map | None) -> list[Field]:
    position = [Field(params.position, INT, nullable=False)] if params.position is not None else []
    element: DataType
    match exploded:
        case Array(element, nullable):
            return [
                *position,
                Field(
                    params.as_ if params.as_ is not None else params.field,
                    element,
                    nullable or params.keep_empty,
                ),
            ]
        case Map(element, nullable):
            return [
                *position,
                Field(params.key, STRING, params.keep_empty),
                Field(params.value, element, nullable or params.keep_empty),
            ]
        case _:
            return position


def _check_names(names: list[tuple[str, str]], kept: list[str], path: DocumentPath) -> list[Problem]:
    problems: list[Problem] = []
    taken = set(kept)
    for key, name in names:
        field_path = (*path, key)
        if key != "field":
            problems += check_name(name, field_path)
        if name in taken:
            message = f"The input already has a field {name}."
            problems.append(problem("NAME_TAKEN", field_path, message, "Choose another name."))
        taken.add(name)
    return problems


def meanings(bound: ExplodeBound, digests: FieldDigests, inputs: tuple[str, ...]) -> dict[str, str]:
    """Element and position mean a part of the array or map."""
    before = digests.fields[inputs[0]]
    exploded = before[bound.field]
    made = {
        name: digest(["explode", part, exploded, bound.keep_empty]) for part, name in enumerate(bound.names)
    }
    if bound.position is not None:
        made[bound.position] = digest(["explode", "position", exploded, bound.keep_empty])
    digests.parents.update({meaning: frozenset((exploded,)) for meaning in made.values()})
    return {**{name: meaning for name, meaning in before.items() if name != bound.field}, **made}


def lineage(bound: ExplodeBound, names: Iterable[str], inputs: list[ColumnSources]) -> ColumnSources:
    """Element and position come from the array or map."""
    return renamed_columns(dict.fromkeys(bound.made, bound.field), names, inputs[0])


def script(step: ScriptStep, bound: ExplodeBound) -> list[str]:
    """Lines that give one row per element; entries of a map in the order of their keys."""
    index, output = f"_index{step.relation().index_depth}", step.output.schema
    position = {bound.position: index} if bound.position is not None else {}
    added = dict(zip(bound.names, bound.parts, strict=True)) | position
    rest = [quoted(field.name) for field in output if field.name not in added]
    system = step.kept()
    declared = [
        f"{added[name]} AS {quoted(name)}" if name in added else quoted(name) for name in output.names
    ]
    return [
        *selected(
            "spread", step.input(), [*rest, *system, f"posexplode({bound.elements}) AS ({index}, _element)"]
        ),
        *selected(step.rows, "spread", [*declared, *system, index]),
    ]


OPERATOR: Final = stateless_operator(
    name="explode",
    parameters=ExplodeStep,
    summary="One row per element of an array or entry of a map.",
    example="{op: explode, input: orders, field: items, as: item}",
    check=check,
    fields_read=fields_read,
    row_wise=False,
    keeps_rows=False,
    rows_out=pieces,
    meanings=meanings,
    lineage=lineage,
    script=script,
)
