"""Golden cases as tests of a job, which the composer opens from an operator's form: *See it run*.

``python -m tests.support.worked_examples`` writes `frontend/src/composer/worked-examples.json`: of each
operator the case of its page, and those of `MORE`. A test runs a batch without records after each batch where
the watermark alone can release rows, so what comes by batch is asked of the oracle again.
"""

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from jobs.base.durations import Duration
from jobs.base.instants import Instant, instant_text
from jobs.base.iso_times import read_instant, trimmed
from jobs.base.types import TIMESTAMP, DataType
from jobs.engine.lowering import acts_alone
from jobs.formats.contract import StreamContract
from jobs.job_tests.played_content import output_form
from jobs.operators import OPERATORS
from jobs.plan import Plan, plan_job
from tests.oracle.answers import Batch, Content, Oracle
from tests.oracle.cases import START, Case, load_cases
from tests.oracle.records import HEARTBEAT, TOMBSTONE
from tests.oracle.values import as_json
from tests.support.operator_pages import example_of
from tests.support.spark_case import allowed_late

FILE: Final = Path(__file__).parents[2] / "frontend/src/composer/worked-examples.json"
MAX_BATCHES: Final = 8
MAX_RECORDS: Final = 20
MAX_OUTPUTS: Final = 4
MORE: Final = {
    "filter": ("a null is no error, and a row with two errors is one row",),
    "derive": ("errors inside expressions are null",),
    "aggregate": (
        "6.7 hopping with late rows",
        "final results appear once, when their window closes",
        "6.5 sessions merged by a late event",
    ),
    "branch": ("branch sends a row to the first true condition, else to the rest",),
    "change": ("a row late for its own window and for the next is late once",),
    "deduplicate": ("late rows of deduplicate",),
    "join": ("6.6 left join, when the null row appears", "late rows are dropped before they are matched"),
    "table_join": (
        "6.10 as-of join, versions by event time",
        "current, the table as it is when the row comes",
    ),
    "throttle": (
        "throttle passes the first row of each interval of a key",
        "throttle passes the last row of each interval, once it is over",
    ),
    "union": ("the watermark of the faster source refuses rows of the slower",),
}
"""Titles of cases that are offered after the one of the operator's page."""
_DAY_US: Final = 86_400_000_000
_SECTION: Final = re.compile(r"^\d+(\.\d+)* ")


