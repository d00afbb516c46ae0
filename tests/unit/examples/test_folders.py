"""Every example has all its files, and its streams are what the product accepts."""

from pathlib import Path

import pytest
import yaml

from jobs.base.names import is_name
from jobs.formats.contract import StreamContract

ROOT = Path(__file__).resolve().parents[3] / "examples"
EXAMPLES = ("flights", "stock", "words")


def test_the_table_is_complete() -> None:
    assert sorted(path.parent.name for path in ROOT.glob("*/document.yaml")) == sorted(EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES)
def test_files(example: str) -> None:
    for name in ("README.md", "document.yaml", "streams.yaml", "feed.yaml", "expected.py"):
        assert (ROOT / example / name).is_file(), name


@pytest.mark.parametrize("example", EXAMPLES)
def test_streams_and_document_fit(example: str) -> None:
    streams = yaml.safe_load((ROOT / example / "streams.yaml").read_text())
    for stream in streams:
        assert set(stream) == {"name", "description", "topic", "partitions", "contract"}
        assert is_name(stream["name"])
        StreamContract.model_validate(stream["contract"])
    document = yaml.safe_load((ROOT / example / "document.yaml").read_text())
    assert {source["stream"] for source in document["sources"].values()} <= {stream["name"] for stream in streams}
