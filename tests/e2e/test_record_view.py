"""One record in the browser: all that it was decoded to, its key, its bytes; found by its binary key."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from confluent_kafka import Producer
from playwright.sync_api import expect

from jobs.formats.avro_from_json import avro_bytes
from jobs.formats.framing import framed
from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.patience import PATIENCE
from tests.support.rest import Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(600)]

SOON = 60_000 * PATIENCE
BIG = 2**60 + 1
PLAIN = [{"name": f"f{n}", "type": "string"} for n in range(8)]
LINE = {"type": "record", "name": "Line", "fields": [{"name": "sku", "type": "string"}]}
LINES = {"name": "lines", "type": {"type": "array", "items": LINE}}
ORDER = json.dumps(
    {"type": "record", "name": "Order", "fields": [*PLAIN, {"name": "total", "type": "long"}, LINES]}
)
KEY = json.dumps({"type": "record", "name": "Key", "fields": [{"name": "id", "type": "long"}]})


def order(number: int) -> dict[str, Any]:
    return {f"f{n}": f"{n} of {number}" for n in range(8)} | {
        "total": BIG + number,
        "lines": [{"sku": "<script>alert(1)</script>"}],
    }


def register_orders(rest: Rest, name: str, kind: str) -> tuple[int, int]:
    """Register a stream or table of Avro orders with its schemas; returns the schema IDs of value and key."""
    for subject, schema in ((f"{name}-value", ORDER), (f"{name}-key", KEY)):
        rest.post(f"schemas/{subject}/versions", {"schema": schema, "schema_type": "AVRO", "references": []})
    value_id, key_id = (rest.get(f"schemas/{name}-{part}")["versions"][0]["id"] for part in ("value", "key"))
    contract = {
        "kind": kind,
        "encoding": {"format": "avro", "framing": "confluent", "subject": f"{name}-value"},
        "key": ["id"],
        "key_encoding": {"format": "avro", "framing": "confluent", "subject": f"{name}-key"},
        "fields": [{"name": "id", "type": "long"}, *PLAIN, {"name": "total", "type": "long"}],
    }
    rest.post(
        "streams",
        {"name": name, "topic": name, "create": {"partitions": 1, "cleanup": "delete"}, "contract": contract},
    )
    return value_id, key_id


@pytest.mark.parametrize("kind", ["stream", "table"])
def test_a_binary_record_is_shown_completely(system: System, sign_in: SignIn, shots: Path, kind: str) -> None:
    name = f"viewed_{uuid4().hex[:6]}"
    page, rest = sign_in(), system.rest("browser", WORKSPACE)
    value_id, key_id = register_orders(rest, name, kind)
    producer = Producer({"bootstrap.servers": system.bootstrap})
    for number in range(30):
        key = framed(key_id, avro_bytes({"id": BIG + number}, KEY))
        producer.produce(
            name,
            framed(value_id, avro_bytes(order(number), ORDER)),
            key=key,
            headers=[("trace", b"\xff\x00")],
        )
    assert producer.flush(20) == 0

    if kind == "table":
        page.goto(f"/w/{WORKSPACE}/streams/{name}/rows?row={BIG + 7}")
    else:
        page.goto(f"/w/{WORKSPACE}/streams/{name}")
        key_box = page.get_by_role("textbox", name="Key: id")
        key_box.fill(str(BIG + 7))
        key_box.press("Enter")
        expect(page.get_by_text("1 match in 30 of 30 records")).to_be_visible(timeout=SOON)
    expect(page.get_by_role("cell", name="0 of 7", exact=True)).to_have_count(1, timeout=SOON)
    page.get_by_role("region").filter(has=page.get_by_role("cell", name="0 of 7")).get_by_role(
        "button"
    ).first.click()
    expect(page.get_by_role("cell", name=str(BIG + 7), exact=True).last).to_be_visible()
    row = page.get_by_role("region", name="Row", exact=True)
    expect(row).to_contain_text(f'"total": {BIG + 7}', timeout=SOON)
    expect(row).to_contain_text('"f7": "7 of 7"')
    page.get_by_text("Full value", exact=True).click()
    expect(page.get_by_role("region", name="Full value", exact=True)).to_contain_text(
        '"sku": "<script>alert(1)</script>"'
    )
    expect(page.get_by_text(f'"id": {BIG + 7}')).to_be_visible()
    expect(page.get_by_text("trace: /wA=")).to_be_visible()
    page.get_by_text("Bytes", exact=True).click()
    expect(page.get_by_role("region", name="Bytes", exact=True)).to_contain_text(
        f"000000  00 {value_id.to_bytes(4, 'big').hex(' ')}"
    )
    page.screenshot(path=shots / f"record-{kind}.png", full_page=True)
    page.set_viewport_size({"width": 390, "height": 844})
    page.screenshot(path=shots / f"record-{kind}-narrow.png", full_page=True)
    if kind == "stream":
        hexed = framed(key_id, avro_bytes({"id": BIG + 8}, KEY)).hex()
        page.goto(f"/w/{WORKSPACE}/streams/{name}?key={hexed}&key_as=hex")
        expect(page.get_by_role("cell", name="0 of 8", exact=True)).to_be_visible(timeout=SOON)
