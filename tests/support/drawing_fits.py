"""Which inputs of steps take which rows, as `plan_job` says: every input of every operator by kinds of rows.

``python -m tests.support.drawing_fits`` writes `frontend/src/composer/drawing/fits.test-data.json`, which the
rules of the drawing are tested against; `make generated` does it too.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from jobs.base.problems import Problem
from jobs.formats.contract import StreamContract
from jobs.plan import plan_job
from tests.support.form_parameters import parameters
from tests.support.plan_helpers import contract
from weir.embedded.layout import REPOSITORY

FILE: Final[Path] = REPOSITORY / "frontend" / "src" / "composer" / "drawing" / "fits.test-data.json"

READER: Final = "reader"
REFUSALS: Final = frozenset(("KIND_MISMATCH", "CHAIN_UPDATE", "CHANGE_INPUT", "INPUT_COUNT"))
"""Codes of problems that follow from the rows an input reads; fields and keys are not the drawing's."""

Step = dict[str, Any]

_FIELDS: Final = {
    "k": "string",
    **{"x": "int", "tags": "array<string>", "info": "struct<a:int>"},
    **{"spare": "int", "spare_text": "string", "spare_tags": "array<string>", "spare_info": "struct<b:int>"},
}
_STREAM: Final = contract(_FIELDS)
_TABLE: Final = StreamContract.model_validate(
    {**_STREAM.model_dump(mode="json", exclude_unset=True), "kind": "table", "key": ["k"]}
)
_CONTRACTS: Final = {"s": _STREAM, "s2": _STREAM, "t": _TABLE}
SOURCES: Final = {"s": {"stream": "s"}, "s2": {"stream": "s2"}, "t": {"table": "t"}}

_WINDOW: Final = {"tumbling": {"size": "1m"}}
_MEASURES: Final = {name: f"last({name})" for name in _FIELDS if name != "k"}
_TIMES: Final = {"before": "0s", "after": "1m"}

READERS: Final[dict[str, Step]] = {
    "filter": {"input": "s", "where": "k <> 'a'"},
    "derive": {"input": "s", "fields": {"made": "upper(k)"}},
    "select": {"input": "s", "fields": ["k", "x", "tags", "info"]},
    "split": {"input": "s", "field": "k", "as": "word"},
    "rename": {"input": "s", "fields": {"x": "renamed"}},
    "drop": {"input": "s", "fields": ["x"]},
    "cast": {"input": "s", "fields": {"x": "long"}},
    "flatten": {"input": "s", "field": "info"},
    "explode": {"input": "s", "field": "tags", "as": "item"},
    "union": {"inputs": ["s2", "s"]},
    "branch": {"input": "s", "branches": {"up": "k <> 'a'"}},
    "sample": {"input": "s", "fraction": 0.5},
    "deduplicate": {"input": "s", "by": ["k"], "within": "1m"},
    "latest": {"input": "s", "by": ["k"], "order": "event_time"},
    "aggregate": {"input": "s", "window": _WINDOW, "by": ["k"], "measures": {"x": "max(x)"}},
    "change": {"input": "tumbling", "of": ["x"]},
    "join": {"left": "s", "right": "s2", "on": {"k": "k"}, "between": _TIMES, "prefix": "r_"},
    "table_join": {"input": "s", "table": "t", "on": {"k": "k"}, "prefix": "r_"},
    "throttle": {"input": "s", "by": ["k"], "every": "1m"},
    "broadcast": {
        "op": "table_join",
        "input": "s",
        "table": "t",
        "on": {"k": "k"},
        "prefix": "r_",
        "broadcast": {},
    },
}
"""A sound step of every operator, and others whose parameters decide what fits."""

_KEEPING: Final[dict[str, Step]] = {
    "split": {"field": "spare_text", "as": "spare_word"},
    "rename": {"fields": {"spare": "kept"}},
    "drop": {"fields": ["spare"]},
    "cast": {"fields": {"spare": "long"}},
    "flatten": {"field": "spare_info"},
    "explode": {"field": "spare_tags", "as": "spare_item"},
    "aggregate": {"measures": _MEASURES},
    "join": {"prefix": "l_"},
    "table_join": {"prefix": "l_"},
    "broadcast": {"prefix": "l_"},
}
"""What a step has instead so that its rows keep the fields that readers need: only kinds decide."""


def _step(op: str, **more: Any) -> Step:
    return {"op": op, **READERS[op], **_KEEPING.get(op, {}), **more}


