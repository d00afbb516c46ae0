"""Generators are deterministic by seed, ordered by time, and match the schemas of their streams."""

import json
from itertools import islice, takewhile
from pathlib import Path

import pytest
import yaml

from examples.clicks.generator import events as clicks
from examples.command import Events
from examples.errors.generator import events as errors
from examples.feed import Due
from examples.fraud.generator import events as fraud
from examples.pages.generator import events as pages
from examples.sensors.generator import events as sensors
from examples.unclicked.generator import events as unclicked
from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.records import Malformed

ROOT = Path(__file__).resolve().parents[3] / "examples"
BEGIN_MS = 1_767_261_600_000
GENERATORS = {
    "clicks": clicks,
    "errors": errors,
    "fraud": fraud,
    "pages": pages,
    "sensors": sensors,
    "unclicked": unclicked,
}

every_generator = pytest.mark.parametrize(("name", "events"), GENERATORS.items())


@every_generator
def test_same_seed_same_records(name: str, events: Events) -> None:
    first = list(islice(events(7, 10, BEGIN_MS), 2_000))
    assert first == list(islice(events(7, 10, BEGIN_MS), 2_000))
    assert first != list(islice(events(8, 10, BEGIN_MS), 2_000))


@every_generator
def test_records_come_in_order_at_the_rate(name: str, events: Events) -> None:
    sent = list(takewhile(lambda due: due.at < 100, events(1, 10, BEGIN_MS)))
    assert [due.at for due in sent] == sorted(due.at for due in sent)
    main = max({due.topic for due in sent}, key=lambda topic: sum(due.topic == topic for due in sent))
    assert 500 < sum(due.topic == main for due in sent) <= 1_500


@every_generator
def test_every_record_is_what_its_stream_declares(name: str, events: Events) -> None:
    contracts = contracts_of(name)
    sent = list(islice(events(3, 10, BEGIN_MS), 3_000))
    malformed = [(due, found) for due in sent if isinstance(found := decoded(due, contracts), Malformed)]
    assert malformed == []


def test_profiles_come_change_and_go() -> None:
    changes = [due for due in islice(clicks(1, 5, BEGIN_MS), 5_000) if due.topic == "profiles"]
    operations = {json.loads(due.value)["op"] for due in changes if due.value is not None}
    assert operations == {"r", "c", "u", "d"}
    assert any(due.value is None for due in changes)


def contracts_of(name: str) -> dict[str, StreamContract]:
    """By topic."""
    streams = yaml.safe_load((ROOT / name / "streams.yaml").read_text())
    return {stream["topic"]: StreamContract.model_validate(stream["contract"]) for stream in streams}


def decoded(due: Due, contracts: dict[str, StreamContract]) -> object:
    return decode(due.value, due.key, contracts[due.topic or ""], BEGIN_MS * 1_000)
