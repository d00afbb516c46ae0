import base64
import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from jobs.base.identities import identity_parts, identity_text
from jobs.base.instants import datetime_of
from jobs.base.iso_times import read_date, read_instant

VECTORS = json.loads((Path(__file__).parent / "identity_vectors.json").read_text(encoding="utf-8"))


def value_of(part: dict[str, Any]) -> Any:
    kind, value = part["type"], part["value"]
    if value is None:
        return None
    if kind == "row":
        return [value_of(inner) for inner in value]
    if kind.startswith("decimal"):
        return Decimal(value)
    if kind == "timestamp":
        instant = read_instant(value)
        assert instant is not None
        return datetime_of(instant)
    convert = {"long": int, "bytes": base64.b64decode, "date": read_date}
    return convert.get(kind, lambda same: same)(value)


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["title"] for vector in VECTORS])
def test_vectors(vector: dict[str, Any]) -> None:
    text = identity_text([value_of(part) for part in vector["parts"]])
    assert text == vector["text"]
    assert len(identity_parts(text)) == len(vector["parts"])


def test_there_are_ten_vectors() -> None:
    assert len(VECTORS) == 10


def test_doubles_cannot_be_keys() -> None:
    with pytest.raises(TypeError):
        identity_text([1.5])


def test_an_instant_in_any_zone_is_the_same() -> None:
    berlin = datetime.fromisoformat("2026-01-01T02:00:00+01:00")
    assert identity_text([berlin]) == identity_text([datetime(2026, 1, 1, 1, tzinfo=UTC)])


@pytest.mark.parametrize("text", ["{}", "5", "null", '"x"', "[1", ""])
def test_what_is_no_identity(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        identity_parts(text)
