"""Every example has all its files, and its streams are what the product accepts."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from jobs.base.names import is_name
from jobs.formats.contract import StreamContract
from jobs.formats.contract_check import check_contract
from jobs.plan import PlanningContext, plan_job

ROOT = Path(__file__).resolve().parents[3] / "examples"
DEMO = ("flights", "stock", "words")
TEMPLATES = ("clicks", "errors", "fraud", "pages", "sensors", "unclicked", "weather")
EXAMPLES = (*DEMO, *TEMPLATES)


def test_the_table_is_complete() -> None:
    assert sorted(path.parent.name for path in ROOT.glob("*/document.yaml")) == sorted(EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES)
def test_files(example: str) -> None:
    for name in ("README.md", "document.yaml", "streams.yaml", "feed.yaml", "expected.py"):
        assert (ROOT / example / name).is_file(), name


@pytest.mark.parametrize("example", EXAMPLES)
def test_streams_are_what_the_product_accepts(example: str) -> None:
    for stream in streams_of(example):
        assert set(stream) - {"config"} == {"name", "description", "topic", "partitions", "contract"}
        assert is_name(stream["name"])
        assert check_contract(StreamContract.model_validate(stream["contract"])) == []


@pytest.mark.parametrize("example", EXAMPLES)
def test_document_passes_the_check_without_a_warning_but_of_word_count(example: str) -> None:
    streams = streams_of(example)
    contracts = {stream["name"]: StreamContract.model_validate(stream["contract"]) for stream in streams}
    topics = {stream["name"]: stream["topic"] for stream in streams}
    plan = plan_job((ROOT / example / "document.yaml").read_text(), contracts, PlanningContext(topics=topics))
    assert [found.code for found in plan.problems] == (["STATE_UNBOUNDED"] if example == "words" else [])


def test_no_two_examples_share_a_stream_or_a_name() -> None:
    topics = [stream["topic"] for example in EXAMPLES for stream in streams_of(example)]
    assert len(topics) == len(set(topics))
    names = {yaml.safe_load((ROOT / example / "document.yaml").read_text())["name"] for example in EXAMPLES}
    assert len(names) == len(EXAMPLES)


def test_only_the_demo_starts_by_itself() -> None:
    feeds = {example: yaml.safe_load((ROOT / example / "feed.yaml").read_text()) for example in EXAMPLES}
    assert {example for example, feed in feeds.items() if feed.get("demo")} == set(DEMO)
    assert all(find_spec(feed["module"]) for feed in feeds.values())


def streams_of(example: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((ROOT / example / "streams.yaml").read_text())
    return found
