"""The pages docs/reference/operators/<op>.md: an operator's row, its parameters and one golden case.

``python -m tests.support.operator_pages docs/reference/operators`` writes them all. The example of a page is
a golden case, so the oracle and Spark have both run it; of an operator's cases the contract's own comes
first, then the shortest.
"""

import inspect
import json
import sys
from pathlib import Path
from typing import Any, Final

import yaml

from jobs.base.instants import Instant, instant_text
from jobs.formats.contract import StreamContract
from jobs.operators import OPERATORS, Operator
from jobs.operators.measures import MEASURES
from jobs.plan import Plan, plan_job
from tests.oracle.cases import Case, load_cases
from tests.support.form_parameters import operator_parameters

_MOST_ROWS: Final = 12
_TYPES: Final = {
    "step": "input",
    "steps": "list of inputs",
    "field": "field",
    "fields": "list of fields",
    "columns": "list of fields, or name: expression",
    "expression": "expression",
    "duration": "duration",
    "time_zone": "time zone",
    "text": "string",
    "right_prefix": "string",
    "integer": "integer",
    "number": "number",
    "flag": "true or false",
}
_ENTRIES: Final = {
    "name": "name",
    "field": "field",
    "right_field": "right field",
    "type": "type",
    "expression": "expression",
    "measure": "measure",
}

_MEASURES: Final = """\
`measure(arguments) where condition`: the condition restricts the rows of that one measure. Nulls are skipped.
One that keeps values makes `mode: auto` take micro-batches. Types, empty groups and limits are in
[semantics](../../semantics/aggregate.md#measures)."""


def pages() -> dict[str, str]:
    """Text by operator."""
    cases = load_cases()
    return {name: _page(row, example_of(name, cases)) for name, row in OPERATORS.items()}


def example_of(operator: str, cases: list[Case]) -> Case:
    """The case that a page shows."""
    using = [case for case in cases if any(step["op"] == operator for step in _steps(case).values())]
    return min(
        using,
        key=lambda case: (not case.title.startswith("6."), len(_steps(case)), len(case.batches), case.title),
    )


def _steps(case: Case) -> dict[str, dict[str, Any]]:
    steps: dict[str, dict[str, Any]] = json.loads(case.document)["steps"]
    return steps