_HOPPING: Final = {"hopping": {"size": "2m", "advance": "1m"}}
_CALENDAR: Final = {"calendar": {"unit": "day", "zone": "Europe/Berlin"}}
_WINDOWS: Final[dict[str, Step]] = {
    "tumbling": {"window": _WINDOW},
    "tumbling_final": {"window": _WINDOW, "emit": "final"},
    "hopping": {"window": _HOPPING},
    "hopping_final": {"window": _HOPPING, "emit": "final"},
    "calendar": {"window": _CALENDAR},
    "calendar_final": {"window": _CALENDAR, "emit": "final"},
    "session": {"window": {"session": {"gap": "1m"}}},
    "sliding": {"window": {"sliding": {"size": "1m"}}},
    "groups": {"window": None},
}
_LATE: Final = {"late": "dead_letter"}
_UPSTREAM: Final = {"t": "t", "late": "late.late", "final": "tumbling_final", "update": "tumbling"}
_KEEP_KIND: Final = ("filter", "derive", "rename", "drop", "cast", "flatten", "branch", "sample")

STEPS: Final[dict[str, Step]] = {
    **{name: _step("aggregate", **more) for name, more in _WINDOWS.items()},
    "late": _step("aggregate", **_LATE),
    "late_repeats": _step("deduplicate", **_LATE),
    **{f"{op}_of_s": _step(op) for op in READERS if op != "change"},
    **{f"{op}_of_{what}": _step(op, input=read) for op in _KEEP_KIND for what, read in _UPSTREAM.items()},
    **{f"{op}_of_late": _step(op, input="late.late") for op in ("split", "explode", "broadcast")},
    "select_of_t": _step("select", input="t"),
    "filter_of_latest": _step("filter", input="latest_of_s"),
    "change_of_update": _step("change", input="tumbling"),
    "change_of_final": _step("change", input="tumbling_final"),
    "filter_of_change": _step("filter", input="change_of_update"),
    "union_of_late": _step("union", inputs=["s2", "late_repeats.late"]),
    "late_of_late": _step("branch", input="late.late", branches={"late": "k <> 'a'"}),
    "branch_named_late": _step("branch", branches={"late": "k <> 'a'"}),
    "table_branch_named_late": _step("branch", input="t", branches={"late": "k <> 'a'"}),
}
"""Steps whose rows are read."""


def references() -> list[str]:
    """What the inputs are tried with: every output of the sources and steps above."""
    found = list(SOURCES)
    for name, step in STEPS.items():
        found += [f"{name}.{branch}" for branch in step["branches"]] if step["op"] == "branch" else [name]
        found += [f"{name}.late"] if step.get("late") == "dead_letter" else []
    return found


@cache
def inputs() -> list[tuple[str, str]]:
    """Reader and parameter of every input, as the drawing knows them."""
    described = parameters()["operators"]
    return [
        (reader, name)
        for reader, step in READERS.items()
        for name, metadata in described[step.get("op", reader)].items()
        if metadata["input"] in ("step", "steps")
    ]


def problems(reader: str, parameter: str, reference: str) -> list[Problem]:
    """The errors of a document in which an input of a sound step reads a reference."""
    step = {"op": reader, **READERS[reader]}
    other = "s" if reference == "s2" else "s2"
    step[parameter] = [other, reference] if parameter == "inputs" else reference
    steps = {**_upstream(_read_by(step)), READER: step}
    read = f"{READER}.up" if reader == "branch" else READER
    outputs: dict[str, Any] = {"out": {"input": read, "to": "result"}}
    for name, one in steps.items():
        if one.get("late") == "dead_letter":
            outputs[name] = {"input": f"{name}.late", "to": {"topic": name}}
    document = {"format": 1, "name": "fits", "sources": SOURCES, "steps": steps, "outputs": outputs}
    return [found for found in plan_job(document, _CONTRACTS).problems if found.severity == "error"]


def refusal(reader: str, parameter: str, reference: str) -> str | None:
    """The code of the problem with the rows that an input reads, if there is one."""
    place = ("steps", READER)
    for found in problems(reader, parameter, reference):
        # The plan tells of late rows at `input`, also where an operator has no such parameter.
        if found.path[:2] == place and found.path[2] in (parameter, "input") and found.code in REFUSALS:
            return found.code
    return None


def table() -> dict[str, Any]:
    """The steps that are read and, by ``reader.input``, what the input refuses, with the code."""
    tried = {
        f"{reader}.{parameter}": {read: refusal(reader, parameter, read) for read in references()}
        for reader, parameter in inputs()
    }
    return {
        "sources": SOURCES,
        "steps": STEPS,
        "references": references(),
        "readers": {op: {"op": op, **step} for op, step in READERS.items()},
        "refused": {
            port: {read: code for read, code in codes.items() if code} for port, codes in tried.items()
        },
    }


def text() -> str:
    """The file's text."""
    return json.dumps(table(), indent=1, ensure_ascii=False) + "\n"


def _read_by(step: Step) -> list[str]:
    values = [step[name] for reader, name in inputs() if reader == step["op"]]
    return [read for value in values for read in (value if isinstance(value, list) else [value])]


def _upstream(read: list[str]) -> dict[str, Step]:
    found: dict[str, Step] = {}
    for name in (reference.partition(".")[0] for reference in read):
        if name in STEPS:
            found |= {**_upstream(_read_by(STEPS[name])), name: STEPS[name]}
    return found


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
