"""What is remembered is bounded by its size, and what was used last stays."""

import gc
import json
import weakref

import pytest

from jobs.base.sized_cache import sized_cache
from jobs.formats import avro_records
from jobs.formats.json_schema import schema_validator


def test_the_results_used_last_stay_within_the_size() -> None:
    called = []

    @sized_cache(10, 100, len)
    def double(text: str) -> str:
        called.append(text)
        return 2 * text

    for text in ("aaaa", "bbbb", "aaaa", "cccc", "aaaa", "bbbb"):
        assert double(text) == 2 * text
    assert called == ["aaaa", "bbbb", "cccc", "bbbb"]


def test_one_above_the_size_is_kept_until_the_next() -> None:
    called = []

    @sized_cache(3, 100, len)
    def double(text: str) -> str:
        called.append(text)
        return 2 * text

    for text in ("aaaa", "aaaa", "b", "b", "aaaa"):
        double(text)
    assert called == ["aaaa", "b", "aaaa"]


def test_entries_are_bounded_too_and_errors_are_not_remembered() -> None:
    called = []

    @sized_cache(1_000, 2, lambda *_: 0)
    def inverse(number: int) -> float:
        called.append(number)
        return 1 / number

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            inverse(0)
    for number in (1, 2, 3, 1):
        inverse(number)
    assert called == [0, 0, 1, 2, 3, 1]


def test_large_schemas_do_not_fill_a_process() -> None:
    """256 schemas of the largest size took some gigabytes."""
    seen = []
    for at in range(40):
        fields = [{"name": f"f{at}_{field}", "type": "string", "doc": "x" * 500} for field in range(300)]
        schema = json.dumps({"type": "record", "name": "R", "fields": fields})
        seen.append(weakref.ref(avro_records._decoder(schema, schema)))
        seen.append(weakref.ref(schema_validator(json.dumps({"description": str(at) + "x" * 200_000}))))
    gc.collect()
    assert 2 <= sum(made() is not None for made in seen) < 20
