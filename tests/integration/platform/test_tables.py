"""Current rows of tables on a real broker: by key and page by page, with any scan limit."""

import json
import random
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.kafka_node import KafkaServer
from tests.support.users import client_of
from weir.clusters.services.clients import home_profile
from weir.clusters.services.topic_settings import UNLIMITED, read_settings
from weir.clusters.services.topics import delete_topics
from weir.workspaces.models import User, Workspace

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]
STREAMS = "/api/v1/workspaces/ops/streams"
FIELDS = [
    {"name": "id", "type": "long"},
    {"name": "city", "type": "string"},
    {"name": "n", "type": "long"},
    {"name": "at", "type": "long"},
]
CONTRACT = {"kind": "table", "key": ["city", "id"], "fields": FIELDS}
BY_TIME = {
    **CONTRACT,
    "version_by": "event_time",
    "event_time": {"kind": "field", "field": "at", "unit": "ms"},
}
BASE = 1_750_000_000_000
Key = tuple[str, int]


class Table:
    """A table of 300 keys in three partitions, each written about seven times; a quarter is deleted now."""

    def __init__(self, owner: User, producer: Any, contract: dict[str, Any]) -> None:
        self.client, self.producer = client_of(owner), producer
        self.topic = f"table.{uuid.uuid4().hex[:8]}"
        made = {"name": "cities", "topic": self.topic, "create": {"partitions": 3}, "contract": contract}
        assert self.client.post(STREAMS, made).status_code == 201
        self.rows: dict[Key, int | None] = {}  # the one that was written last stands last
        chance = random.Random(5)
        for n in range(2_000):
            key = (f"Ä{chance.randrange(10)}", chance.randrange(30))
            self.write(key, None if chance.random() < 0.25 else n, BASE + n)
        producer.flush()

    def write(self, key: Key, n: int | None, at: int, *, raw: bytes | None = None) -> None:
        value = raw or (None if n is None else json.dumps({"n": n, "at": at}).encode())
        name = json.dumps({"city": key[0], "id": key[1]}) if at % 2 else json.dumps([key[0], key[1]])
        self.producer.produce(self.topic, value, key=name.encode(), partition=key[1] % 3, timestamp=at)
        if raw is None:
            self.rows.pop(key, None)
            self.rows[key] = n

    def get(self, part: str = "", status: int = 200, **query: Any) -> dict[str, Any]:
        answer = self.client.get(
            f"{STREAMS}/cities/table{part}", {"seconds": 10, **query}
        )  # a busy machine is slow
        assert answer.status_code == status, answer.content
        return dict(answer.json())

    def pages(self, **query: Any) -> list[dict[str, Any]]:
        found = [self.get(**query)]
        while found[-1]["next"] is not None:
            found.append(self.get(**{**query, "cursor": found[-1]["next"]}))
            assert len(found) < 2_000, "the pages never end"
        return found

    def row(self, key: str, **query: Any) -> dict[str, Any]:
        found = self.get("/row", key=key, **query)
        while found["state"] == "searching":
            found = self.get("/row", key=key, **query, cursor=found["next"])
        return found


@pytest.fixture
def table(
    request: Any, broker: KafkaServer, workspace: Workspace, owner: User, producer: Any
) -> Iterator[Table]:
    made = Table(owner, producer, getattr(request, "param", CONTRACT))
    yield made
    delete_topics(home_profile(), [made.topic])


def shown(pages: list[dict[str, Any]]) -> list[tuple[Key, int]]:
    return [
        ((row["row"]["city"], row["row"]["id"]), row["row"]["n"]) for page in pages for row in page["rows"]
    ]


@pytest.mark.parametrize(
    ("table", "cleanup", "for_ever"),
    [(CONTRACT, "compact", False), (BY_TIME, "delete", True)],
    indirect=["table"],
)
def test_the_topic_of_a_table_keeps_its_rows(table: Table, cleanup: str, for_ever: bool) -> None:
    kept = read_settings(home_profile(), table.topic)
    assert (kept.cleanup, kept.retention_ms == UNLIMITED) == (cleanup, for_ever)


