"""What each template's job answers on Spark, over a stretch of its generator's records, is what `expected.py` computes in one go.

The two with the most parts run with every change, the others in `make test-long`.
"""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyspark.sql import SparkSession

from examples.clicks.expected import expected as expected_clicks
from examples.clicks.generator import events as clicks
from examples.command import Events
from examples.errors.expected import expected as expected_errors
from examples.errors.generator import events as errors
from examples.feed import Due
from examples.fraud.expected import expected as expected_fraud
from examples.fraud.generator import events as fraud
from examples.pages.expected import expected as expected_pages
from examples.pages.generator import events as pages
from examples.sensors.expected import expected as expected_sensors
from examples.sensors.generator import events as sensors
from examples.unclicked.expected import expected as expected_unclicked
from examples.unclicked.generator import events as unclicked
from jobs.document_text import read_text
from tests.support.played_document import Contents, PlayedDocument, Record
from weir.embedded.layout import REPOSITORY

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

BEGIN_MS = 1_767_261_600_000  # 2026-01-01T10:00:00Z
DAY_MS = 86_400_000
SEED = 11
CHUNKS = 3

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Template:
    """A template and the stretch of it that is played: so many seconds at a rate."""

    name: str
    events: Events
    rate: float
    seconds: float
    compare: Callable[[list[Due], dict[str, Rows]], None]


def test_clicks(spark: SparkSession, tmp_path: Path) -> None:
    def compare(records: list[Due], found: dict[str, Rows]) -> None:
        wanted = expected_clicks(records)
        assert sum(wanted.values()) > 50
        assert any(region is None for *_, region, _ in wanted)
        assert Counter((row["user"], row["page"], row["words"], row["region"], row["plan"]) for row in found["live"]) == wanted

    check(spark, tmp_path, Template("clicks", clicks, 5, 60, compare))


@pytest.mark.long
def test_unclicked(spark: SparkSession, tmp_path: Path) -> None:
    def compare(records: list[Due], found: dict[str, Rows]) -> None:
        wanted = expected_unclicked(records)
        assert len(wanted) > 50
        assert {row["search"]: (ms(row["searched_at"]), row["user"], row["words"]) for row in found["live"]} == wanted

    check(spark, tmp_path, Template("unclicked", unclicked, 4, 120, compare))


@pytest.mark.long
def test_fraud(spark: SparkSession, tmp_path: Path) -> None:
    def compare(records: list[Due], found: dict[str, Rows]) -> None:
        wanted = {(card, at): (n, f"{total:.2f}", places) for (card, at), (n, total, places) in expected_fraud(records).items()}
        assert len(wanted) > 10
        shown = {(row["card"], ms(row["window_end"])): (row["payments"], row["total"], row["places"]) for row in found["live"]}
        assert shown == wanted
        assert {row["window_end"][-4:] for row in found["live"]} == {"001Z"}, "a window ends 1 µs after its last payment"

    check(spark, tmp_path, Template("fraud", fraud, 10, 180, compare))


@pytest.mark.long
def test_sensors(spark: SparkSession, tmp_path: Path) -> None:
    def compare(records: list[Due], found: dict[str, Rows]) -> None:
        warming, runs = expected_sensors(records)
        assert warming
        assert len(runs) > 8
        shown = {(row["machine"], ms(row["window_start"])): row for row in found["live"]}
        assert shown.keys() == warming.keys()
        for window, (average, before) in warming.items():
            row = shown[window]
            assert math.isclose(row["temperature"], average, rel_tol=1e-9)
            assert math.isclose(row["temperature_delta"], average - before, rel_tol=1e-6)
        assert {
            (row["machine"], ms(row["window_start"]), ms(row["window_end"])): (row["readings"], row["hottest"], ms(row["shaken_at"]))
            for row in found["runs"]
        } == runs

    check(spark, tmp_path, Template("sensors", sensors, 8, 400, compare))


