"""The SQL face of documents for tests of the frontend: a line of JSON is asked, a line of JSON is answered.

Asked is ``{"yaml": text}`` for a document as SQL, or ``{"sql": text, "name": …}`` for SQL as a document. The
streams are those of the examples.
"""

import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import yaml

from jobs.document import read_document
from jobs.formats.contract import StreamContract
from jobs.plan import plan_job
from jobs.sql import read_sql, write_sql
from tests.support.plan_meaning import meaning

EXAMPLES = Path(__file__).parents[2] / "examples"
CONTRACTS = {
    stream["name"]: StreamContract.model_validate(stream["contract"])
    for path in sorted(EXAMPLES.glob("*/streams.yaml"))
    for stream in yaml.safe_load(path.read_text(encoding="utf-8"))
}


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """The answer to a line."""
    return _written(asked["yaml"]) if "yaml" in asked else _read(asked["sql"], asked["name"])


def _written(text: str | dict[str, Any]) -> dict[str, Any]:
    """The document as SQL with what it means; problems and refusals where there is none."""
    reading = read_document(text)
    errors = [found.message for found in reading.problems if found.severity == "error"]
    if reading.document is None or errors:
        return {"sql": None, "said": errors, "means": None, "ok": False}
    written = write_sql(reading.document, CONTRACTS)
    said = [reason for _, reason in written.refusals]
    return {"sql": written.text or None, "said": said, **_meaning(text)}


def _read(text: str, name: str) -> dict[str, Any]:
    """The document that SQL is, with what it means; problems where it is none."""
    reading = read_sql(text, CONTRACTS)
    said = [found.message for found in reading.problems]
    if reading.document is None or said:
        return {"document": None, "said": said, "means": None, "ok": False}
    document = {**reading.document, "name": reading.document.get("name") or name}
    return {"document": document, "said": said, **_meaning(document)}


def _meaning(document: str | dict[str, Any]) -> dict[str, Any]:
    """A digest of all that the document says, however it is written; and whether it has no errors."""
    plan = plan_job(document, CONTRACTS)
    if not plan.ok or plan.document is None:
        return {"means": None, "ok": False}
    rest = plan.document.as_json()
    kept = {part: rest.get(part) for part in ("name", "description", "settings", "sources", "outputs")}
    found = meaning(plan)
    found["nodes"] = sorted(found["nodes"].items())
    said = repr(_ordered(found)) + json.dumps(kept, sort_keys=True)
    return {"means": hashlib.sha256(said.encode()).hexdigest(), "ok": True}


def _ordered(value: Any) -> Any:
    """The same with sets in order, so that equal values have equal texts."""
    if isinstance(value, frozenset | set):
        return sorted(map(repr, map(_ordered, value)))
    if is_dataclass(value) and not isinstance(value, type):
        return type(value).__name__, [_ordered(getattr(value, field.name)) for field in fields(value)]
    if isinstance(value, Mapping):
        return [(name, _ordered(part)) for name, part in value.items()]
    return [_ordered(part) for part in value] if isinstance(value, tuple | list) else value


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
