"""The worked examples of docs/semantics.

Each is a golden case, written into its chapter from tests/golden/operators.

``python -m tests.support.semantics_examples`` writes them again. A chapter names a case by its title, between
two markers; what stands between the markers is generated. The golden tests play every case on the oracle and
on Spark, so an example is never only prose.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from tests.oracle.answers import Oracle
from tests.oracle.cases import FOLDER, START, Case, load_cases

CHAPTERS: Final = Path(__file__).parents[2] / "docs" / "semantics"

_BLOCK: Final = re.compile(r"<!-- golden case: (?P<title>.+?) -->\n(?:.*?)<!-- end of case -->", re.DOTALL)
_INPUT: Final = ("fields", "delay", "streams", "tables", "sources", "settings", "steps", "outputs")
_CLOSING: Final = ("window", "within", "every", "between", "ttl", "retention", "version")
"""Parameters of steps whose results depend on the watermark: beside them an example shows it."""

_NO_WATERMARK: Final = "–"

Content = dict[str, list[Any]]  # identity → row


class _Plain(yaml.SafeDumper):
    """Writes a value again where it is used twice, instead of pointing to it."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def chapters() -> list[Path]:
    """The files of docs/semantics."""
    return sorted(CHAPTERS.glob("*.md"))


def titles(text: str) -> list[str]:
    """The cases that a chapter shows."""
    return [found["title"] for found in _BLOCK.finditer(text)]


def rewritten(text: str) -> str:
    """A chapter with its examples as the golden files have them.

    Raises:
        KeyError: there is no golden case of a title.
    """
    return _BLOCK.sub(lambda found: example(golden_cases()[found["title"]], cases()[found["title"]]), text)


@cache
def cases() -> dict[str, Case]:
    """The cases as the oracle and Spark play them, by title."""
    return {case.title: case for case in load_cases()}


@cache
def golden_cases() -> dict[str, dict[str, Any]]:
    """The cases as they are written, by title."""
    return {
        case["title"]: case
        for path in sorted(FOLDER.glob("*.yaml"))
        for case in yaml.safe_load(path.read_text("utf-8"))
    }


def example(written: dict[str, Any], case: Case) -> str:
    """One case between its markers.

    Document, then per batch a line with input rows, watermarks and results.
    """
    title = written["title"]
    inputs = {name: written[name] for name in _INPUT if name in written}
    document = "".join(_entry(name, value) for name, value in inputs.items())
    parts = [f"**Example: {title}**", f"```yaml\n{document}```", _table(written, case), *_notes(written)]
    return "\n\n".join([f"<!-- golden case: {title} -->", *parts, "<!-- end of case -->"])


def _entry(name: str, value: Any) -> str:
    """A part of the document; of sections whose entries have names each entry is a line."""
    nested = name in ("streams", "tables", "steps") and isinstance(value, dict)
    return (
        f"{name}:\n" + "".join(f"  {_inline({key: one})}\n" for key, one in value.items())
        if nested
        else f"{_inline({name: value})}\n"
    )


def _inline(value: dict[str, Any]) -> str:
    return yaml.dump(
        value, Dumper=_Plain, sort_keys=False, default_flow_style=True, width=10_000, allow_unicode=True
    ).strip()[1:-1]


def _table(written: dict[str, Any], case: Case) -> str:
    sources = list(dict.fromkeys(name for batch in case.batches for name in batch))
    outputs = list(written["columns"]) if "outputs" in written else [""]
    clocks = (
        _clocks(case) if any(name in step for step in written["steps"].values() for name in _CLOSING) else []
    )
    clocked = any(clock != (_NO_WATERMARK, _NO_WATERMARK) for clock in clocks)
    header = ["batch", *(f"`{name}`: {', '.join(['t', *_fields(written, name)])}" for name in sources)]
    header += ["L", "E"] if clocked else []
    header += [_header(written, output) for output in outputs]
    lines = [header, ["---"] * len(header)]
    before: dict[str, Content] = {output: {} for output in outputs}
    for number, batch in enumerate(written["batches"]):
        rows = batch if isinstance(batch, dict) else {"s": batch}
        line = [
            str(number + 1),
            *("<br>".join(_span(_record(row)) for row in rows.get(name, [])) for name in sources),
        ]
        line += clocks[number] if clocked else ()
        for output in outputs:
            after = _content(written, output, number)
            line.append(_changes(before[output], after))
            before[output] = after
        lines.append(line)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _clocks(case: Case) -> list[tuple[str, str]]:
    """L and E of each batch, in seconds after the start of the cases."""
    oracle = Oracle(case.document, case.contracts)
    found = []
    for batch in case.batches:
        late, closing = oracle.watermarks
        found.append((_seconds(late), _seconds(closing)))
        oracle.batch(batch)
    return found


