"""Stateless steps, and union."""

import unicodedata
import zlib
from decimal import Decimal
from typing import Any

from tests.oracle.casts import cast
from tests.oracle.measures import evaluate, fails
from tests.oracle.result_types import digits, text_type
from tests.oracle.step import Clock, Step, Types, evaluated
from tests.oracle.values import Entry, Flow, Row, flow_of, identity, in_order, rows_of, type_parts


class RowStep(Step):
    """One row in, one row with other values out; tombstones pass."""

    def values(self, row: Row) -> dict[str, Any]:
        raise NotImplementedError

    def batch(self, flows: list[Flow], clock: Clock) -> dict[str, Flow]:
        return {
            "": [
                Entry(entry.id, entry.row and entry.row.having(self.values(entry.row)), entry.t)
                for entry in flows[0]
            ]
        }


class Derive(RowStep):
    def fails(self, row: Row) -> bool:
        return any(fails(str(text), row) for text in self.written["fields"].values())

    def made_types(self, types: Types) -> Types:
        return types | {name: text_type(str(text), types) for name, text in self.written["fields"].items()}

    def values(self, row: Row) -> dict[str, Any]:
        return {**row.values, **evaluated(self.written["fields"], row)}


class Select(RowStep):
    @property
    def fields(self) -> dict[str, Any]:
        fields = self.written["fields"]
        return fields if isinstance(fields, dict) else {name: name for name in fields}

    def made_types(self, types: Types) -> Types:
        return {name: text_type(str(text), types) for name, text in self.fields.items()}

    def values(self, row: Row) -> dict[str, Any]:
        return evaluated(self.fields, row)

    def fails(self, row: Row) -> bool:
        return any(fails(str(text), row) for text in self.fields.values())


class Rename(RowStep):
    def __init__(self, name: str, written: dict[str, Any], inputs: list[Step]) -> None:
        super().__init__(name, written, inputs)
        self.key = [written["fields"].get(field, field) for field in self.key]

    def made_types(self, types: Types) -> Types:
        return {self.written["fields"].get(name, name): type_ for name, type_ in types.items()}

    def values(self, row: Row) -> dict[str, Any]:
        return {self.written["fields"].get(name, name): value for name, value in row.values.items()}


class Drop(RowStep):
    def made_types(self, types: Types) -> Types:
        return {name: type_ for name, type_ in types.items() if name not in self.written["fields"]}

    def values(self, row: Row) -> dict[str, Any]:
        return {name: value for name, value in row.values.items() if name not in self.written["fields"]}


class Cast(RowStep):
    def made_types(self, types: Types) -> Types:
        return types | self.written["fields"]

    def values(self, row: Row) -> dict[str, Any]:
        return row.values | {name: cast(row.values[name], to) for name, to in self.written["fields"].items()}

    def fails(self, row: Row) -> bool:
        made = self.values(row)
        return any(made[name] is None and row.values[name] is not None for name in self.written["fields"])


class Flatten(RowStep):
    """A struct is replaced by its fields, which are null for a null struct."""

    def made_types(self, types: Types) -> Types:
        field = self.written["field"]
        prefix = self.written.get("prefix", f"{field}_")
        parts = [part.split(":", 1) for part in type_parts((types[field] or "")[len("struct<") : -1])]
        self.members = {f"{prefix}{name.strip()}": name.strip() for name, _ in parts}
        inside = {f"{prefix}{name.strip()}": type_.strip() for name, type_ in parts}
        made: Types = {}
        for name, type_ in types.items():
            made |= inside if name == field else {name: type_}
        return made

    def values(self, row: Row) -> dict[str, Any]:
        field = self.written["field"]
        made: dict[str, Any] = {}
        for name, value in row.values.items():
            made |= (
                {new: (value or {}).get(old) for new, old in self.members.items()}
                if name == field
                else {name: value}
            )
        return made


class Filter(Step):
    """Only what the condition is true for; in a changelog the rest are tombstones."""

    def batch(self, flows: list[Flow], clock: Clock) -> dict[str, Flow]:
        return {"": passing(self.upsert, flows[0], lambda row: evaluate(self.written["where"], row) is True)}

    def fails(self, row: Row) -> bool:
        return fails(self.written["where"], row)


def passing(upsert: bool, flow: Flow, holds: Any) -> Flow:
    """The entries whose row passes."""
    if upsert:
        return [
            Entry(entry.id, entry.row if entry.row is not None and holds(entry.row) else None, entry.t)
            for entry in flow
        ]
    return [entry for entry in flow if entry.row is not None and holds(entry.row)]


class Branch(Step):
    """Each named output is a filter; `rest` takes what no condition is true for."""

    def batch(self, flows: list[Flow], clock: Clock) -> dict[str, Flow]:
        branches = self.written["branches"]
        ports = [*branches, *([self.written["rest"]] if self.written.get("rest") else [])]
        return {
            port: passing(self.upsert, flows[0], lambda row, port=port: port in self._ports(row))
            for port in ports
        }

    def _ports(self, row: Row) -> list[str]:
        true = [name for name, text in self.written["branches"].items() if evaluate(text, row) is True]
        if not true:
            return [self.written["rest"]] if self.written.get("rest") else []
        return true if self.written.get("match") == "all" else true[:1]

    def fails(self, row: Row) -> bool:
        for text in self.written["branches"].values():
            if fails(text, row):
                return True
            if self.written.get("match") != "all" and evaluate(text, row) is True:
                return False  # the conditions behind the first true one are not asked
        return False