def _page(row: Operator, case: Case) -> str:
    metadata = operator_parameters(row.parameters)
    parts = [
        f"# {row.name}",
        "This page is generated: `python -m tests.support.operator_pages docs/reference/operators`.",
        row.summary,
        f"```yaml\n{row.example}\n```",
        inspect.cleandoc(row.parameters.__doc__ or ""),
        inspect.cleandoc(row.check.__doc__ or ""),
        "## Parameters\n\n" + _parameters(metadata),
        _measures() if any(one.get("values") == "measure" for one in metadata.values()) else "",
        "## Worked example\n\n" + _example(row, case),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _parameters(metadata: dict[str, dict[str, Any]]) -> str:
    """A line per parameter, and one per member of a parameter that is an object."""
    lines = [
        f"| `{path}` | {_type(path, metadata)} | {_default(one)} | {one['help']} | {_example_value(one)} |"
        for path, one in metadata.items()
    ]
    return "\n".join(["| parameter | type | default | meaning | example |", "|---|---|---|---|---|", *lines])


def _measures() -> str:
    rows = [
        [f"`{one.name}`", f"{one.meaning}{', keeps values' * one.holds_values}", f"`{one.example}`"]
        for one in MEASURES.values()
    ]
    table = "\n".join(
        ["| measure | meaning | example |", "|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows)]
    )
    return f"## Measures\n\n{_MEASURES}\n\n{table}"


def _type(path: str, metadata: dict[str, dict[str, Any]]) -> str:
    """The type of a parameter, with the unit of a number."""
    one = metadata[path]
    members = [name.removeprefix(f"{path}.") for name in metadata if name.startswith(f"{path}.")]
    if "options" in one:
        return ", ".join(f"`{value}`" for value in one["options"])
    if members:
        return "`{" + ", ".join(name for name in members if "." not in name) + "}`"
    if one["input"] == "mapping":
        return f"{_ENTRIES[one['keys']]}: {_ENTRIES[one['values']]}"
    note = " or ".join(one.get("types", ())) or one.get("unit")
    return _TYPES[one["input"]] + (f" ({note})" if note else "")


def _default(one: dict[str, Any]) -> str:
    if one.get("required"):
        return "required"
    default = one.get("default")
    return "none" if default in (None, "", [], {}) else f"`{_yaml(default)}`"


def _example_value(one: dict[str, Any]) -> str:
    return f"`{_cell(_yaml(one['example']))}`" if "example" in one else ""


def _yaml(value: Any) -> str:
    """A value as a job document has it, on one line."""
    if isinstance(value, str):
        return value
    text: str = yaml.safe_dump(
        value, default_flow_style=True, sort_keys=False, width=1_000, allow_unicode=True
    )
    return text.removesuffix("...\n").strip()


def _example(row: Operator, case: Case) -> str:
    plan = plan_job(
        case.document,
        {name: StreamContract.model_validate(contract) for name, contract in case.contracts.items()},
    )
    steps = yaml.safe_dump({"steps": _steps(case)}, sort_keys=False, default_flow_style=None, width=110)
    parts = [
        f"*{case.title}*",
        f"```yaml\n{steps}```",
    ]
    for number, batch in enumerate(case.batches):
        title = f"Batch {number + 1}" if len(case.batches) > 1 else "Records"
        read = [_records(source, records, case) for source, records in batch.items() if records]
        parts += [f"{title}:", *read] if read else [f"{title}: nothing new, but the watermark moved."]
        after = case.expected_after[number]
        if number and after == case.expected_after[number - 1]:
            parts.append("Nothing changes.")
        else:
            parts += [
                f"Then {'the result' if name == next(iter(after)) else name} is:\n\n{_content(rows)}"
                for name, rows in after.items()
            ]
    return "\n\n".join([*parts, *_properties(row, plan)])


def _records(source: str, records: list[Any], case: Case) -> str:
    registered = json.loads(case.document)["sources"][source]
    fields = [
        field["name"]
        for field in case.contracts[registered.get("stream") or registered.get("table")]["fields"]
    ]
    rows = [[_clock(at), *(_cell(value.get(field)) for field in fields)] for at, value in records]
    return _table([f"`{source}` at", *fields], rows)


def _content(rows: dict[str, dict[str, Any]]) -> str:
    if not rows:
        return "empty."
    columns = list(next(iter(rows.values())))
    return _table(
        ["identity", *columns],
        [[f"`{key}`", *(_cell(row[column]) for column in columns)] for key, row in rows.items()],
    )


def _table(columns: list[str], rows: list[list[str]]) -> str:
    shown = [f"| {' | '.join(cells)} |" for cells in rows[:_MOST_ROWS]]
    more = [f"\nand {len(rows) - _MOST_ROWS} more."] if len(rows) > _MOST_ROWS else []
    return "\n".join([f"| {' | '.join(columns)} |", "|" + "---|" * len(columns), *shown, *more])


def _clock(at: int) -> str:
    return instant_text(Instant(at)).partition("T")[2].removesuffix("000Z")


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace("|", "\\|")


def _properties(row: Operator, plan: Plan) -> list[str]:
    assert plan.ok, (row.name, plan.problems)
    node = next(node for node in plan.nodes if node.op == row.name)
    state = node.state
    refusal = row.realtime(node.bound)
    kind = "append-only" if node.output.kind == "append" else "a changelog (upsert)"
    return [
        "\n".join(
            [
                f"- gives {kind}"
                + (
                    f", also by the ports {', '.join(f'`{port}`' for port in node.ports)}"
                    if node.ports
                    else ""
                ),
                f"- state here: {state.kind}" + (f": {state.why}" if state.why else ""),
                "- real-time mode: " + (f"no, {node.name} {refusal}" if refusal else "yes"),
            ]
        )
    ]


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for operator, text in pages().items():
        (folder / f"{operator}.md").write_text(text, encoding="utf-8")
