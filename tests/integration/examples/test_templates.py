"""Each example's job on Spark, over records of its generator, gives the results of `expected.py`.

So does the job as a script over plain PySpark, which reads all the records at once.

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
from jobs.formats.contract import StreamContract
from jobs.plan import plan_job
from tests.support.rendered_script import RenderedScript
from tests.support.spark_document import Contents, Record, SparkDocument
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


Run = Callable[[SparkSession, Path, Template], None]


@pytest.fixture(params=["played", pytest.param("as a script", marks=pytest.mark.long)])
def by(request: pytest.FixtureRequest) -> Run:
    """How the job is run."""
    return play if request.param == "played" else run_script


def test_clicks(spark: SparkSession, tmp_path: Path, by: Run) -> None:
    def compare(records: list[Due], found: dict[str, Rows]) -> None:
        expected_rows = expected_clicks(records)
        assert sum(expected_rows.values()) > 50
        assert any(region is None for *_, region, _ in expected_rows)
        assert (
            Counter(
                (row["user"], row["page"], row["words"], row["region"], row["plan"]) for row in found["live"]
            )
            == expected_rows
        )

    by(spark, tmp_path, Template("clicks", clicks, 5, 60, compare))


@pytest.mark.long
def test_unclicked(spark: SparkSession, tmp_path: Path, by: Run) -> None:
    def compare(records: list[Due], found: dict[str, Rows]) -> None:
        expected_rows = expected_unclicked(records)
        assert len(expected_rows) > 50
        assert {
            row["search"]: (ms(row["searched_at"]), row["user"], row["words"]) for row in found["live"]
        } == expected_rows

    by(spark, tmp_path, Template("unclicked", unclicked, 4, 120, compare))


@pytest.mark.long
def test_fraud(spark: SparkSession, tmp_path: Path, by: Run) -> None:
    def compare(records: list[Due], found: dict[str, Rows]) -> None:
        expected_rows = {
            (card, at): (n, f"{total:.2f}", places)
            for (card, at), (n, total, places) in expected_fraud(records).items()
        }
        assert len(expected_rows) > 10
        shown = {
            (row["card"], ms(row["window_end"])): (row["payments"], row["total"], row["places"])
            for row in found["live"]
        }
        assert shown == expected_rows
        assert {row["window_end"][-4:] for row in found["live"]} == {"001Z"}, (
            "a window ends 1 µs after its last payment"
        )

    by(spark, tmp_path, Template("fraud", fraud, 10, 180, compare))


@pytest.mark.long
def test_sensors(spark: SparkSession, tmp_path: Path, by: Run) -> None:
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
            (row["machine"], ms(row["window_start"]), ms(row["window_end"])): (
                row["readings"],
                row["hottest"],
                ms(row["shaken_at"]),
            )
            for row in found["runs"]
        } == runs

    by(spark, tmp_path, Template("sensors", sensors, 8, 400, compare))


def test_errors(spark: SparkSession, tmp_path: Path, by: Run) -> None:
    def compare(records: list[Due], found: dict[str, Rows]) -> None:
        counts, lines = expected_errors(records)
        assert sum(lines.values()) > 50
        shown = {
            (ms(row["window_start"]), row["service"]): (row["errors"], row["fatal"], row["newest"])
            for row in found["live"]
        }
        assert shown == counts
        assert (
            Counter((row["service"], row["level"], row["message"], row["at"]) for row in found["errors"])
            == lines
        )

    by(spark, tmp_path, Template("errors", errors, 20, 120, compare))


@pytest.mark.long
def test_pages(spark: SparkSession, tmp_path: Path, by: Run) -> None:
    def compare(records: list[Due], found: dict[str, Rows]) -> None:
        expected_rows = expected_pages(records)
        assert len(expected_rows) > 120
        assert {
            ms(row["window_end"]): [(page["page"], page["hits"]) for page in row["pages"]]
            for row in found["live"]
        } == expected_rows

    by(spark, tmp_path, Template("pages", pages, 0.5, 4_500, compare))


def play(spark: SparkSession, folder: Path, template: Template) -> None:
    """Play a stretch in a few batches, close what is open, and compare."""
    sent = sent_by(template)
    played, source_of = opened(spark, folder, template.name)
    try:
        for batch in batches(sent, source_of, first=("profiles",)):
            contents = played.batch(batch)
        if is_final(template):
            for due in closing(sent):
                played.batch(by_source([due], source_of))
            for _ in range(3):
                contents = played.batch({})
    finally:
        played.stop()
    template.compare(sent, rows_of(contents))


def run_script(spark: SparkSession, folder: Path, template: Template) -> None:
    """Give the job's script the stretch, and what closes it, at once, and compare."""
    sent = sent_by(template)
    document, contracts, source_of = read(template.name)
    plan = plan_job(
        document, {name: StreamContract.model_validate(contract) for name, contract in contracts.items()}
    )
    script = RenderedScript(spark, folder / "script", plan)
    script.read(texts(by_source([*sent, *(closing(sent) if is_final(template) else [])], source_of)))
    template.compare(sent, {name: script.rows(name) for name in document["outputs"]})