class Sample(Step):
    """By the hash of the identity's text."""

    def batch(self, flows: list[Flow], clock: Clock) -> dict[str, Flow]:
        fraction = float(self.written["fraction"])
        return {
            "": [entry for entry in flows[0] if zlib.crc32(identity(entry.id).encode()) < fraction * 2**32]
        }


class Explode(Step):
    """One row per element; its index ends the identity."""

    def made_types(self, types: Types) -> Types:
        field = self.written["field"]
        type_ = types.get(field) or ""
        self.is_map = type_.startswith("map")
        inside = type_parts(type_[type_.find("<") + 1 : -1])
        names = (
            [self.written.get("key", "key"), self.written.get("value", "value")]
            if self.is_map
            else [self.written.get("as", field)]
        )
        position: Types = {self.written["position"]: "int"} if self.written.get("position") else {}
        rest = {name: type_ for name, type_ in types.items() if name != field}
        return rest | position | dict(zip(names, inside, strict=True))

    def batch(self, flows: list[Flow], clock: Clock) -> dict[str, Flow]:
        made: list[Row] = []
        for row in rows_of(flows[0]):
            rest = {name: value for name, value in row.values.items() if name != self.written["field"]}
            for at, element in enumerate(self._elements(row.values[self.written["field"]])):
                index = {self.written["position"]: at} if self.written.get("position") else {}
                made.append(row.having({**rest, **index, **element}, [*row.id, at]))
        return {"": flow_of(made)}

    def _elements(self, value: Any) -> list[dict[str, Any]]:
        field = self.written["field"]
        if self.is_map:
            key, entry = self.written.get("key", "key"), self.written.get("value", "value")
            found = [{key: name, entry: value[name]} for name in sorted(value or {}, key=in_order)]
            empty = {key: None, entry: None}
        else:
            name = self.written.get("as", field)
            found = [{name: element} for element in value or []]
            empty = {name: None}
        return found or ([empty] if self.written.get("keep_empty") else [])


class Split(Step):
    """The words of a text, or the pieces between occurrences of a literal."""

    def made_types(self, types: Types) -> Types:
        return {name: type_ for name, type_ in types.items() if name != self.written["field"]} | {
            self.written.get("as", "word"): "string"
        }

    def batch(self, flows: list[Flow], clock: Clock) -> dict[str, Flow]:
        made: list[Row] = []
        for row in rows_of(flows[0]):
            rest = {name: value for name, value in row.values.items() if name != self.written["field"]}
            for at, piece in enumerate(
                pieces(row.values[self.written["field"]], self.written.get("by", "words"))
            ):
                word = piece.lower() if self.written.get("lower") else piece
                made.append(row.having({**rest, self.written.get("as", "word"): word}, [*row.id, at]))
        return {"": flow_of(made)}


def pieces(text: str | None, by: str) -> list[str]:
    if text is None:
        return []
    if by != "words":
        return [piece for piece in text.split(by) if piece]
    marked = "".join(
        c
        if c == "_" or unicodedata.category(c)[0] in "LM" or unicodedata.category(c) in ("Nd", "Nl", "No")
        else " "
        for c in text
    )
    return [piece for piece in marked.split(" ") if piece]


class Union(Step):
    """All rows of all inputs; fields in order of first appearance."""

    def __init__(self, name: str, written: dict[str, Any], inputs: list[Step]) -> None:
        super().__init__(name, written, inputs)
        self.types = {}
        for step in inputs:
            for field, type_ in step.types.items():
                self.types[field] = type_ if field not in self.types else wider(self.types[field], type_)
        self.merged = dict(self.types)
        if written.get("source_field"):
            self.types[written["source_field"]] = "string"
        # Identities collide with inputs of one source, or when they do not begin with their source's name.
        self.prefixed = len(set(self.roots)) < len(self.roots) or not self.row_ids

    def batch(self, flows: list[Flow], clock: Clock) -> dict[str, Flow]:
        made: list[Row] = []
        for name, flow in zip(self.written["inputs"], flows, strict=True):
            for row in rows_of(flow):
                values = {
                    field: self._widened(row.values.get(field), type_) for field, type_ in self.merged.items()
                }
                if self.written.get("source_field"):
                    values[self.written["source_field"]] = name
                made.append(row.having(values, [name, *row.id] if self.prefixed else row.id))
        return {"": flow_of(made)}

    @staticmethod
    def _widened(value: Any, type_: str | None) -> Any:
        return (
            value
            if value is None or type_ is None or type(value) not in (int, Decimal)
            else cast(value, type_)
        )


def wider(one: str | None, other: str | None) -> str | None:
    """int → long → double; decimals, and int and long as decimals, to the smallest that holds both."""
    if one == other:
        return one
    order = ["int", "long", "double"]
    if one in order and other in order:
        return order[max(order.index(one), order.index(other))]
    pair = [
        digits({"int": "decimal(10,0)", "long": "decimal(20,0)"}.get(type_ or "", type_))
        for type_ in (one, other)
    ]
    if pair[0] is None or pair[1] is None:
        return None
    scale = max(scale for _, scale in filter(None, pair))
    return f"decimal({max(precision - behind for precision, behind in filter(None, pair)) + scale},{scale})"
