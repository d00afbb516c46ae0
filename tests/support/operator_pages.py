"""The pages docs/reference/operators/<op>.md, made from an operator's row, its parameters and one golden case.

``python -m tests.support.operator_pages docs/reference/operators`` writes them all. The example of a page is a golden case, so
the oracle and Spark have both run it; of an operator's cases the contract's own comes first, then the shortest.
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
from jobs.operators.parameters import DURATION_PATTERN
from jobs.plan import Plan, plan_job
from tests.oracle.cases import Case, load_cases

_COMMON: Final = ("op",)
_MOST_ROWS: Final = 12
_WORDS: Final = {"string": "string", "integer": "integer", "number": "number", "boolean": "true or false"}


def pages() -> dict[str, str]:
    """Text by operator."""
    cases = load_cases()
    return {name: _page(row, example_of(name, cases)) for name, row in OPERATORS.items()}


def example_of(operator: str, cases: list[Case]) -> Case:
    """The case that a page shows."""
    using = [case for case in cases if any(step["op"] == operator for step in _steps(case).values())]
    return min(using, key=lambda case: (not case.title.startswith("6."), len(_steps(case)), len(case.batches), case.title))


def _steps(case: Case) -> dict[str, dict[str, Any]]:
    steps: dict[str, dict[str, Any]] = json.loads(case.document)["steps"]
    return steps


def _page(row: Operator, case: Case) -> str:
    parts = [
        f"# {row.name}",
        "This page is generated: `python -m tests.support.operator_pages docs/reference/operators`.",
        row.summary,
        f"```yaml\n{row.example}\n```",
        inspect.cleandoc(row.parameters.__doc__ or ""),
        inspect.cleandoc(row.check.__doc__ or ""),
        "## Parameters\n\n" + _parameters(row),
        "## Worked example\n\n" + _example(row, case),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _parameters(row: Operator) -> str:
    schema = row.parameters.model_json_schema()
    own = {**schema, "properties": {name: given for name, given in schema["properties"].items() if name not in _COMMON}}
    return "\n".join(["| parameter | takes | when left out |", "|---|---|---|", *_lines(own, schema.get("$defs", {}), "")])


def _lines(schema: dict[str, Any], named: dict[str, Any], before: str) -> list[str]:
    """A line per parameter, and one per parameter inside it."""
    found = []
    for name, given in schema["properties"].items():
        left_out = "must be given" if name in schema.get("required", ()) else _value(given.get("default"))
        found.append(f"| `{before}{name}` | {_takes(given, named)} | {left_out} |")
        for inside in _inside(given, named):
            found += _lines(inside, named, f"{before}{name}.")
    return found


def _inside(given: dict[str, Any], named: dict[str, Any]) -> list[dict[str, Any]]:
    """The objects with parameters of their own that a value may be."""
    given = _resolved(given, named)
    if "properties" in given:
        return [given]
    return [found for part in given.get("anyOf") or given.get("oneOf") or () for found in _inside(part, named)]


def _resolved(given: dict[str, Any], named: dict[str, Any]) -> dict[str, Any]:
    return named[given["$ref"].rpartition("/")[2]] if "$ref" in given else given


def _value(default: Any) -> str:
    return "nothing" if default in (None, "", [], {}) else f"`{json.dumps(default)}`".replace('"', "")


def _takes(given: dict[str, Any], named: dict[str, Any]) -> str:
    """A JSON Schema in words."""
    given = _resolved(given, named)
    if "anyOf" in given or "oneOf" in given:
        parts = [_takes(part, named) for part in given.get("anyOf") or given["oneOf"] if part.get("type") != "null"]
        return " or ".join(dict.fromkeys(parts))
    if "enum" in given or "const" in given:
        return ", ".join(f"`{value}`" for value in given.get("enum", [given.get("const")]))
    if "properties" in given:
        return "`{" + ", ".join(given["properties"]) + "}`"
    if given.get("type") == "array":
        return f"list of {_takes(given['items'], named)}"
    if given.get("type") == "object":
        return f"name: {_takes(given['additionalProperties'], named)}" if isinstance(given.get("additionalProperties"), dict) else "mapping"
    if given.get("pattern") == DURATION_PATTERN:
        return f"duration, as {' or '.join(f'`{example}`' for example in given['examples'])}"
    kinds = given.get("type", "")
    if "string" in kinds and "boolean" in kinds:
        return "expression"  # a bare number or truth is one too
    return " or ".join(_WORDS.get(kind, "value") for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind != "null")


def _example(row: Operator, case: Case) -> str:
    plan = plan_job(case.document, {name: StreamContract.model_validate(given) for name, given in case.contracts.items()})
    parts = [
        f"*{case.title}*",
        f"```yaml\n{yaml.safe_dump({'steps': _steps(case)}, sort_keys=False, default_flow_style=None, width=110)}```",
    ]
    for number, batch in enumerate(case.batches):
        title = f"Batch {number + 1}" if len(case.batches) > 1 else "Records"
        read = [_records(source, records, case) for source, records in batch.items() if records]
        parts += [f"{title}:", *read] if read else [f"{title}: nothing new, but the watermark moved."]
        after = case.expected_after[number]
        if number and after == case.expected_after[number - 1]:
            parts.append("Nothing changes.")
        else:
            parts += [f"Then {'the result' if name == next(iter(after)) else name} is:\n\n{_content(rows)}" for name, rows in after.items()]
    return "\n\n".join([*parts, *_facts(row, plan)])


def _records(source: str, records: list[Any], case: Case) -> str:
    registered = json.loads(case.document)["sources"][source]
    fields = [field["name"] for field in case.contracts[registered.get("stream") or registered.get("table")]["fields"]]
    rows = [[_clock(at), *(_cell(value.get(field)) for field in fields)] for at, value in records]
    return _table([f"`{source}` at", *fields], rows)


def _content(rows: dict[str, dict[str, Any]]) -> str:
    if not rows:
        return "empty."
    columns = list(next(iter(rows.values())))
    return _table(["identity", *columns], [[f"`{key}`", *(_cell(row[column]) for column in columns)] for key, row in rows.items()])


def _table(columns: list[str], rows: list[list[str]]) -> str:
    shown = [f"| {' | '.join(cells)} |" for cells in rows[:_MOST_ROWS]]
    more = [f"\nand {len(rows) - _MOST_ROWS} more."] if len(rows) > _MOST_ROWS else []
    return "\n".join([f"| {' | '.join(columns)} |", "|" + "---|" * len(columns), *shown, *more])


def _clock(at: int) -> str:
    return instant_text(Instant(at)).partition("T")[2].removesuffix("000Z")


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace("|", "\\|")


def _facts(row: Operator, plan: Plan) -> list[str]:
    assert plan.ok, (row.name, plan.problems)
    node = next(node for node in plan.nodes if node.op == row.name)
    state = node.state
    refusal = row.realtime(node.bound)
    kind = "append-only" if node.output.kind == "append" else "a changelog (upsert)"
    return [
        "\n".join(
            [
                f"- gives {kind}" + (f", also by the ports {', '.join(f'`{port}`' for port in node.ports)}" if node.ports else ""),
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
