"""union: several append-only inputs as one (`docs/semantics/stateless-steps.md#union`)."""

from dataclasses import dataclass, replace
from functools import reduce
from typing import Annotated, Final, Literal

from pydantic import Field as Parameter

from jobs.base.durations import Duration
from jobs.base.problems import Problem, has_errors, problem
from jobs.base.schemas import Field, Schema
from jobs.base.types import DOUBLE, INT, LONG, STRING, DataType, Decimal, parse_type, type_text
from jobs.expressions.coercion import wider_decimal
from jobs.operators.append_only import require_append_only
from jobs.operators.output_fields import check_count, check_name
from jobs.operators.parameters import NameText, Parameters
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import Needed

Path = tuple[str, ...]

_AS_DECIMAL: Final = ((INT, Decimal(10, 0)), (LONG, Decimal(20, 0)))


class UnionStep(Parameters):
    """All rows of two or more inputs.

    With `mode` by_name fields come in the order in which they first appear; a field that an input lacks is null there, and
    numbers widen (int → long → double, int and long → decimal). With strict all inputs have the same names and types.
    `source_field` names a field that says which input a row came from.
    """

    op: Literal["union"]
    inputs_: Annotated[list[NameText], Parameter(alias="inputs", min_length=2, max_length=20)]
    mode: Literal["by_name", "strict"] = "by_name"
    source_field: NameText | None = None

    def inputs(self) -> tuple[tuple[str, str], ...]:
        """Every entry of the list."""
        return tuple((f"inputs.{at}", name) for at, name in enumerate(self.inputs_))


@dataclass(frozen=True, slots=True)
class UnionBound:
    """What the lowering needs.

    Attributes:
        fields: of the output, without `source_field`.
        present: which of them each input has.
        names: of the inputs, as written.
        source_field: name of the field that says the input.
        prefixed: the input's name begins the identity, because inputs might collide otherwise.
        reads_twice: a source stands above more than one input.
    """

    fields: tuple[Field, ...]
    present: tuple[frozenset[str], ...]
    names: tuple[str, ...]
    source_field: str | None
    prefixed: bool
    reads_twice: bool


