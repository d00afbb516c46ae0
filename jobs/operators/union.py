"""union: several append-only inputs as one (`docs/semantics/stateless-steps.md#union`)."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Annotated, Final, Literal

from pydantic import Field as Parameter

from jobs.base.durations import Duration
from jobs.base.names import SYSTEM_FIELDS
from jobs.base.problems import DocumentPath, Problem, has_errors, problem
from jobs.base.schemas import Field, Schema
from jobs.base.types import (
    DOUBLE,
    INT,
    LONG,
    STRING,
    TIMESTAMP,
    DataType,
    Decimal,
    Member,
    Struct,
    same_type,
    type_text,
)
from jobs.expressions.coercion import wider_decimal
from jobs.expressions.spark_types import quoted, schema_sql
from jobs.expressions.texts_sql import string_sql
from jobs.operators.append_only import require_append_only
from jobs.operators.field_digests import FieldDigests, digest
from jobs.operators.forecasts import one_row
from jobs.operators.identity_sql import UNION_INPUT
from jobs.operators.lineage import NOTHING, ColumnSources, merged
from jobs.operators.operator import stateless_operator
from jobs.operators.output_fields import check_count, check_name
from jobs.operators.parameters import NameText, Parameters, parameter
from jobs.operators.relation import IdentityLayout, Relation, StepCheck
from jobs.operators.requirements import Needed
from jobs.operators.script_step import NO_WATERMARK, ScriptStep, identity, marked, selected

_AS_DECIMAL: Final = ((INT, Decimal(10, 0)), (LONG, Decimal(20, 0)))


class UnionStep(Parameters):
    """All rows of two or more inputs.

    With `mode` by_name fields come in the order in which they first appear; a field that an input lacks is
    null there, and numbers widen (int → long → double, int and long → decimal). With strict all inputs have
    the same names and types. `source_field` names a field that says which input a row came from.
    """

    op: Literal["union"]
    inputs_: Annotated[
        list[NameText],
        Parameter(alias="inputs", min_length=2, max_length=20),
        parameter(
            "Inputs",
            "Sources, steps or ports (step.port) whose rows are combined",
            example=["web", "app"],
            input="steps",
        ),
    ]
    mode: Annotated[
        Literal["by_name", "strict"],
        parameter(
            "Fields",
            "Whether inputs may differ in their fields; by_name also widens numbers",
            choices={
                "by_name": "Match by name; missing fields are null",
                "strict": "Must be identical",
            },
        ),
    ] = "by_name"
    source_field: Annotated[
        NameText | None,
        parameter(
            "Source field (optional)", "Holds the name of each row's input", example="origin", inline=True
        ),
    ] = None

    def inputs(self) -> tuple[tuple[str, str], ...]:
        """Every entry of the list."""
        return tuple((f"inputs.{at}", name) for at, name in enumerate(self.inputs_))


@dataclass(frozen=True, slots=True)
class UnionBound:
    """What the lowering needs.

    Attributes:
        fields: of the output, without `source_field`.
        present: names of the fields of each input.
        names: of the inputs, as written in the document.
        source_field: name of the field with the name of the row's input; None for no such field.
        prefixed: the identity starts with the input's name, because identities of inputs might collide.
        reads_twice: a source is upstream of more than one input.
    """

    fields: tuple[Field, ...]
    present: tuple[frozenset[str], ...]
    names: tuple[str, ...]
    source_field: str | None
    prefixed: bool
    reads_twice: bool


def fields_read(bound: UnionBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """The needed fields that each input has."""
    below = needed.get("", frozenset())
    return tuple(below & present for present in bound.present)


def realtime(bound: UnionBound) -> str:
    """Refused if a source is upstream of several inputs: real-time mode reads a source once."""
    return (
        "joins rows of one source again, and real-time mode reads a source once." if bound.reads_twice else ""
    )


def check(params: UnionStep, inputs: tuple[Relation, ...], path: DocumentPath) -> StepCheck[UnionBound]:
    """Append (all) → append; event time and identity are the input row's, the identity after the input's name
    if identities might collide. KIND_MISMATCH, UNION_TYPE, UNION_STRICT, NAME_TAKEN.
    """
    problems = _check_inputs(params, inputs, path)
    known = not any(source.has_unknown_fields or source.untyped for source in inputs)
    fields, found = _check_fields(params, inputs, path, known=known)
    problems += found
    reads_twice = _reads_twice(inputs)
    prefixed = reads_twice or any(source.identity_kind != "row" for source in inputs)
    problems += [] if prefixed else _check_places(params, inputs, path)
    output = _output(params, inputs, fields, prefixed)
    if has_errors(problems) or not known:
        return StepCheck(None, output, problems)
    present = tuple(frozenset(source.schema.names) for source in inputs)
    bound = UnionBound(
        tuple(fields.values()), present, tuple(params.inputs_), params.source_field, prefixed, reads_twice
    )
    return StepCheck(bound, output, problems)


def _check_fields(
    params: UnionStep, inputs: tuple[Relation, ...], path: DocumentPath, *, known: bool
) -> tuple[dict[str, Field], list[Problem]]:
    """The fields of all inputs, and the problems of the fields, their number and `source_field`."""
    fields, problems = _fields(params, inputs, path)
    if params.mode == "strict" and known and not problems:
        problems += _check_strict(inputs, path)
    if params.source_field is not None:
        problems += _check_source_field(params.source_field, fields, (*path, "source_field"))
    if known:
        problems += check_count(len(fields) + (params.source_field is not None), path)
    return fields, problems


def _reads_twice(inputs: tuple[Relation, ...]) -> bool:
    sources = [name for source in inputs for name in source.sources]
    return len(sources) > len(set(sources))


def _check_inputs(params: UnionStep, inputs: tuple[Relation, ...], path: DocumentPath) -> list[Problem]:
    problems: list[Problem] = []
    if len(params.inputs_) < 2:
        problems.append(
            problem(
                "INPUT_COUNT",
                (*path, "inputs"),
                "A union needs at least two inputs.",
                "Example: inputs: [web, app]",
            )
        )
    for at, (name, source) in enumerate(zip(params.inputs_, inputs, strict=False)):
        field_path = (*path, "inputs", str(at))
        if name in params.inputs_[:at]:
            problems.append(
                problem("INPUT_COUNT", field_path, f"{name} is listed twice.", "List each input once.")
            )
        problems += require_append_only(source, field_path, "union", name)
    return problems


def _fields(
    params: UnionStep, inputs: tuple[Relation, ...], path: DocumentPath
) -> tuple[dict[str, Field], list[Problem]]:
    problems: list[Problem] = []
    fields: dict[str, Field] = {}
    for name in dict.fromkeys(name for source in inputs for name in source.schema.names):
        having = [
            (at, field) for at, source in enumerate(inputs) if (field := source.schema.get(name)) is not None
        ]
        widest, found = _widest(params, having, path)
        problems += found
        nullable = len(having) < len(inputs) or any(field.nullable for _, field in having)
        fields[name] = Field(name, widest, nullable)
    return fields, problems


def _widest(
    params: UnionStep, having: list[tuple[int, Field]], path: DocumentPath
) -> tuple[DataType, list[Problem]]:
    """The type to which a field widens over the inputs that have it, given as (index of the input, field). At
    the first input that is incompatible: the type so far, and UNION_TYPE or UNION_STRICT.
    """
    widen = common_type if params.mode == "by_name" else same_type
    first = having[0][1]
    widest = first.type
    for at, field in having[1:]:
        wider = widen(widest, field.type)
        if wider is None:
            return widest, [_unlike(params, first.name, at, first.type, field.type, path)]
        widest = wider
    return widest, []


def _unlike(
    params: UnionStep, name: str, at: int, first: DataType, other: DataType, path: DocumentPath
) -> Problem:
    types = f"{type_text(first)} in earlier inputs and {type_text(other)} in {params.inputs_[at]}"
    message = f"{name} has type {types}."
    code = "UNION_TYPE" if params.mode == "by_name" else "UNION_STRICT"
    return problem(code, (*path, "inputs", str(at)), message, "Cast or rename one of them before the union.")


def common_type(one: DataType, other: DataType) -> DataType | None:
    """The type to which values of both types widen; None when there is none."""
    same = same_type(one, other)
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


def _check_strict(inputs: tuple[Relation, ...], path: DocumentPath) -> list[Problem]:
    first = set(inputs[0].schema.names)
    found: list[Problem] = []
    for at, source in enumerate(inputs[1:], 1):
        unlike = sorted(first ^ set(source.schema.names))
        if unlike:
            names = ", ".join([*unlike[:5], *(["…"] if len(unlike) > 5 else [])])
            message = f"The inputs have different fields: {names}."
            hint = "Use mode: by_name to fill missing fields with null, or drop the extra fields."
            found.append(problem("UNION_STRICT", (*path, "inputs", str(at)), message, hint))
    return found


def _check_places(params: UnionStep, inputs: tuple[Relation, ...], path: DocumentPath) -> list[Problem]:
    """UNION_TYPE unless the indexes that follow the identities have the same types: inputs share these
    columns.
    """
    longest = _longest_index(inputs)
    for at, source in enumerate(inputs):
        if source.index_types != longest[: source.index_depth]:
            message = f"{params.inputs_[at]} has different row identifiers from the other inputs."
            hint = "Move explode, split or broadcast join after the union."
            return [problem("UNION_TYPE", (*path, "inputs", str(at)), message, hint)]
    return []


def _check_source_field(name: str, fields: dict[str, Field], path: DocumentPath) -> list[Problem]:
    found = check_name(name, path)
    if name in fields:
        found.append(
            problem("NAME_TAKEN", path, f"The inputs already have a field {name}.", "Choose another name.")
        )
    return found


def _output(
    params: UnionStep, inputs: tuple[Relation, ...], fields: dict[str, Field], prefixed: bool
) -> Relation:
    return replace(
        inputs[0],
        schema=_output_schema(params, fields),
        kind="append",
        identity=(),
        identity_kind="union" if prefixed else "row",
        index_types=() if prefixed else _longest_index(inputs),
        inner_layouts=_inner_layouts(params, inputs) if prefixed else (),
        unions=_named_inputs(params, inputs) if prefixed else (),
        row_sources=frozenset[str]().union(*(source.row_sources for source in inputs)),
        slack=reduce(max, (source.slack for source in inputs), Duration(0)),
        spark_slack=reduce(max, (source.spark_slack for source in inputs), Duration(0)),
        trails_less=any(source.trails_less for source in inputs),
        windowed=False,
        lookback=reduce(max, (source.lookback for source in inputs), Duration(0)),
        row_bytes=max(source.row_bytes for source in inputs),
        system=_common_system_fields(inputs),
        untyped=frozenset[str]().union(*(source.untyped for source in inputs)) - fields.keys(),
        has_unknown_fields=any(source.has_unknown_fields for source in inputs),
        aggregate_ref=None,
        late_rows=any(source.late_rows for source in inputs),
    )


def _inner_layouts(params: UnionStep, inputs: tuple[Relation, ...]) -> tuple[IdentityLayout, ...]:
    """The names that stand in the identities, in whatever order they are listed, and the layouts of the
    inputs'.
    """
    return (tuple(sorted(params.inputs_)), *(source.identity_layout for source in inputs))


def _named_inputs(params: UnionStep, inputs: tuple[Relation, ...]) -> tuple[tuple[str, ...], ...]:
    return (tuple(params.inputs_), *(union for source in inputs for union in source.unions))


def _output_schema(params: UnionStep, fields: dict[str, Field]) -> Schema:
    if params.source_field is None:
        return Schema(tuple(fields.values()))
    source = Field(params.source_field, STRING, nullable=False)
    return Schema(tuple({**fields, params.source_field: source}.values()))


def _longest_index(inputs: tuple[Relation, ...]) -> tuple[DataType, ...]:
    return max((source.index_types for source in inputs), key=len)


def _common_system_fields(inputs: tuple[Relation, ...]) -> tuple[str, ...]:
    return tuple(name for name in inputs[0].system if all(name in source.system for source in inputs))


def meanings(bound: UnionBound, digests: FieldDigests, inputs: tuple[str, ...]) -> dict[str, str]:
    """A field means its meanings in all inputs, in order, and its type; `source_field` means the inputs'
    names.
    """
    types = {field.name: type_text(field.type) for field in bound.fields}
    sides = [
        _known_meanings(digests.fields[name], present, types)
        for name, present in zip(inputs, bound.present, strict=True)
    ]
    system = [name for name in SYSTEM_FIELDS if all(name in side for side in sides)]
    made: dict[str, str] = {}
    for name in (*types, *system):
        of_sides = [side.get(name) for side in sides]
        made[name] = digest(["union", of_sides, types.get(name)])
        digests.parents[made[name]] = frozenset(filter(None, of_sides))
    if bound.source_field is not None:
        made[bound.source_field] = digest(["union", bound.names])
    return made


def _known_meanings(
    side: Mapping[str, str], present: frozenset[str], declared: Container[str]
) -> dict[str, str]:
    """The meanings of an input's declared fields and of its system fields."""
    return {name: meaning for name, meaning in side.items() if name in present or name not in declared}


