"""Conditions that cost as much as can be written in 5,000 characters, over a record of a megabyte: answered,
or refused by name, in bounded time and memory.
"""

import json
from typing import Any

import pytest

from jobs.formats.contract import StreamContract
from tests.support.cost import cost
from tests.support.fake_topic import PROFILE, Record
from weir.streams.services import record_filter as filters
from weir.streams.services.decoding import decoded_or_refused
from weir.streams.services.record_filter import record_filter
from weir.streams.services.topic_ref import TopicRef
from weir.workspaces.errors import ServiceError

SIZE = 600_000
SECONDS = 3.0  # of processor time with memory traced; below 0.8 s where nothing else runs
MEGABYTES = 200
MILLISECONDS = 1_780_000_000_000
FIELDS = [
    {"name": "s", "type": "string"},
    {"name": "n", "type": "long"},
    {"name": "m", "type": "array<decimal(38,0)>"},
]
CONTRACT = StreamContract.model_validate({"fields": FIELDS})
REF = TopicRef(PROFILE, "t", 1, CONTRACT)
PIECES = "a," * (SIZE // 2)
LETTERS = "a" * SIZE
LISTS = "[" + "[]," * (SIZE // 3) + "0]"
DEEP = '{"a":' * 500 + "1" + "}" * 500
QUOTES = "[" + "''," * (SIZE // 3) + "0]"
ONE_HASH = [str(number * (2**61 - 1)) for number in range(10**14, 10**14 + 25_000)]  # all of Python's hash 0


def any_of(*tests: str) -> str:
    """As a tree, because a chain would be too deep."""
    left = list(tests)
    while len(left) > 1:
        left = ["(" + " or ".join(left[at : at + 2]) + ")" for at in range(0, len(left), 2)]
    return left[0]


def listed(part: str, count: int) -> str:
    return ", ".join([part] * count)


SPLIT, MAP = "split(s, ',')", "str_to_map(s, ',', ':')"
CONDITIONS = {
    "a long text among short ones": (PIECES, f"array_contains({SPLIT}, s)"),
    "the place of a long text": (PIECES, f"array_position({SPLIT}, s) = 1"),
    "without a long text": (PIECES, f"size(array_remove({SPLIT}, s)) = 1"),
    "sorted": (PIECES, f"size(array_sort({SPLIT}, false)) = 1"),
    "many arrays at once": (PIECES, f"size(array({listed(SPLIT, 100)})) = 1"),
    "arrays in one": (PIECES, f"size(array_concat({listed(SPLIT, 100)})) = 1"),
    "flattened": (PIECES, f"size(flatten(array_repeat({SPLIT}, 100))) = 1"),
    "a text a hundred times": (LETTERS, "length(array_join(array_repeat(s, 100), ',')) = 1"),
    "one text of many": (LETTERS, f"length(concat({listed('s', 100)})) = 1"),
    "one text of many with separators": (LETTERS, f"length(concat_ws(',', {listed('s', 100)})) = 1"),
    "maps and their entries": (
        PIECES,
        f"size(map_concat({listed(MAP, 100)})) = 1",
    ),
    "JSON, parsed again and again": (LISTS, any_of(*["json_array_length(s) = 1"] * 150)),
    "searches": (LETTERS, any_of(*["regexp_instr(s, '(a|b)*c') = 1"] * 120)),
    "patterns": (LETTERS, any_of(*["s like '%a_b%'"] * 230)),
    "arrays compared": (PIECES, any_of(*[f"{SPLIT} = {SPLIT}"] * 70)),
    "numbers of one hash": ("", "size(array_distinct(m)) = 1"),
    "digits in another base": ("1" * 5_000, "conv(s, 3, 10) = ''"),
    "half of a character": ('{"a":"\\ud800"}', "octet_length(get_json_object(s, '$.a')) = 1"),
    "half of a character, hashed": ('{"a":["\\ud800"]}', "md5(get_json_object(s, '$.a[0]')) = 'a'"),
    "nested deeper than Python's stack": (DEEP, "get_json_object(s, '$.a') is not null"),
    "single quotes, read again and again": (QUOTES, any_of(*["json_array_length(s) = 1"] * 150)),
    "half of a character, ordered": ('{"a":"\\ud800"}', "get_json_object(s, '$.a') > 'a'"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_hostile_condition_ends(condition: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filters, "MAX_CPU_S", 1.0)  # tracing takes as long again
    text, where = CONDITIONS[condition]
    numbers = [] if text else ONE_HASH
    value = json.dumps({"s": text, "n": 1}).removesuffix("}") + f', "m": [{",".join(numbers)}]}}'
    record: Any = Record(0, 7, value.encode(), None, MILLISECONDS)
    anything: Any = record_filter(REF, None, "n = 1")
    assert anything(record) is True
    row = decoded_or_refused(record, CONTRACT, None)  # has its own budget, which tracing could use up
    monkeypatch.setattr(filters, "decoded_or_refused", lambda *_: row)
    meets: Any = record_filter(REF, None, where)
    spent = cost(lambda: meets(record))
    if not isinstance(spent.found, bool):
        assert isinstance(spent.found, ServiceError), spent.found
        assert spent.found.code == "FILTER_TOO_SLOW"
        assert "record 7 of partition 0" in spent.found.detail
    assert spent.seconds < SECONDS
    assert spent.megabytes < MEGABYTES


@pytest.mark.thorough
def test_a_condition_of_many_patterns_is_read_in_bounded_time() -> None:
    """Each is a pattern of its own, whose states are counted."""
    letters = [f"{one}{other}" for one in "abcdefghij" for other in "klmnopqrst"]
    tests = [f"regexp_like(s, '[{pair}]*{pair[0]}[{pair}]{{9}}')" for pair in letters]
    spent = cost(lambda: record_filter(REF, None, any_of(*tests)))
    if isinstance(spent.found, ServiceError):
        assert spent.found.code == "FILTER_INVALID"
        assert "too large to check" in spent.found.detail
    assert spent.seconds < SECONDS


def test_a_filter_that_fails_is_refused_with_its_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """No condition does, unless Weir has a defect."""
    monkeypatch.setattr(filters, "condition", lambda *_: (lambda values: 1 // values["gone"], []))
    record: Any = Record(0, 7, b'{"s": "a", "n": 1, "m": []}', None, MILLISECONDS)
    meets: Any = record_filter(REF, None, "n = 1")
    with pytest.raises(ServiceError) as caught:
        meets(record)
    assert caught.value.code == "FILTER_INVALID"
    assert "record 7 of partition 0" in caught.value.detail


def test_ordinary_conditions_over_a_large_record_are_answered() -> None:
    value = json.dumps({"s": PIECES, "n": 1})
    record: Any = Record(0, 7, value.encode(), None, MILLISECONDS)
    for where in (f"size({SPLIT}) > 2 and contains(s, 'a,a')", f"{SPLIT}[3] = 'a'", "s like 'a%'"):
        meets: Any = record_filter(REF, None, where)
        assert meets(record) is True
