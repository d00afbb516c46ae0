"""Streams of every format registered in the browser: fields from a sample or a schema, corrected by hand."""

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import fastavro
import pytest
from confluent_kafka import Producer
from playwright.sync_api import Page, expect

from jobs.formats.framing import framed
from tests.e2e.conftest import WORKSPACE, SignIn
from tests.support.patience import PATIENCE
from tests.support.rest import Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(600)]

SOON = 60_000 * PATIENCE
FROM_SAMPLE = "Infer fields from records"
ORDER = {
    "type": "record",
    "name": "Order",
    "fields": [{"name": "id", "type": "long"}, {"name": "customer", "type": "string"}],
}


@dataclass(frozen=True)
class Written:
    """How a topic's records are written, and how somebody says so.

    Attributes:
        label: of the format, as it can be chosen.
        value: of the record with this number.
        fields: names that the page proposes.
        source: the button that proposes them; None: the format alone says which there are.
    """

    label: str
    value: Callable[[int, int], bytes]
    fields: tuple[str, ...]
    source: str | None = FROM_SAMPLE
    framed: bool = False


def order(number: int) -> dict[str, Any]:
    return {"id": number, "customer": f"customer-{number}"}


def _json(number: int, schema: int) -> bytes:
    return json.dumps(order(number)).encode()


def _framed_json(number: int, schema: int) -> bytes:
    return framed(schema, _json(number, schema))


def _avro(number: int, schema: int) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(ORDER), order(number))
    return framed(schema, out.getvalue())


def _csv(number: int, schema: int) -> bytes:
    return f'{number},"customer-{number}"'.encode()


def _change(number: int, schema: int) -> bytes:
    return json.dumps(
        {"op": "c", "before": None, "after": order(number), "ts_ms": 1_767_261_600_000 + number}
    ).encode()


FORMATS = (
    Written("JSON", _json, ("id", "customer")),
    Written("JSON", _framed_json, ("id", "customer"), framed=True),
    Written("Avro", _avro, ("id", "customer"), "Import fields from schema"),
    Written("CSV", _csv, ("c1", "c2")),
    Written("Plain text", _csv, ("line",), None),
    Written("Debezium change events", _change, ("id", "customer")),
)


