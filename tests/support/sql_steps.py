"""Steps of a document over rows in Python: what a query became, without time. Expressions are computed by the
interpreter that filters records.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jobs.base.schemas import Schema
from jobs.expressions.interpreter import expression
from jobs.expressions.measure_calls import parse_measure
from jobs.plan import Plan

Row = dict[str, Any]
Rows = list[Row]


def answer(plan: Plan, document: Mapping[str, Any], tables: Mapping[str, Rows]) -> Rows:
    """The rows of the only output; each row has its fields in their order."""
    return _Steps(plan, document, tables).rows(next(iter(document["outputs"].values()))["input"])


class _Steps:
    def __init__(self, plan: Plan, document: Mapping[str, Any], tables: Mapping[str, Rows]) -> None:
        self.plan, self.document, self.tables = plan, document, tables

    def schema(self, name: str) -> Schema:
        return self.plan.relation(name).readable

    def rows(self, name: str) -> Rows:
        if name in self.document["sources"]:
            return self.tables[self.document["sources"][name]["stream"]]
        step = self.document["steps"][name]
        made: Rows = getattr(self, f"_{step['op']}")(step)
        return made

    def _value(self, text: str, schema: Schema) -> Callable[[Row], Any]:
        evaluate, problems = expression(text, schema, ())
        assert evaluate is not None, (text, problems)
        return evaluate

    def _fields(self, step: Mapping[str, Any], name: str) -> dict[str, Callable[[Row], Any]]:
        schema = self.schema(step["input"])
        written = step.get(name, {})
        texts = written if isinstance(written, Mapping) else {one: f"`{one}`" for one in written}
        return {one: self._value(text, schema) for one, text in texts.items()}

    def _filter(self, step: Mapping[str, Any]) -> Rows:
        holds = self._value(step["where"], self.schema(step["input"]))
        return [row for row in self.rows(step["input"]) if holds(row) is True]

    def _select(self, step: Mapping[str, Any]) -> Rows:
        fields = self._fields(step, "fields")
        return [{name: value(row) for name, value in fields.items()} for row in self.rows(step["input"])]

    def _derive(self, step: Mapping[str, Any]) -> Rows:
        fields = self._fields(step, "fields")
        return [
            row | {name: value(row) for name, value in fields.items()} for row in self.rows(step["input"])
        ]

    def _drop(self, step: Mapping[str, Any]) -> Rows:
        return [
            {name: value for name, value in row.items() if name not in step["fields"]}
            for row in self.rows(step["input"])
        ]

    def _rename(self, step: Mapping[str, Any]) -> Rows:
        return [
            {step["fields"].get(name, name): value for name, value in row.items()}
            for row in self.rows(step["input"])
        ]

    def _union(self, step: Mapping[str, Any]) -> Rows:
        names = [field.name for field in self.plan.relation(step["inputs"][0]).schema.fields]
        return [{name: row[name] for name in names} for one in step["inputs"] for row in self.rows(one)]

    def _join(self, step: Mapping[str, Any]) -> Rows:
        left, right, prefix = self.rows(step["left"]), self.rows(step["right"]), step.get("prefix", "")
        own = self.plan.relation(step["left"]).schema.names
        theirs = self.plan.relation(step["right"]).schema
        names = {name: f"{prefix}{name}" if name in own else name for name in theirs.names}
        fields = self.plan.relation(step["left"]).schema.fields + tuple(
            type(field)(names[field.name], field.type, True) for field in theirs.fields
        )
        holds = self._value(step.get("where", "true"), Schema(fields))
        found: Rows = []
        for one in left:
            pairs = [
                one | {names[name]: value for name, value in other.items()}
                for other in right
                if all(one[a] is not None and one[a] == other[b] for a, b in step["on"].items())
            ]
            matched = [pair for pair in pairs if holds(pair) is True]
            if step.get("type") in ("semi", "anti"):
                found += [one] if bool(matched) == (step["type"] == "semi") else []
                continue
            found += matched
            if not matched and step.get("type") == "left":
                found.append(one | dict.fromkeys(names.values()))
        return found

    def _aggregate(self, step: Mapping[str, Any]) -> Rows:
        keys, schema = self._fields(step, "by"), self.schema(step["input"])
        measures = {name: self._measure(text, schema) for name, text in step["measures"].items()}
        groups: dict[tuple[Any, ...], Rows] = {} if keys else {(): []}
        for row in self.rows(step["input"]):
            groups.setdefault(tuple(value(row) for value in keys.values()), []).append(row)
        return [
            dict(zip(keys, group, strict=True)) | {name: value(rows) for name, value in measures.items()}
            for group, rows in groups.items()
        ]

    def _measure(self, text: str, schema: Schema) -> Callable[[Sequence[Row]], Any]:
        call, problems = parse_measure(text, schema, ())
        assert call is not None, (text, problems)
        value = self._value(_argument_text(text) if call.arguments else "true", schema)
        holds = self._value(call.where.text if call.where is not None else "true", schema)

        def found(rows: Sequence[Row]) -> Any:
            given = [value(row) for row in rows if holds(row) is True]
            return _gathered(call.name, [one for one in given if one is not None])

        return found


def _argument_text(text: str) -> str:
    """What stands between the parentheses of the call."""
    depth = 0
    begin = text.index("(")
    for at in range(begin, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return text[begin + 1 : at]
    raise ValueError(text)


def _gathered(name: str, values: list[Any]) -> Any:
    match name:
        case "count":
            return len(values)
        case "distinct":
            return len(set(values))
        case "sum":
            return sum(values) if values else None
        case "min":
            return min(values, default=None)
    raise ValueError(name)
