"""Pages of tables against a dictionary, over topics in memory, however little one look may cost."""

import json
import random
from typing import Any

import pytest

from jobs.formats.contract import StreamContract
from tests.support.fake_topic import FakeTopic
from weir.streams.scanning import Budget
from weir.streams.tables import passing
from weir.streams.tables.passing import Pass, begin, go_on, rows_of
from weir.streams.tables.waiting import pass_json, read_pass

FIELDS = [{"name": "id", "type": "long"}, {"name": "n", "type": "long"}, {"name": "at", "type": "long"}]
CONTRACT = StreamContract.model_validate({"kind": "table", "key": ["id"], "fields": FIELDS})
BY_TIME = StreamContract.model_validate(
    {**CONTRACT.as_json(), "version_by": "event_time", "event_time": {"kind": "field", "field": "at", "unit": "ms"}}
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

    def whole(self, found: Pass, budget: Budget) -> Pass:
        """The pass when it is complete; between looks it is text."""
        place = self.topic.place(self.contract)
        while not found.complete:
            found = read_pass(json.loads(json.dumps(pass_json(found))), self.contract)
            go_on(place, self.contract, found, budget)
        return found

    def pages(self, limit: int, budget: Budget) -> list[Pass]:
        place, found = self.topic.place(self.contract), []
        after: Any = None
        while True:
            found.append(self.whole(begin(place, after=after, limit=limit, counts=after is None), budget))
            if found[-1].bound is None:
                return found
            after = found[-1].order[-1]


def shown(pages: list[Pass]) -> list[tuple[int, int]]:
    return [(row["row"]["id"], row["row"]["n"]) for page in pages for row in rows_of(page)]


@pytest.mark.parametrize("contract", [CONTRACT, BY_TIME], ids=["by offset", "by event time"])
@pytest.mark.parametrize("budget", Budgets, ids=["at once", "few records", "few bytes"])
@pytest.mark.parametrize("limit", [13, 500])
def test_pages_are_the_table(monkeypatch: pytest.MonkeyPatch, contract: StreamContract, budget: Budget, limit: int) -> None:
    table = Table(monkeypatch, contract)
    pages = table.pages(limit, budget)
    assert shown(pages) == sorted(table.rows.items())
    assert all(len(page.held) <= limit for page in pages)
    first = pages[0].sketch
    assert first is not None
    assert (first.rows(), first.full) == (len(table.rows), False)
    assert {page.newest_us for page in pages} == {1_799_000}


@pytest.mark.parametrize("budget", Budgets, ids=["at once", "few records", "few bytes"])
def test_one_key(monkeypatch: pytest.MonkeyPatch, budget: Budget) -> None:
    table = Table(monkeypatch, BY_TIME)
    for key in (0, 33, 1_000):
        found = table.whole(begin(table.topic.place(BY_TIME), only=(key,)), budget)
        assert shown([found]) == ([(key, table.rows[key])] if key in table.rows else [])


def test_what_is_held_is_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passing, "MAX_HELD_BYTES", 300)
    table = Table(monkeypatch, CONTRACT)
    pages = table.pages(50, Budget())
    assert shown(pages) == sorted(table.rows.items())
    assert max(page.size for page in pages) <= 300