def texts(records: dict[str, list[Record]]) -> dict[str, list[tuple[int, str | None, str | None]]]:
    """Records as a script's folders take them."""
    found: dict[str, list[tuple[int, str | None, str | None]]] = {}
    for source, rows in records.items():
        for at, sent in rows:
            assert isinstance(sent, tuple)
            key, value = (None if part is None else part.decode() for part in sent)
            found.setdefault(source, []).append((at, key, value))
    return found


def sent_by(template: Template) -> list[Due]:
    return list(
        takewhile(lambda due: due.at < template.seconds, template.events(SEED, template.rate, BEGIN_MS))
    )


def is_final(template: Template) -> bool:
    """Whether results come when they can no longer change; the others update them, or give them at once."""
    return template.name not in ("clicks", "errors")


def closing(sent: list[Due]) -> list[Due]:
    """Far later records, one of each stream, that end all that is open; none of them can be in a result."""
    newest = {due.topic: due for due in sent}
    return [shifted(due, days) for days, due in enumerate(newest.values(), 1)]


def read(name: str) -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:
    """A template's document, its contracts by registered name, and the source that reads each topic."""
    example = REPOSITORY / "examples" / name
    document: dict[str, Any] = read_text((example / "document.yaml").read_text()).value
    streams = {stream["name"]: stream for stream in yaml.safe_load((example / "streams.yaml").read_text())}
    source_of = {
        streams[ref.get("stream") or ref["table"]]["topic"]: source
        for source, ref in document["sources"].items()
    }
    return document, {name: stream["contract"] for name, stream in streams.items()}, source_of


def opened(spark: SparkSession, folder: Path, name: str) -> tuple[SparkDocument, dict[str, str]]:
    """A template's document to play, and the source that reads each topic."""
    document, contracts, source_of = read(name)
    return SparkDocument(spark, folder / "played", document, contracts, restarts=True), source_of


def batches(
    sent: list[Due], source_of: dict[str, str], first: tuple[str, ...]
) -> Iterator[dict[str, list[Record]]]:
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
        found.setdefault(source_of[due.topic or ""], []).append(
            ((BEGIN_MS + round(due.at * 1_000)) * 1_000, (due.key, due.value))
        )
    return found


def shifted(due: Due, days: int) -> Due:
    """The same record so many days later."""
    values = json.loads(due.value or b"")
    return Due(
        due.at, due.key, json.dumps({**values, "at": values["at"] + days * DAY_MS}).encode(), due.topic
    )


def rows_of(contents: Contents) -> dict[str, Rows]:
    return {output: list(content.values()) for output, content in contents.items()}


def ms(text: str) -> int:
    """Milliseconds since 1970 of a result's instant."""
    return int(datetime.fromisoformat(text).timestamp() * 1_000_000) // 1_000