@pytest.mark.parametrize("query", [{"limit": 100}, {"limit": 40, "max_records": 700}])
def test_pages_hold_the_newest_row_of_every_key_in_order(table: Table, query: dict[str, Any]) -> None:
    living = sorted((key, n) for key, n in table.rows.items() if n is not None)
    pages = table.pages(**query)
    assert shown(pages) == living
    sizes = [page["size"] for page in pages if page["size"]]
    assert sizes == [{"rows": len(living), "exact": True}]
    assert all(page["newest"] == "2025-06-15T15:06:41.999000Z" for page in pages if page["complete"])
    assert all(not page["rows"] for page in pages if not page["complete"])
    assert all(
        page["scan"]["stop_reason"] in ("records", "timeout") for page in pages if not page["complete"]
    )


def test_a_page_and_its_next_do_not_change_with_what_comes_between(table: Table) -> None:
    first = table.get(limit=50)
    table.write(("Ä0", 0), 9_999, BASE + 5_000)
    table.producer.flush()
    rest = table.pages(limit=50, cursor=first["next"])
    keys = [key for key, _ in shown([first, *rest])]
    assert keys == sorted(set(keys))


def test_a_row_by_its_key(table: Table) -> None:
    alive = next(key for key, n in table.rows.items() if n is not None)
    gone = next(key for key, n in table.rows.items() if n is None)
    for text in (json.dumps(list(alive)), json.dumps({"id": alive[1], "city": alive[0]})):
        found = table.row(text)
        assert (found["state"], found["entry"]["row"]["n"]) == ("found", table.rows[alive])
    found = table.row(json.dumps(list(gone)))
    assert (found["state"], found["entry"]["row"]) == ("deleted", None)
    absent = table.row('["nowhere",1]')
    assert (absent["state"], absent["entry"]) == ("absent", None)
    assert {(p["from"], p["to"]) for p in absent["scan"]["partitions"]} == {
        (p["log_start"], p["log_end"]) for p in absent["scan"]["partitions"]
    }


def test_a_search_for_a_key_goes_on_where_it_stopped(table: Table) -> None:
    oldest = json.dumps(list(next(iter(table.rows))))
    first = table.get("/row", key=oldest, max_records=300)
    assert (first["state"], first["scan"]["stop_reason"]) == ("searching", "records")
    assert table.row(oldest, max_records=300)["entry"] == table.row(oldest)["entry"]


def test_malformed_records_change_nothing(table: Table) -> None:
    key = next(key for key, n in table.rows.items() if n is not None)
    table.write(key, 0, BASE + 3_000, raw=b'{"n":"many"}')
    table.producer.produce(table.topic, b'{"n":1}', key=b"no key of ours", partition=0)
    table.producer.flush()
    assert table.row(json.dumps(list(key)))["entry"]["row"]["n"] == table.rows[key]
    page = next(page for page in table.pages(limit=100) if page["complete"])
    assert page["malformed"] == 2
    assert page["size"]["rows"] == sum(n is not None for n in table.rows.values())


@pytest.mark.parametrize("table", [BY_TIME], indirect=True)
def test_an_older_version_by_event_time_changes_nothing(table: Table) -> None:
    key = next(key for key, n in table.rows.items() if n is not None)
    table.write(key, 0, BASE + 9_000, raw=json.dumps({"n": -1, "at": 5}).encode())
    table.producer.flush()
    text = json.dumps(list(key))
    assert (
        table.row(text)["entry"]["row"]["n"]
        == table.row(text, max_records=300)["entry"]["row"]["n"]
        == table.rows[key]
    )
    assert dict(shown(table.pages(limit=90)))[key] == table.rows[key]


def test_invalid_tables_keys_and_cursors_are_refused(table: Table, producer: Any) -> None:
    for key in ("7", '{"id":1}', '["a"]', "{", '["a","b"]'):
        assert table.get("/row", 422, key=key)["code"] == "KEY_INVALID"
    for cursor in ("pass:nothing", "elsewhere", "pass:" + "x" * 500):
        assert table.get("", 422, cursor=cursor)["code"] == "CURSOR_INVALID"
    assert table.get("", 422, cursor="after:{")["code"] == "KEY_INVALID"
    stream = {"name": "events", "topic": table.topic, "contract": {"fields": FIELDS}}
    assert table.client.post(STREAMS, stream).status_code == 201
    answer = table.client.get(f"{STREAMS}/events/table")
    assert (answer.status_code, answer.json()["code"]) == (422, "NOT_A_TABLE")
