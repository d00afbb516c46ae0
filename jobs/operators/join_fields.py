"""What joins share: pairs of key fields, and the names of the right side's fields in a joined row.

See `docs/semantics/join.md` and `docs/semantics/table-join.md`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from jobs.base.problems import DocumentPath, Problem, problem
from jobs.base.schemas import Field, Schema
from jobs.base.types import INT, LONG, DataType, is_key_type, type_text
from jobs.expressions.spark_types import quoted, schema_sql
from jobs.operators.output_fields import check_count, check_name, nearest
from jobs.operators.relation import Relation
from jobs.operators.stored_state import StateContext, StoredState

MAX_KEYS: Final = 16


@dataclass(frozen=True, slots=True)
class KeyPair:
    """Two fields that must be equal, compared as `type`: int and long are compared as long."""

    left: str
    right: str
    type: DataType


def left_keys(on: tuple[KeyPair, ...]) -> dict[str, str]:
    """Column (``_l_key0``, …) → Spark SQL of each pair's left field, cast to the type of the comparison."""
    return {
        f"_l_key{i}": f"cast({quoted(pair.left)} AS {schema_sql(pair.type)})" for i, pair in enumerate(on)
    }


def right_keys(on: tuple[KeyPair, ...], struct: str = "") -> dict[str, str]:
    """Column (``_r_key0``, …) → Spark SQL of each pair's right field, cast to the type of the comparison;
    `struct` is the column whose members the fields are, "" for none.
    """
    row = f"{struct}." if struct else ""
    return {
        f"_r_key{i}": f"cast({row}{quoted(pair.right)} AS {schema_sql(pair.type)})"
        for i, pair in enumerate(on)
    }


def check_keys(
    on: Mapping[str, str], left: Relation, right: Relation, path: DocumentPath
) -> tuple[tuple[KeyPair, ...], list[Problem]]:
    """The key pairs of `on` (left field → right field).

    Problems: JOIN_NO_KEY for none, FIELD_UNKNOWN, JOIN_KEY_TYPE unless the types are equal after int → long
        and may be keys, PARAMETER_RANGE for more than 16. A field whose own check failed upstream gives
        neither a pair nor a problem.
    """
    if not on:
        message = "The join has no keys, so it would match every row with every other."
        return (), [
            problem("JOIN_NO_KEY", path, message, "Add at least one key: on: {left_field: right_field}.")
        ]
    problems: list[Problem] = []
    if len(on) > MAX_KEYS:
        problems.append(
            problem(
                "PARAMETER_RANGE",
                path,
                f"The join has {len(on)} keys; the limit is {MAX_KEYS}.",
                "Join on fewer fields.",
            )
        )
    pairs: list[KeyPair] = []
    for left_name, right_name in on.items():
        field_path = (*path, left_name)
        problems += _unknown(left, left_name, field_path) + _unknown(right, right_name, field_path)
        one, other = left.schema.get(left_name), right.schema.get(right_name)
        if one is None or other is None:
            continue
        common = common_type(one.type, other.type)
        if common is None:
            types = f"{left_name} ({type_text(one.type)}) and {right_name} ({type_text(other.type)})"
            message = f"{types} can't be joined."
            hint = (
                "Join keys need the same type (int and long are compatible) and can't be double, array, map "
                "or struct. Cast one side first."
            )
            problems.append(problem("JOIN_KEY_TYPE", field_path, message, hint))
            continue
        pairs.append(KeyPair(left_name, right_name, common))
    return tuple(pairs), problems


def common_type(one: DataType, other: DataType) -> DataType | None:
    """The type in which two key fields are compared; None when they cannot be compared."""
    if {one, other} == {INT, LONG}:
        return LONG
    return one if one == other and is_key_type(one) else None


def _unknown(relation: Relation, name: str, path: DocumentPath) -> list[Problem]:
    if relation.has(name):
        return []
    return [problem("FIELD_UNKNOWN", path, f"Unknown field {name!r}.", nearest(name, relation.schema.names))]


def right_names(
    left: Schema, right: Schema, prefix: str, path: DocumentPath
) -> tuple[dict[str, str], list[Problem]]:
    """Each right field's name in the joined row: its own name, prefixed with `prefix` if the left side has
    that name too.

    Problems: NAME_TAKEN when a name is still used twice, NAME_INVALID and NAME_RESERVED for prefixed names,
        PARAMETER_RANGE for too many fields.
    """
    clashes = [name for name in right.names if name in left]
    names = {name: f"{prefix}{name}" if name in left else name for name in right.names}
    field_path = (*path, "prefix")
    if clashes and not prefix:
        message = f"Both sides have the fields {', '.join(clashes[:5])}{', …' if len(clashes) > 5 else ''}."
        return names, [
            problem("NAME_TAKEN", field_path, message, "Set a prefix for the fields of the right side.")
        ]
    taken = {*left.names, *right.names}
    problems: list[Problem] = []
    for name in clashes:
        problems += _check_prefixed(name, names[name], taken, field_path)
    return names, problems + check_count(len(left.names) + len(names), path)


def _check_prefixed(name: str, prefixed: str, taken: set[str], path: DocumentPath) -> list[Problem]:
    found = check_name(prefixed, path)
    if prefixed in taken:
        message = f"With the prefix, {name} becomes {prefixed}, which already exists."
        found.append(problem("NAME_TAKEN", path, message, "Choose another prefix."))
    return found


def pair_schema(
    left: Schema,
    right: Schema,
    names: Mapping[str, str],
    *,
    left_missing: bool = False,
    right_missing: bool = False,
) -> Schema:
    """Left fields, then right fields by their names in the joined row; fields of a side that may be missing
    are nullable.
    """
    fields = {f.name: Field(f.name, f.type, f.nullable or left_missing) for f in left}
    for f in right:
        fields.setdefault(names[f.name], Field(names[f.name], f.type, f.nullable or right_missing))
    return Schema(tuple(fields.values()))


def sides_read(
    needed: frozenset[str], names: Mapping[str, str], on: tuple[KeyPair, ...]
) -> tuple[frozenset[str], frozenset[str]]:
    """The fields that a join reads of its left and of its right side, given the needed fields of its rows."""
    own = {joined: name for name, joined in names.items()}
    right = frozenset(own[name] for name in needed if name in own)
    left = frozenset(name for name in needed if name not in own)
    return left | {pair.left for pair in on}, right | {pair.right for pair in on}


def side_meanings(
    context: StateContext, first: dict[str, Any], on: tuple[KeyPair, ...], last: dict[str, Any]
) -> StoredState:
    """The meaning of a join's state: keys, and rows of both sides with the fields that are read.

    Args:
        context: of the step.
        first: entries of the meaning before these.
        on: the pairs of key fields.
        last: entries of the meaning after these.
    """
    digests = [context.digests.fields[side] for side in context.inputs]
    rows = [
        [[meaning[field.name], type_text(field.type)] for field in relation.schema if field.name in read]
        for meaning, relation, read in zip(digests, context.relations, context.reads, strict=True)
    ]
    left, right = digests
    keys = [[left[pair.left], right[pair.right], type_text(pair.type)] for pair in on]
    kept = {**first, "on": keys, "rows": rows, **last}
    return StoredState(kept, frozenset(meaning for side in rows for meaning, _ in side))
