"""explode: one row per element of an array or entry of a map (`docs/semantics/stateless-steps.md#explode`)."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field as Parameter

from jobs.base.problems import Problem, has_errors, problem
from jobs.base.schemas import Field, Schema
from jobs.base.types import INT, STRING, Array, DataType, Map, type_text
from jobs.operators.append_only import require_append_only
from jobs.operators.output_fields import check_count, check_name, nearest
from jobs.operators.parameters import NameText, Parameters
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import Needed

Path = tuple[str, ...]


class ExplodeStep(Parameters):
    """One row per element of `field`: its other fields, then the element.

    An array's element is called `as` (the array's own name unless given); a map's entries, in the order of their keys, give
    the fields `key` and `value`. `position` names a field with the index, from 0. With `keep_empty` a row whose array or map
    is null or empty stays, once, without element; otherwise it goes.
    """

    op: Literal["explode"]
    input: NameText
    field: NameText
    as_: Annotated[NameText | None, Parameter(alias="as")] = None
    key: NameText = "key"
    value: NameText = "value"
    keep_empty: bool = False
    position: NameText | None = None


@dataclass(frozen=True, slots=True)
class ExplodeBound:
    """What to take apart: `names` is (element,) of an array or (key, value) of a map; `element` its Spark-independent type."""

    field: str
    names: tuple[str, ...]
    type: Array | Map
    keep_empty: bool
    position: str | None

    @property
    def made(self) -> tuple[str, ...]:
        """Names of the fields that the step adds, in order."""
        return (*((self.position,) if self.position else ()), *self.names)


def fields_read(bound: ExplodeBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """What is read below but what is made here, and the array or map itself."""
    return ((needed.get("", frozenset()) - set(bound.made)) | {bound.field},)


def check(params: ExplodeStep, inputs: tuple[Relation, ...], path: Path) -> StepCheck[ExplodeBound]:
    """Append → append; the field goes, position and element come last; identity gets the position.

    FIELD_UNKNOWN, NOT_EXPLODABLE, NAME_TAKEN, KIND_MISMATCH.
    """
    source = inputs[0]
    exploded, problems = _exploded(params, source, path)
    names = _names(params, exploded)
    kept = [field for field in source.schema if field.name != params.field]
    problems += _check_names(names, [field.name for field in kept], path)
    problems += check_count(len(kept) + len(names), path)
    problems += require_append_only(source, (*path, "input"), "explode")
    made = _made_fields(params, exploded)
    added = {name for _, name in names}
    schema = Schema((*(field for field in kept if field.name not in added), *made))
    untyped = (source.untyped - {params.field}) | (added if exploded is None else frozenset())
    output = replace(source, schema=schema, kind="append", index_types=(*source.index_types, INT), untyped=frozenset(untyped))
    if exploded is None or has_errors(problems):
        return StepCheck(None, output, problems)
    elements = tuple(name for parameter, name in names if parameter != "position")
    return StepCheck(ExplodeBound(params.field, elements, exploded, params.keep_empty, params.position), output, problems)


def _exploded(params: ExplodeStep, source: Relation, path: Path) -> tuple[Array | Map | None, list[Problem]]:
    field = source.schema.get(params.field)
    field_path = (*path, "field")
    if field is None:
        if source.has(params.field):
            return None, []
        return None, [problem("FIELD_UNKNOWN", field_path, f"Unknown field {params.field!r}.", nearest(params.field, source.schema.names))]
    if not isinstance(field.type, Array | Map):
        message = f"explode needs an array or a map; {field.name} has type {type_text(field.type)}."
        return None, [problem("NOT_EXPLODABLE", field_path, message, "Use split for strings and flatten for structs.")]
    if isinstance(field.type, Map) and params.as_ is not None:
        message = "Map entries have a key and a value, so as doesn't apply."
        return field.type, [problem("PARAMETER_RANGE", (*path, "as"), message, "Set key and value instead.")]
    return field.type, []


def _names(params: ExplodeStep, exploded: Array | Map | None) -> list[tuple[str, str]]:
    """(parameter, name) of each field that the step adds."""
    names = [("position", params.position)] if params.position is not None else []
    if isinstance(exploded, Map):
        return [*names, ("key", params.key), ("value", params.value)]
    return [*names, ("as" if params.as_ is not None else "field", params.as_ if params.as_ is not None else params.field)]


def _made_fields(params: ExplodeStep, exploded: Array | Map | None) -> list[Field]:
    position = [Field(params.position, INT, nullable=False)] if params.position is not None else []
    element: DataType
    match exploded:
        case Array(element, nullable):
            return [*position, Field(params.as_ if params.as_ is not None else params.field, element, nullable or params.keep_empty)]
        case Map(element, nullable):
            return [*position, Field(params.key, STRING, params.keep_empty), Field(params.value, element, nullable or params.keep_empty)]
        case _:
            return position


def _check_names(names: list[tuple[str, str]], kept: list[str], path: Path) -> list[Problem]:
    problems: list[Problem] = []
    taken = set(kept)
    for parameter, name in names:
        field_path = (*path, parameter)
        if parameter != "field":
            problems += check_name(name, field_path)
        if name in taken:
            message = f"The input already has a field {name}."
            problems.append(problem("NAME_TAKEN", field_path, message, "Choose another name."))
        taken.add(name)
    return problems