def _seconds(watermark: int) -> str:
    return _NO_WATERMARK if watermark == 0 else f"{(watermark - START) / 1_000_000:g}"


def _fields(written: dict[str, Any], source: str) -> list[str]:
    """The fields of a record as the case writes them."""
    reference = written.get("sources", {}).get(source, {})
    name = reference.get("stream") or reference.get("table") or source
    registered = {**written.get("streams", {}), **written.get("tables", {})}.get(name, written)
    return [field for field in registered["fields"] if field != registered.get("event_time")]


def _header(written: dict[str, Any], output: str) -> str:
    columns, width = _shape(written, output)
    named = ", ".join([*(f"**{name}**" for name in columns[:width]), *columns[width:]])
    return f"`{output}`: {named}" if output else f"new or changed: {named}"


def _shape(written: dict[str, Any], output: str) -> tuple[list[str], int]:
    """The columns of an output, and how many of them are the identity."""
    columns = written["columns"][output] if output else written["columns"]
    widths = written.get("identity", 0)
    width = widths.get(output, 0) if isinstance(widths, dict) else widths
    return columns, 1 if columns[0] == "id" else width


def _content(written: dict[str, Any], output: str, number: int) -> Content:
    while written["after"][number] == "same":
        number -= 1
    rows = written["after"][number]
    return _by_identity(written, output, rows.get(output, []) if output else rows)


def _by_identity(written: dict[str, Any], output: str, rows: list[list[Any]]) -> Content:
    width = _shape(written, output)[1]
    return {json.dumps(row[:width], default=str): row for row in rows}


def _changes(before: Content, after: Content) -> str:
    changed = [_span(_row(row)) for key, row in after.items() if before.get(key) != row]
    removed = [f"removed: {_span(_row(json.loads(key)))}" for key in before if key not in after]
    return "<br>".join([*changed, *removed]) or "–"


def _notes(written: dict[str, Any]) -> list[str]:
    found = []
    if written.get("late"):
        found.append(f"Late: {written['late']}.")
    for name, what in (("errors", "Errors that became null"), ("malformed", "Malformed")):
        if written.get(name):
            found.append(
                f"{what}: {', '.join(f'{count} in `{node}`' for node, count in written[name].items())}."
            )
    if written.get("any_order") == "arrival":
        found.append("The answer depends on the order of arrival.")
    elif "any_order" in written and isinstance(written["any_order"], list):
        rows = " ".join(_span(_row(row)) for row in written["any_order"])
        found.append(f"Order-insensitive answer: {rows}.")
    return [" ".join(found)] if found else []


def _record(row: list[Any]) -> str:
    at, *values = row
    if len(values) == 1 and isinstance(values[0], dict) and values[0].keys() == {"heartbeat"}:
        return f"{at}, heartbeat {values[0]['heartbeat']}"
    if len(values) == 1 and isinstance(values[0], dict):
        return f"{at}, tombstone {', '.join(_value(part) for part in values[0].values())}"
    return ", ".join([str(at), *map(_value, values)])


def _row(row: list[Any]) -> str:
    return ", ".join(map(_value, row))


def _value(value: Any) -> str:
    """A text as it is, where it cannot be taken for something else; all other values as JSON."""
    if (
        isinstance(value, str)
        and re.fullmatch(r"[^\W\d][^,\"`\x00-\x1f]*(?<! )|\d{4}-\d\d-\d\dT.*Z", value)
        and value not in ("null", "true", "false")
    ):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _span(text: str) -> str:
    return f"`{text}`".replace("|", "\\|")


if __name__ == "__main__":
    for path in chapters():
        path.write_text(rewritten(path.read_text("utf-8")), encoding="utf-8")