@pytest.mark.parametrize(
    "written", FORMATS, ids=lambda written: f"{written.label}{', framed' if written.framed else ''}"
)
def test_a_stream_of_each_format(system: System, sign_in: SignIn, shots: Path, written: Written) -> None:
    name = f"written_{uuid4().hex[:6]}"
    page, rest = sign_in(), system.rest("browser", WORKSPACE)
    _fill(system, rest, name, written)
    page.goto(f"/w/{WORKSPACE}/new-stream")
    page.get_by_role("combobox", name="Topic").click()
    page.get_by_role("option", name=name).click()
    if written.label != "JSON":
        page.get_by_role("combobox", name="Value format").click()
        page.get_by_role("option", name=written.label, exact=True).click()
    if written.label == "Avro":
        page.get_by_role("combobox", name="Subject").click()
        page.get_by_role("option", name=f"{name}-value").click()
    if written.framed:
        page.get_by_role("checkbox", name="Confluent wire format (schema ID prefix)").check()
    _take_fields(page, written)
    page.screenshot(
        path=shots
        / f"registering-{written.label.split()[0].lower()}{'-framed' if written.framed else ''}.png",
        full_page=True,
    )
    page.get_by_role("button", name="Register", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(name, timeout=SOON)
    expect(page.get_by_text("customer-7").first).to_be_visible(timeout=SOON)
    assert [field["name"] for field in rest.get(f"streams/{name}")["contract"]["fields"]] == list(
        written.fields
    )


def _fill(system: System, rest: Rest, name: str, written: Written) -> None:
    """A topic of thirty records; of Avro their schema is registered first."""
    rest.post("clusters/home/topics", {"name": name, "partitions": 1})
    number = 1
    if written.label == "Avro":
        offered = {"schema": json.dumps(ORDER), "schema_type": "AVRO", "references": []}
        rest.post(f"schemas/{name}-value/versions", offered)
        number = rest.get(f"schemas/{name}-value")["versions"][0]["id"]
    producer = Producer({"bootstrap.servers": system.bootstrap})
    for at in range(30):
        producer.produce(name, written.value(at, number))
    assert producer.flush(20) == 0


def _take_fields(page: Page, written: Written) -> None:
    """From the page's own source, with what it says of each."""
    names = page.get_by_role("textbox", name="Field name")
    if written.source is not None:
        page.get_by_role("button", name=written.source).click()
    expect(names).to_have_count(len(written.fields), timeout=SOON)
    assert [names.nth(at).input_value() for at in range(len(written.fields))] == list(written.fields)
    if written.source == FROM_SAMPLE:
        expect(page.get_by_text("In all 30 records").first).to_be_visible()


def test_a_table_is_made_with_its_topic_and_changed(system: System, sign_in: SignIn, shots: Path) -> None:
    name = f"rates_{uuid4().hex[:6]}"
    page, rest = sign_in(), system.rest("browser", WORKSPACE)
    page.goto(f"/w/{WORKSPACE}/new-stream")
    page.get_by_text("New topic", exact=True).click()
    page.get_by_role("textbox", name="Topic name").fill(name)
    for at, (field, type_) in enumerate((("symbol", "string"), ("rate", "double"))):
        page.get_by_role("button", name="Add a field").click()
        page.get_by_role("textbox", name="Field name").nth(at).fill(field)
        page.get_by_role("combobox", name=f"Type of {field}").fill(type_)
    page.get_by_text("Table (latest row per key)").click()
    expect(page.get_by_text("A table needs key fields")).to_be_visible()
    page.get_by_role("combobox", name="Key fields").click()
    page.get_by_role("option", name="symbol").click()
    page.keyboard.press("Escape")
    page.get_by_role("combobox", name="Key format").click()
    page.get_by_role("option", name="Text (one key field)").click()
    page.screenshot(path=shots / "registering-table.png", full_page=True)
    page.get_by_role("button", name="Register", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(name, timeout=SOON)
    assert rest.get(f"clusters/home/topics/{name}")["settings"]["cleanup"] == "compact"
    contract = rest.get(f"streams/{name}")["contract"]
    assert (contract["kind"], contract["key"], contract["key_encoding"], contract["delay"]) == (
        "table",
        ["symbol"],
        {"format": "text"},
        None,
    )

    page.get_by_role("link", name="Contract", exact=True).click()
    expect(page.get_by_text("latest row per key")).to_be_visible()
    page.get_by_role("button", name="Change").click()
    page.get_by_role("textbox", name="Description").fill("Rates by symbol")
    page.get_by_role("textbox", name="Watermark delay").fill("3s")
    page.get_by_role("textbox", name="Max future skew").fill("5m")
    page.screenshot(path=shots / "contract-change.png", full_page=True)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="Change")).to_be_visible(timeout=SOON)
    expect(page.get_by_text("Rates by symbol")).to_be_visible(timeout=SOON)
    changed = rest.get(f"streams/{name}")["contract"]
    assert {**changed, "delay": None, "max_ahead": None} == {**contract, "max_ahead": None}
    assert (changed["delay"], changed["max_ahead"]) == ("3s", "5m")


def test_columns_of_a_line_that_are_no_fields(system: System, sign_in: SignIn) -> None:
    """Fields come from columns by name, wherever they stand in the line."""
    name = f"lines_{uuid4().hex[:6]}"
    page, rest = sign_in(), system.rest("browser", WORKSPACE)
    _fill(system, rest, name, FORMATS[3])
    page.goto(f"/w/{WORKSPACE}/new-stream")
    page.get_by_role("combobox", name="Topic").click()
    page.get_by_role("option", name=name).click()
    page.get_by_role("combobox", name="Value format").click()
    page.get_by_role("option", name="CSV", exact=True).click()
    page.get_by_role("textbox", name="Columns").fill("number, customer")
    page.get_by_role("button", name="Add a field").click()
    page.get_by_role("textbox", name="Field name").fill("customer")
    page.get_by_role("button", name="Register", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(name, timeout=SOON)
    expect(page.get_by_role("cell", name="customer-7", exact=True)).to_be_visible(timeout=SOON)
    assert rest.get(f"streams/{name}")["contract"]["encoding"]["columns"] == ["number", "customer"]
