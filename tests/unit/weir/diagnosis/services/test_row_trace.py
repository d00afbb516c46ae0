"""For every row that a golden case gives, the records that made it are those without which the oracle gives
another row, wherever the trace claims to know them.
"""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from jobs.base.instants import MAX_INSTANT, Instant, datetime_of, instant_text
from jobs.formats.contract import StreamContract
from jobs.plan import Plan, plan_job
from jobs.plan.model import SourceBound
from tests.oracle.answers import Batch, Content, Oracle
from tests.oracle.cases import Case, differences, load_cases
from tests.support.record_texts import decoded
from tests.unit.weir.diagnosis.services import made_evidence as made
from tests.unit.weir.diagnosis.services.made_evidence import MINUTE, NOW, UPDATES
from weir.diagnosis.services.input_bounds import InputBounds, input_bounds
from weir.diagnosis.services.row_trace import RowTrace, row_trace
from weir.diagnosis.services.source_facts import SampledRow
from weir.diagnosis.services.traced.rows import source_row
from weir.diagnosis.services.trail import RecordPlace

MIN_EXACT = 600  # of the rows of the golden cases
COUNT = "counted_here"
HIDING = ("left", "right", "full", "anti")


class Played:
    """A case whose records can be left out one by one, without moving the offsets of the others."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.document = _with_counts(case.document)
        contracts = {name: StreamContract.model_validate(one) for name, one in case.contracts.items()}
        self.plan: Plan = plan_job(self.document, contracts)
        if not self.plan.ok:
            self.document, self.plan = case.document, plan_job(case.document, contracts)
        self.records = dict(self._records())
        # Where a record can keep others from passing, another row without it is no sign that it had a part.
        # A count shows each record of a single group; any of several matches is enough for a semi join.
        self.counts_each = sum(node.op == "aggregate" for node in self.plan.live_nodes) == 1 and not any(
            getattr(node.bound, "type", "") == "semi" for node in self.plan.live_nodes
        )
        self.hides = any(
            node.op in ("deduplicate", "throttle") or getattr(node.bound, "type", "") in HIDING
            for node in self.plan.live_nodes
        )

    def _records(self) -> Iterator[tuple[RecordPlace, tuple[int, dict[str, Any]]]]:
        offsets: Counter[str] = Counter()
        for batch in self.case.batches:
            for name, records in batch.items():
                for record in records:
                    yield RecordPlace(name, 0, offsets[name]), record
                    offsets[name] += 1

    def content(self, kept: frozenset[RecordPlace]) -> dict[str, Content]:
        """What the oracle gives of some of the records, when nothing is late and everything closes."""
        oracle = Oracle(self.document, self.case.contracts, endless=True)
        for batch in self.case.batches:
            given: Batch = {}
            for name, source in oracle.sources.items():
                read = _reader(name, source, kept)
                source.read = read  # type: ignore[method-assign]
                given[name] = batch.get(name, [])
            oracle.batch(given)
        oracle.close()
        return {
            output: {identity: _comparable(row) for identity, row in content.items()}
            for output, content in oracle.result().items()
        }

    def rows(self, bounds: dict[str, list[InputBounds]] | None) -> dict[str, tuple[SampledRow, ...]]:
        """The records as rows with trails; with bounds, only those that are within them."""
        found: dict[str, list[SampledRow]] = {name: [] for name in json.loads(self.document)["sources"]}
        for place, (time_us, record) in self.records.items():
            node = self.plan.node(place.source)
            assert isinstance(node.bound, SourceBound)
            row = decoded(record, node.bound.contract, time_us)
            if row is None:
                continue
            if bounds is not None and not any(
                one.holds(row, place.partition, place.offset) for one in bounds.get(place.source, ())
            ):
                continue
            system = {
                "_time": datetime_of(time_us),
                "_timestamp": datetime_of(time_us),
                "_source": place.source,
                "_partition": 0,
                "_offset": place.offset,
            }
            found[place.source].append(
                source_row(node, {**row.values, **system}, time_us, 0, place.offset, deleted=row.deleted)
            )
        return {name: tuple(rows) for name, rows in found.items()}


def _comparable(row: dict[str, Any]) -> dict[str, Any]:
    """With NaN as a text, which is itself."""
    return {name: str(value) if value != value else value for name, value in row.items()}


def _reader(name: str, source: Any, kept: frozenset[RecordPlace]) -> Any:
    original = type(source).read

    def read(records: list[Any]) -> list[Any]:
        flow = []
        for record in records:
            if RecordPlace(name, 0, source.offsets[0]) in kept:
                flow += original(source, [record])
            else:
                source.offsets[0] += 1
        return flow

    return read


def _with_counts(document: str) -> str:
    """With a count in every aggregate, so that each row of a group makes a difference."""
    written = json.loads(document)
    for step in written["steps"].values():
        if step["op"] == "aggregate":
            step["measures"] = {**step["measures"], COUNT: "count()"}
        if step["op"] == "change":
            step["of"] = [*step["of"], COUNT]
    return json.dumps(written)


def traced(played: Played, output: str, identity: str, row: dict[str, Any]) -> tuple[RowTrace, RowTrace]:
    """Over the records within the bounds of a row, and over all of them."""
    reference = played.case.outputs[output]
    parts = json.loads(identity)
    bounds = input_bounds(played.plan, reference, parts, row)
    late = frozenset[str]()
    return (
        row_trace(played.plan, reference, parts, played.rows(bounds), late),
        row_trace(played.plan, reference, parts, played.rows(None), late),
    )


def check(case: Case) -> tuple[list[str], Counter[str]]:
    """What is wrong of the rows of a case, and how many rows were followed how far."""
    played = Played(case)
    every = frozenset(played.records)
    wrong: list[str] = []
    how: Counter[str] = Counter()
    whole = played.content(every)
    without = {place: played.content(every - {place}) for place in every}
    for output, content in whole.items():
        for identity, row in content.items():
            where = f"{case.title}: {output} {identity}"
            narrow, wide = traced(played, output, identity, row)
            if narrow.records is None:
                how["unknown"] += 1
                how[f"{next(iter(narrow.doubts))}"] += 1
                continue
            needed = {place for place in every if without[place][output].get(identity) != row}
            if wide.exact and wide.records != narrow.records:
                wrong.append(
                    f"{where}: {sorted(narrow.records)} within the bounds, {sorted(wide.records or ())}"
                )
            if not narrow.exact:
                how["in doubt"] += 1
                continue
            how["exact"] += 1
            alone = played.content(narrow.records)[output].get(identity)
            if alone is None or differences({"": row}, {"": alone}, case.approximate):
                wrong.append(f"{where}: {sorted(narrow.records)} give {alone} instead of {row}")
            if played.hides:
                continue
            if not needed <= narrow.records:
                wrong.append(f"{where}: {sorted(needed - narrow.records)} are missing")
            if COUNT in row and played.counts_each and needed != narrow.records:
                wrong.append(f"{where}: {sorted(narrow.records - needed)} had no part in it")
    return wrong, how


@pytest.mark.parametrize("case", [pytest.param(case, id=case.title) for case in load_cases()])
def test_the_records_of_a_row_are_those_that_the_oracle_needs(case: Case) -> None:
    wrong, _ = check(case)
    assert not wrong


def test_a_window_that_ends_after_the_calendar_keeps_no_other_row_from_its_records() -> None:
    """Engines write its end with a sign, and its row is the only one whose records are not found."""
    minute = NOW // MINUTE * MINUTE
    node = UPDATES.node("orders")
    rows = {
        "orders": tuple(
            source_row(node, made.row(at).values, at, 0, offset)
            for offset, at in enumerate((minute, MAX_INSTANT - 1))
        )
    }
    whole = [instant_text(Instant(minute)), instant_text(Instant(minute + MINUTE))]
    found = row_trace(UPDATES, "n", whole, rows, frozenset())
    assert found.records == {RecordPlace("orders", 0, 0)}
    last = ["9999-12-31T23:59:00.000000Z", "+10000-01-01T00:00:00.000000Z"]
    (bounds,) = input_bounds(UPDATES, "n", last, {"n": 1})["orders"]
    assert bounds.until_us is None
    assert row_trace(UPDATES, "n", last, rows, frozenset()).records is None


def test_most_rows_are_followed_exactly() -> None:
    total: Counter[str] = Counter()
    for case in load_cases():
        total += check(case)[1]

    assert total["exact"] >= MIN_EXACT