def fields_read(bound: UnionBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """What is read below, as far as each input has it."""
    below = needed.get("", frozenset())
    return tuple(below & present for present in bound.present)


def realtime(bound: UnionBound) -> str:
    """Spark reads a source once in real-time mode."""
    return "joins rows of one source again, and real-time mode reads a source once." if bound.reads_twice else ""


def check(params: UnionStep, inputs: tuple[Relation, ...], path: Path) -> StepCheck[UnionBound]:
    """Append (all) → append. KIND_MISMATCH, UNION_TYPE, UNION_STRICT, NAME_TAKEN; identity and time are the input row's."""
    problems = _check_inputs(params, inputs, path)
    known = not any(source.has_unknown_fields or source.untyped for source in inputs)
    fields, found = _fields(params, inputs, path)
    problems += found
    if params.mode == "strict" and known and not found:
        problems += _check_strict(inputs, path)
    if params.source_field is not None:
        problems += _check_source_field(params.source_field, fields, (*path, "source_field"))
    problems += check_count(len(fields) + (params.source_field is not None), path) if known else []
    reads_twice = sum(len(source.sources) for source in inputs) > len(frozenset[str]().union(*(source.sources for source in inputs)))
    prefixed = reads_twice or any(source.identity_kind != "row" for source in inputs)
    problems += [] if prefixed else _check_places(params, inputs, path)
    output = _output(params, inputs, fields, prefixed)
    if has_errors(problems) or not known:
        return StepCheck(None, output, problems)
    present = tuple(frozenset(source.schema.names) for source in inputs)
    bound = UnionBound(tuple(fields.values()), present, tuple(params.inputs_), params.source_field, prefixed, reads_twice)
    return StepCheck(bound, output, problems)


def _check_inputs(params: UnionStep, inputs: tuple[Relation, ...], path: Path) -> list[Problem]:
    problems: list[Problem] = []
    if len(params.inputs_) < 2:
        problems.append(problem("INPUT_COUNT", (*path, "inputs"), "A union needs at least two inputs.", "Example: inputs: [web, app]"))
    for at, (name, source) in enumerate(zip(params.inputs_, inputs, strict=False)):
        field_path = (*path, "inputs", str(at))
        if name in params.inputs_[:at]:
            problems.append(problem("INPUT_COUNT", field_path, f"{name} is listed twice.", "List each input once."))
        problems += require_append_only(source, field_path, "union", name)
    return problems


def _fields(params: UnionStep, inputs: tuple[Relation, ...], path: Path) -> tuple[dict[str, Field], list[Problem]]:
    problems: list[Problem] = []
    fields: dict[str, Field] = {}
    for name in dict.fromkeys(name for source in inputs for name in source.schema.names):
        having = [(at, field) for at, source in enumerate(inputs) if (field := source.schema.get(name)) is not None]
        found = having[0][1].type
        for at, field in having[1:]:
            wider = common_type(found, field.type) if params.mode == "by_name" else _same(found, field.type)
            if wider is None:
                problems.append(_unlike(params, name, at, having[0][1].type, field.type, path))
                break
            found = wider
        nullable = len(having) < len(inputs) or any(field.nullable for _, field in having)
        fields[name] = Field(name, found, nullable)
    return fields, problems


def _unlike(params: UnionStep, name: str, at: int, first: DataType, other: DataType, path: Path) -> Problem:
    message = f"{name} has type {type_text(first)} in earlier inputs and {type_text(other)} in {params.inputs_[at]}."
    code = "UNION_TYPE" if params.mode == "by_name" else "UNION_STRICT"
    return problem(code, (*path, "inputs", str(at)), message, "Cast or rename one of them before the union.")


def common_type(one: DataType, other: DataType) -> DataType | None:
    """The type that values of both widen to; None when there is none."""
    same = _same(one, other)
    if same is not None:
        return same
    if {one, other} <= {INT, LONG, DOUBLE}:
        return DOUBLE if DOUBLE in (one, other) else LONG
    left, right = _as_decimal(one), _as_decimal(other)
    return wider_decimal(left, right) if left is not None and right is not None else None


def _as_decimal(data_type: DataType) -> Decimal | None:
    if isinstance(data_type, Decimal):
        return data_type
    return next((decimal for whole, decimal in _AS_DECIMAL if whole == data_type), None)


def _same(one: DataType, other: DataType) -> DataType | None:
    """Types that differ in the nullability of their parts only are the same, with all parts nullable."""
    if one == other:
        return one
    return parse_type(type_text(one)) if type_text(one) == type_text(other) else None


def _check_strict(inputs: tuple[Relation, ...], path: Path) -> list[Problem]:
    first = set(inputs[0].schema.names)
    found: list[Problem] = []
    for at, source in enumerate(inputs[1:], 1):
        unlike = sorted(first ^ set(source.schema.names))
        if unlike:
            message = f"The inputs have different fields: {', '.join(unlike[:5])}{', …' if len(unlike) > 5 else ''}."
            hint = "Use mode: by_name to fill missing fields with null, or drop the extra fields."
            found.append(problem("UNION_STRICT", (*path, "inputs", str(at)), message, hint))
    return found


def _check_places(params: UnionStep, inputs: tuple[Relation, ...], path: Path) -> list[Problem]:
    """What follows the identities must be of one type: it is kept in the same columns."""
    longest = max((source.index_types for source in inputs), key=len)
    for at, source in enumerate(inputs):
        if source.index_types != longest[: source.index_depth]:
            message = f"{params.inputs_[at]} has different row identifiers from the other inputs."
            hint = "Move explode, split or broadcast join after the union."
            return [problem("UNION_TYPE", (*path, "inputs", str(at)), message, hint)]
    return []


def _check_source_field(name: str, fields: dict[str, Field], path: Path) -> list[Problem]:
    found = check_name(name, path)
    if name in fields:
        found.append(problem("NAME_TAKEN", path, f"The inputs already have a field {name}.", "Choose another name."))
    return found


def _output(params: UnionStep, inputs: tuple[Relation, ...], fields: dict[str, Field], prefixed: bool) -> Relation:
    added = {params.source_field: Field(params.source_field, STRING, nullable=False)} if params.source_field is not None else {}
    return replace(
        inputs[0],
        schema=Schema(tuple({**fields, **added}.values())),
        kind="append",
        identity=(),
        identity_kind="union" if prefixed else "row",
        index_types=() if prefixed else max((source.index_types for source in inputs), key=len),
        slack=reduce(max, (source.slack for source in inputs), Duration(0)),
        spark_slack=reduce(max, (source.spark_slack for source in inputs), Duration(0)),
        windowed=False,
        system=tuple(name for name in inputs[0].system if all(name in source.system for source in inputs)),
        untyped=frozenset[str]().union(*(source.untyped for source in inputs)) - fields.keys(),
        has_unknown_fields=any(source.has_unknown_fields for source in inputs),
        aggregate_ref=None,
        late_rows=any(source.late_rows for source in inputs),
    )