class _Plain(yaml.SafeDumper):
    """Writes a value again where it is used twice, instead of pointing to it."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


@dataclass(frozen=True)
class WorkedExample:
    """A golden case as a person opens it.

    Attributes:
        title: of the case.
        document: the job document, YAML.
        streams: contracts by name; nobody has to register them.
        test: the test document, YAML.
    """

    title: str
    document: str
    streams: dict[str, Any]
    test: str


def worked_examples() -> dict[str, list[WorkedExample]]:
    """By operator, in the order in which they are offered."""
    cases = load_cases()
    return {
        name: [_example(name, case) for case in _chosen(name, cases)]
        for name, row in OPERATORS.items()
        if row.example
    }


def text() -> str:
    """The file."""
    found = {name: [vars(one) for one in examples] for name, examples in worked_examples().items()}
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def _chosen(operator: str, cases: list[Case]) -> list[Case]:
    small = [case for case in cases if _uses(case, operator) and _fits(case)]
    by_title = {case.title: case for case in small}
    page = example_of(operator, small)
    more = [by_title[title] for title in MORE.get(operator, ())]
    return list({case.title: case for case in (page, *more)}.values())


def _fits(case: Case) -> bool:
    """Whether a case can be a test: it reads JSON values, and is small."""
    records = [record for batch in case.batches for sent in batch.values() for _, record in sent]
    return (
        len(case.outputs) <= MAX_OUTPUTS
        and len(case.batches) <= MAX_BATCHES
        and len(records) <= MAX_RECORDS
        and not case.approximate
        and not case.only_end
        and all(isinstance(record, dict) and HEARTBEAT not in record for record in records)
        and _plan(case).ok
    )


def _uses(case: Case, operator: str) -> bool:
    return any(step["op"] == operator for step in json.loads(case.document)["steps"].values())


def _plan(case: Case) -> Plan:
    return plan_job(
        case.document, {name: StreamContract.model_validate(one) for name, one in case.contracts.items()}
    )


def _example(operator: str, case: Case) -> WorkedExample:
    title = _SECTION.sub("", case.title)
    document = json.loads(case.document) | {"name": f"{operator}-example"}
    return WorkedExample(
        title=title[0].upper() + title[1:],
        document=f"# A golden case of {operator}: {title}.\n" + _yaml(document),
        streams=case.contracts,
        test=_yaml(_test(title, case)),
    )


def _test(title: str, case: Case) -> dict[str, Any]:
    plan = _plan(case)
    closes = acts_alone(plan)
    oracle = Oracle(case.document, case.contracts)
    batches = []
    for batch in _batches(case, closes):
        before = oracle.result()
        oracle.batch(batch)
        if closes:
            oracle.batch({})
        records = {
            source: [_record(case, source, *record) for record in sent]
            for source, sent in batch.items()
            if sent
        }
        given = {
            name: rows
            for name, after in oracle.result().items()
            if (rows := _given(plan, name, before[name], after)) is not None
        }
        batches.append(
            ({"records": records} if records else {}) | ({"expect": {"outputs": given}} if given else {})
        )
    return {
        "format": 1,
        "name": title,
        "start": "2026-01-01T10:00:00Z",
        "batches": batches,
        "expect": _at_the_end(case, plan, oracle),
    }


def _batches(case: Case, closes: bool) -> Iterator[Batch]:
    """Without the empty batches of a case that only wait for the watermark, where a test has its own."""
    for batch in case.batches:
        if any(batch.values()) or not closes:
            yield batch


def _record(case: Case, source: str, at: int, values: dict[str, Any]) -> dict[str, Any]:
    time = {"at": _after_start(at)}
    if TOMBSTONE in values:
        return time | {"delete": values[TOMBSTONE]}
    registered = json.loads(case.document)["sources"][source]
    rule = case.contracts[registered.get("stream") or registered["table"]].get("event_time", {})
    return time | {"values": {name: value for name, value in values.items() if name != rule.get("field")}}


def _given(plan: Plan, output: str, before: Content, after: Content) -> dict[str, Any] | None:
    """What a batch gives: all of its rows where rows are only added. An aggregate may write a row again as it
    was, so that of a changelog those that changed are some of them; None: there are none.
    """
    relation = output_form(plan, output).relation
    rows = [_row(plan, output, row) for key, row in after.items() if before.get(key) != row]
    gone = [before[key] for key in before if key not in after]
    if relation.kind == "append":
        return {"rows": rows}
    identity = [{part: row[part] for part in relation.identity} for row in gone]
    changed = rows + [{**_row(plan, output, names), "_deleted": True} for names in identity]
    return {"contains": changed} if changed else None


def _at_the_end(case: Case, plan: Plan, oracle: Oracle) -> dict[str, Any]:
    outputs = {
        name: {"rows": [_row(plan, name, row) for row in content.values()]}
        for name, content in oracle.result().items()
    }
    sources = json.loads(case.document)["sources"]
    malformed = {name: count for name, count in oracle.malformed.items() if name in sources}
    keyless = {name: count for name, count in oracle.malformed.items() if name not in sources}
    late = oracle.late if min(allowed_late(case)) else 0
    counts = {"late": late, "malformed": malformed, "errors": oracle.errors, "keyless": keyless}
    return {"outputs": outputs} | {name: count for name, count in counts.items() if count}


def _row(plan: Plan, output: str, row: dict[str, Any]) -> dict[str, Any]:
    """A row as a test expects it: times are durations after its start."""
    types = output_form(plan, output).types
    return {name: _expected(as_json(value), types.get(name)) for name, value in row.items()}


def _expected(value: Any, declared: DataType | None) -> Any:
    at = read_instant(value) if declared == TIMESTAMP and isinstance(value, str) else None
    return value if at is None else _after_start(at)


def _after_start(at: int) -> str:
    return str(Duration(at - START)) if abs(at - START) < _DAY_US else trimmed(instant_text(Instant(at)))


def _yaml(value: dict[str, Any]) -> str:
    """YAML; what has nothing below it is one line."""
    written: str = yaml.dump(
        value, Dumper=_Plain, sort_keys=False, default_flow_style=None, width=110, allow_unicode=True
    )
    return written


if __name__ == "__main__":
    if sys.argv[1:] != ["--check"]:
        FILE.write_text(text(), encoding="utf-8")
    elif FILE.read_text("utf-8") != text():
        sys.exit(f"{FILE.name} is out of date: make generated")
