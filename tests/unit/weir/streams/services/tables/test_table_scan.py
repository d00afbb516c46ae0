"""Pages of tables against a dictionary, over topics in memory, however small the budget of one scan."""

import json
import random
from typing import Any

import pytest

from jobs.formats.contract import StreamContract
from tests.support.fake_topic import FakeTopic, Record
from weir.streams.services.scan import Budget
from weir.streams.services.tables import table_scan
from weir.streams.services.tables.scan_store import parse_state, state_json
from weir.streams.services.tables.table_scan import TableScan, resume, rows_of, start

FIELDS = [{"name": "id", "type": "long"}, {"name": "n", "type": "long"}, {"name": "at", "type": "long"}]
CONTRACT = StreamContract.model_validate({"kind": "table", "key": ["id"], "fields": FIELDS})
BY_TIME = StreamContract.model_validate(
    {
        **CONTRACT.as_json(),
        "version_by": "event_time",
        "event_time": {"kind": "field", "field": "at", "unit": "ms"},
    }
)
Budgets = [Budget(), Budget(records=13), Budget(size=900)]


class Table:
    """60 keys, 800 entries; `rows` is what must be there."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, contract: StreamContract) -> None:
        self.topic, self.contract = FakeTopic(monkeypatch, 3), contract
        self.rows: dict[int, int] = {}
        newest: dict[int, int] = {}
        chance = random.Random(11)
        for n in range(800):
            key, at = chance.randrange(60), 1 + n + chance.randrange(400) * (contract is BY_TIME)
            deleted = contract is not BY_TIME and chance.random() < 0.3
            bad = chance.random() < 0.05
            value = b'{"n":"x"}' if bad else None if deleted else json.dumps({"n": n, "at": at}).encode()
            self.topic.write(str(key).encode(), value, key % 3, 1_000 + n)
            if bad or at < newest.get(key, 0):
                continue
            newest[key] = at if contract is BY_TIME else 0
            self.rows.pop(key, None)
            if not deleted:
                self.rows[key] = n

    def complete(self, found: TableScan, budget: Budget) -> TableScan:
        """The completed scan; between requests it is stored as text."""
        ref = self.topic.ref(self.contract)
        while not found.complete:
            found = parse_state(json.loads(json.dumps(state_json(found))), self.contract)
            resume(ref, self.contract, found, budget)
        return found

    def pages(self, limit: int, budget: Budget) -> list[TableScan]:
        ref, found = self.topic.ref(self.contract), []
        after: Any = None
        while True:
            found.append(self.complete(start(ref, after=after, limit=limit, counts=after is None), budget))
            if found[-1].bound is None:
                return found
            after = found[-1].order[-1]


def shown(pages: list[TableScan]) -> list[tuple[int, int]]:
    return [(row["row"]["id"], row["row"]["n"]) for page in pages for row in rows_of(page)]


@pytest.mark.parametrize("contract", [CONTRACT, BY_TIME], ids=["by offset", "by event time"])
@pytest.mark.parametrize("budget", Budgets, ids=["at once", "few records", "few bytes"])
@pytest.mark.parametrize("limit", [13, 500])
def test_pages_are_the_table(
    monkeypatch: pytest.MonkeyPatch, contract: StreamContract, budget: Budget, limit: int
) -> None:
    table = Table(monkeypatch, contract)
    pages = table.pages(limit, budget)
    assert shown(pages) == sorted(table.rows.items())
    assert all(len(page.entries) <= limit for page in pages)
    first = pages[0].sketch
    assert first is not None
    assert (first.rows(), first.full) == (len(table.rows), False)
    assert {page.newest_us for page in pages} == {1_799_000}


@pytest.mark.parametrize("budget", Budgets, ids=["at once", "few records", "few bytes"])
def test_one_key(monkeypatch: pytest.MonkeyPatch, budget: Budget) -> None:
    table = Table(monkeypatch, BY_TIME)
    for key in (0, 33, 1_000):
        found = table.complete(start(table.topic.ref(BY_TIME), only=(key,)), budget)
        assert shown([found]) == ([(key, table.rows[key])] if key in table.rows else [])


def test_entries_are_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_scan, "MAX_ENTRY_BYTES", 300)
    table = Table(monkeypatch, CONTRACT)
    pages = table.pages(50, Budget())
    assert shown(pages) == sorted(table.rows.items())
    assert max(page.size for page in pages) <= 300


def test_a_heartbeat_without_a_key_is_not_malformed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A topic has one every second, which no job counts; a record that lacks its key is."""
    table = Table(monkeypatch, CONTRACT)
    log = table.topic.records[0]
    for number, headers in enumerate([[("weir-heartbeat", b"2026-01-01T09:00:00Z")], None]):
        log.append(Record(0, len(log), None if headers else b"{}", None, 5 + number, header_list=headers))
    found = table.complete(start(table.topic.ref(CONTRACT), only=(1_000,)), Budget())
    assert found.malformed == 1
