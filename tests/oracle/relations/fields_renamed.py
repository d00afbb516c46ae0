"""Every field with a name of its own is renamed everywhere: the rows are the same under new names."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from jobs.base.schemas import Schema
from jobs.base.types import Array, DataType, Map, Struct
from jobs.plan import Plan
from tests.oracle.answers import references
from tests.oracle.cases import Case
from tests.oracle.records import MARKS, TOMBSTONE
from tests.oracle.relations.renamed_text import renamed_expression, renamed_measure
from tests.oracle.relations.variants import Document, changed, document_of, in_order, plan_of, writes_names

KEYWORDS = (
    *(
        "select",
        "from",
        "where",
        "order",
        "group",
        "table",
        "value",
        "key",
        "end",
        "case",
        "date",
        "timestamp",
    ),
    *("left", "on", "by", "join", "union", "null", "true", "interval", "array"),
)

Names = dict[str, str]
Rename = Callable[[str], str]


def fields_renamed(case: Case, random: Random) -> Case | None:
    """Names with a letter before or after, in another case, or replaced by SQL keywords."""
    old = document_of(case)
    if writes_names(old):
        return None
    plan = plan_of(old, case.contracts)
    rename = random.choice(
        [
            lambda name: f"x{name}",
            lambda name: f"{name}_",
            lambda name: f"{name.swapcase()}",
            _keywords(random),
        ]
    )
    contracts = {name: _contract(written, rename) for name, written in case.contracts.items()}
    registered = {
        name: case.contracts[source.get("stream") or source.get("table")]
        for name, source in old["sources"].items()
    }
    names = {
        name: {field["name"]: rename(field["name"]) for field in written["fields"]}
        for name, written in registered.items()
    }
    new: Document = {**old, "steps": {}}
    for name in in_order(old):
        step = old["steps"][name]
        new["steps"][name] = _step(step, [names[reference] for reference in references(step)], rename)
        ports = plan.node(name).ports
        made = [f"{name}.{port}" for port in ports] + ([] if plan.node(name).only_ports else [name])
        planned = plan_of({**new, "outputs": {"out": {"input": made[0], "to": "result"}}}, contracts)
        if not any(node.name == name for node in planned.nodes):
            return None
        for reference in made:
            one, other = plan.relation(reference).schema.names, planned.relation(reference).schema.names
            if len(one) != len(other):
                return None
            names[reference] = dict(zip(one, other, strict=True))
    planned = plan_of(new, contracts)
    if not planned.ok:
        return None
    return _with_names(changed(case, new, contracts=contracts), names, plan, planned)


def _with_names(case: Case, names: dict[str, Names], plan: Plan, planned: Plan) -> Case:
    """The case's batches and expected results under the new names of each node's fields."""
    batches = [
        {
            name: [(at, _values(values, names[name])) for at, values in records]
            for name, records in batch.items()
        }
        for batch in case.batches
    ]
    after = [
        {
            name: {
                key: _row(row, *_schemas(plan, planned, case.outputs[name])) for key, row in content.items()
            }
            for name, content in contents.items()
        }
        for contents in case.expected_after
    ]
    approximate = {
        names[ref].get(field, field): error
        for ref in case.outputs.values()
        for field, error in case.approximate.items()
    }
    return replace(case, batches=batches, expected_after=after, approximate=approximate)


def _keywords(random: Random) -> Rename:
    words, renamed = random.sample(KEYWORDS, len(KEYWORDS)), dict[str, str]()
    return lambda name: renamed.setdefault(name, words.pop() if words else f"word_{len(renamed)}")


def _contract(written: dict[str, Any], rename: Rename) -> dict[str, Any]:
    made = {**written, "fields": [{**field, "name": rename(field["name"])} for field in written["fields"]]}
    if "key" in written:
        made["key"] = [rename(name) for name in written["key"]]
    if "event_time" in written:
        made["event_time"] = {
            name: {**said, "field": rename(said["field"])} if isinstance(said, dict) else said
            for name, said in written["event_time"].items()
        }
        if "field" in made["event_time"]:
            made["event_time"]["field"] = rename(made["event_time"]["field"])
    return made


@dataclass(frozen=True)
class _Scope:
    """New names of the fields of each input, of those that conditions read, and of what a step makes."""

    inputs: list[Names]
    names: Names
    rename: Rename

    def of(self, name: str) -> str:
        return self.names.get(name, name)

    def text(self, text: str) -> str:
        return renamed_expression(text, self.names)


def _step(step: dict[str, Any], inputs: list[Names], rename: Rename) -> dict[str, Any]:
    """The step over inputs with new names; what it makes itself is renamed too."""
    scope = _Scope(inputs, _both(step, *inputs) if step["op"] == "join" else inputs[0], rename)
    own = {"by"} if step["op"] == "split" else set()  # what separates words
    made = {
        key: _RENAMED[key](scope, value) if key in _RENAMED and key not in own else value
        for key, value in step.items()
    }
    if "fields" in step:
        made["fields"] = _fields_of(step, scope.names, rename)
    return made


_RENAMED: dict[str, Callable[[_Scope, Any], Any]] = {
    "where": _Scope.text,
    "delete_when": _Scope.text,
    "branches": lambda scope, value: {port: scope.text(text) for port, text in value.items()},
    "measures": lambda scope, value: {
        scope.rename(name): renamed_measure(text, scope.names) for name, text in value.items()
    },
    "field": _Scope.of,
    "of": lambda scope, value: [scope.of(name) for name in value],
    "on": lambda scope, value: {
        scope.inputs[0][left]: scope.inputs[1][right] for left, right in value.items()
    },
    "by": lambda scope, value: _fields(value, scope.names, scope.rename),
} | dict.fromkeys(
    ("as", "key", "value", "position", "source_field"), lambda scope, value: scope.rename(value)
)


def _fields_of(step: dict[str, Any], names: Names, rename: Rename) -> Any:
    match step["op"]:
        case "rename":
            return {names[old]: rename(new) for old, new in step["fields"].items()}
        case "cast":
            return {names[name]: type_ for name, type_ in step["fields"].items()}
        case "derive":  # one that is there already is replaced
            return {
                names.get(name, rename(name)): renamed_expression(text, names)
                for name, text in step["fields"].items()
            }
        case _:
            return _fields(step["fields"], names, rename)


def _fields(written: Any, names: Names, rename: Rename) -> Any:
    if isinstance(written, list):
        return [names.get(name, name) for name in written]
    return {rename(name): renamed_expression(text, names) for name, text in written.items()}


def _both(step: dict[str, Any], left: Names, right: Names) -> Names:
    """The names that a join's condition reads."""
    prefix = step.get("prefix", "")
    new = {old: f"{prefix}{name}" if name in left.values() else name for old, name in right.items()}
    return left | {
        f"{prefix}{name}" if name in left else name: new[name] for name in right if prefix or name not in left
    }


def _values(values: Any, names: Names) -> Any:
    if TOMBSTONE in values:
        return {**values, TOMBSTONE: _values(values[TOMBSTONE], names)}
    return {name if name in MARKS else names[name]: value for name, value in values.items()}


def _schemas(old: Plan, new: Plan, reference: str) -> tuple[Schema, Schema]:
    return old.relation(reference).schema, new.relation(reference).schema


def _row(row: dict[str, Any], old: Schema, new: Schema) -> dict[str, Any]:
    """A row of results, and of structs in it, under the new names."""
    return {
        other.name: _value(row[one.name], one.type, other.type) for one, other in zip(old, new, strict=True)
    }


def _value(value: Any, old: DataType, new: DataType) -> Any:
    if value is None:
        return None
    match old, new:
        case Struct(), Struct():
            pairs = zip(old.members, new.members, strict=True)
            return {other.name: _value(value[one.name], one.type, other.type) for one, other in pairs}
        case Array(), Array():
            return [_value(item, old.element, new.element) for item in value]
        case Map(), Map():
            return {key: _value(item, old.value, new.value) for key, item in value.items()}
        case _:
            return value