def test_errors(spark: SparkSession, tmp_path: Path) -> None:
    def compare(records: list[Due], found: dict[str, Rows]) -> None:
        counts, lines = expected_errors(records)
        assert sum(lines.values()) > 50
        shown = {(ms(row["window_start"]), row["service"]): (row["errors"], row["fatal"], row["newest"]) for row in found["live"]}
        assert shown == counts
        assert Counter((row["service"], row["level"], row["message"], row["at"]) for row in found["errors"]) == lines

    check(spark, tmp_path, Template("errors", errors, 20, 120, compare))


@pytest.mark.long
def test_pages(spark: SparkSession, tmp_path: Path) -> None:
    def compare(records: list[Due], found: dict[str, Rows]) -> None:
        wanted = expected_pages(records)
        assert len(wanted) > 120
        assert {ms(row["window_end"]): [(page["page"], page["hits"]) for page in row["pages"]] for row in found["live"]} == wanted

    check(spark, tmp_path, Template("pages", pages, 0.5, 4_500, compare))


def check(spark: SparkSession, folder: Path, template: Template) -> None:
    """Play a stretch in a few batches, close what is open, and compare."""
    sent = list(takewhile(lambda due: due.at < template.seconds, template.events(SEED, template.rate, BEGIN_MS)))
    played, source_of = opened(spark, folder, template.name)
    final = template.name not in ("clicks", "errors")  # those update their results, or give them at once
    try:
        for batch in batches(sent, source_of, first=("profiles",)):
            contents = played.batch(batch)
        if final:
            # Far later records, one of each stream, end all that is open; none of them can be in a result.
            newest = {due.topic: due for due in sent}
            for days, (topic, due) in enumerate(newest.items(), 1):
                played.batch(by_source([shifted(due, days)], {topic: source_of[topic]}))
            for _ in range(3):
                contents = played.batch({})
    finally:
        played.stop()
    template.compare(sent, rows_of(contents))


def opened(spark: SparkSession, folder: Path, name: str) -> tuple[PlayedDocument, dict[str, str]]:
    """A template's document to play, and the source that reads each topic."""
    example = REPOSITORY / "examples" / name
    document: dict[str, Any] = read_text((example / "document.yaml").read_text()).value
    streams = {stream["name"]: stream for stream in yaml.safe_load((example / "streams.yaml").read_text())}
    source_of = {streams[ref.get("stream") or ref["table"]]["topic"]: source for source, ref in document["sources"].items()}
    contracts = {name: stream["contract"] for name, stream in streams.items()}
    return PlayedDocument(spark, folder / "played", document, contracts, restarts=True), source_of


def batches(sent: list[Due], source_of: dict[str, str], first: tuple[str, ...]) -> Iterator[dict[str, list[Record]]]:
    """All of the topics that come first, then the others in equal chunks."""
    early = [due for due in sent if due.topic in first]
    if early:
        yield by_source(early, source_of)
    rest = [due for due in sent if due.topic not in first]
    size = -(-len(rest) // CHUNKS)
    for at in range(0, len(rest), size):
        yield by_source(rest[at : at + size], source_of)


def by_source(sent: list[Due], source_of: dict[str, str]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for due in sent:
        found.setdefault(source_of[due.topic or ""], []).append(((BEGIN_MS + round(due.at * 1_000)) * 1_000, (due.key, due.value)))
    return found


def shifted(due: Due, days: int) -> Due:
    """The same record so many days later."""
    values = json.loads(due.value or b"")
    return Due(due.at, due.key, json.dumps({**values, "at": values["at"] + days * DAY_MS}).encode(), due.topic)


def rows_of(contents: Contents) -> dict[str, Rows]:
    return {output: list(content.values()) for output, content in contents.items()}


def ms(text: str) -> int:
    """Whole milliseconds since 1970 of a result's instant."""
    return int(datetime.fromisoformat(text).timestamp() * 1_000_000) // 1_000