def lineage(bound: UnionBound, names: Iterable[str], inputs: list[ColumnSources]) -> ColumnSources:
    """A column comes from every input that has it; `source_field` comes from no source column."""
    return {
        name: NOTHING if name == bound.source_field else merged(known.get(name, NOTHING) for known in inputs)
        for name in names
    }


def script(step: ScriptStep, bound: UnionBound) -> list[str]:
    """Lines that give all inputs the same columns and union them."""
    lines = []
    for at in range(len(step.inputs)):
        columns = [*_fields_of_input(bound, at), *_identity_of_input(step, bound, at)]
        part = f"part{at}"
        lines += selected(part, step.input(at), columns)
        # The optimizer reduces a cast to the same type to what is cast, here perhaps the event time.
        times = [field.name for field in bound.fields if field.type == TIMESTAMP]
        lines += [f"{part} = {part}.withMetadata({name!r}, {NO_WATERMARK})" for name in times]
    merged = "".join(f".unionByName(part{at})" for at in range(1, len(step.inputs)))
    return [*lines, f"{step.rows} = part0{merged}", marked(step.rows)]


def _fields_of_input(bound: UnionBound, at: int) -> list[str]:
    fields = []
    for field in bound.fields:
        value = quoted(field.name) if field.name in bound.present[at] else "NULL"
        fields.append(f"cast({value} AS {schema_sql(field.type)}) AS {quoted(field.name)}")
    if bound.source_field is not None:
        fields.append(f"{string_sql(bound.names[at])} AS {quoted(bound.source_field)}")
    return fields


def _identity_of_input(step: ScriptStep, bound: UnionBound, at: int) -> list[str]:
    """The system columns of an input's rows. With `prefixed` the identity is a struct of the input's name and
    the identities of all inputs, null but for this one.
    """
    if bound.prefixed:
        members = [f"{string_sql(bound.names[at])} AS {UNION_INPUT}"]
        for other, given in enumerate(step.inputs):
            own = f"struct({', '.join(identity(given.relation))})"
            value = own if other == at else f"cast(NULL AS {schema_sql(given.identity_struct)})"
            members.append(f"{value} AS _from{other}")
        return [*step.output.system, f"struct({', '.join(members)}) AS _union_id"]
    relation = step.relation(at)
    longest = max((given.relation.index_types for given in step.inputs), key=len)
    missing = [
        f"cast(NULL AS {schema_sql(of)}) AS _index{i}"
        for i, of in enumerate(longest)
        if i >= relation.index_depth
    ]
    return [*dict.fromkeys([*step.output.system, *identity(relation)]), *missing]


def row_identity(bound: UnionBound, step: ScriptStep) -> list[DataType]:
    """The types of source, partition and offset, or the struct of the input's name and the row's identity
    there.
    """
    if not bound.prefixed:
        return [STRING, INT, LONG]
    members = [Member(f"_from{at}", given.identity_struct) for at, given in enumerate(step.inputs)]
    return [Struct((Member(UNION_INPUT, STRING), *members))]


OPERATOR: Final = stateless_operator(
    name="union",
    parameters=UnionStep,
    summary="Combine the rows of several streams.",
    example="{op: union, inputs: [web, app], source_field: origin}",
    check=check,
    fields_read=fields_read,
    row_wise=False,
    keeps_rows=True,
    rows_out=one_row,
    meanings=meanings,
    lineage=lineage,
    script=script,
    realtime=realtime,
    row_identity=row_identity,
)
