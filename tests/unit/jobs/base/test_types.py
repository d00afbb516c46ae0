import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.base.names import is_name, is_reserved
from jobs.base.problems import has_errors, problem, warning
from jobs.base.schemas import schema_from_json
from jobs.base.types import (
    ATOMIC_NAMES,
    DOUBLE,
    DURATION,
    INT,
    LONG,
    MAX_DEPTH,
    MAX_TEXT,
    STRING,
    Array,
    Atomic,
    DataType,
    Decimal,
    Map,
    Member,
    Struct,
    TypeTextError,
    is_key_type,
    is_numeric,
    is_ordered,
    parse_type,
    type_size,
    type_text,
)

ATOMS = st.sampled_from(ATOMIC_NAMES).map(Atomic) | st.integers(1, 38).flatmap(
    lambda precision: st.integers(0, precision).map(lambda scale: Decimal(precision, scale))
)


def nested(inner: st.SearchStrategy[DataType]) -> st.SearchStrategy[DataType]:
    members = st.lists(inner, min_size=1, max_size=3).map(
        lambda types: Struct(tuple(Member(f"m{i}", t) for i, t in enumerate(types)))
    )
    return inner.map(Array) | inner.map(Map) | members


@given(st.recursive(ATOMS, nested, max_leaves=6))
def test_a_type_reads_its_own_text(data_type: DataType) -> None:
    assert parse_type(type_text(data_type)) == data_type
    assert parse_type(type_text(data_type).upper().replace("M", "m").replace("mAP", "MAP")) is not None


@pytest.mark.parametrize(
    "text", ["long", "decimal(10,2)", "array<map<string,int>>", "struct<a:int,b:array<struct<c:date>>>"]
)
def test_the_size_of_a_type_is_that_of_its_text(text: str) -> None:
    assert type_size(parse_type(text)) == len(text)


def test_a_type_that_could_not_be_read_again_has_no_size() -> None:
    deep: DataType = INT
    for _ in range(MAX_DEPTH):
        deep = Array(deep)
    assert parse_type(type_text(deep)) == deep
    assert type_size(deep) == len(type_text(deep))
    assert type_size(Array(deep)) is None
    wide: DataType = INT
    for _ in range(12):
        wide = Struct(tuple(Member(name, wide) for name in "abcdefgh"))
    assert type_size(wide) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "int long",
        "float",
        "decimal",
        "decimal(39,0)",
        "decimal(²,0)",
        "decimal(5,6)",
        "decimal(0,0)",
        "decimal(5)",
        "array",
        "array<",
        "array<int",
        "array<>",
        "map<int,int>",
        "struct<>",
        "struct<a>",
        "struct<a:int",
        "array<" * 20 + "int" + ">" * 20,
        "null",
    ],
)
def test_what_is_no_type(text: str) -> None:
    with pytest.raises(TypeTextError):
        parse_type(text)


def test_kinds_of_types() -> None:
    assert [is_numeric(t) for t in (LONG, DOUBLE, Decimal(5, 2), STRING, DURATION)] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert [is_key_type(t) for t in (LONG, DOUBLE, Decimal(5, 2), STRING, DURATION, Array(LONG))] == [
        True,
        False,
        True,
        True,
        False,
        False,
    ]
    assert [
        is_ordered(t) for t in (LONG, Map(LONG), Array(Map(LONG)), Struct((Member("a", Array(LONG)),)))
    ] == [True, False, False, True]


def test_schemas_as_json() -> None:
    rows = [
        {"name": "a", "type": "long", "nullable": False},
        {"name": "b", "type": "array<struct<x:int>>", "nullable": True},
    ]
    schema = schema_from_json(rows)
    assert schema.as_json() == rows
    assert schema.names == ("a", "b")
    assert "a" in schema
    assert "A" not in schema
    assert schema.get("B") is None
    assert schema_from_json([{"name": "c", "type": "int"}]).fields[0].nullable


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("a", True),
        ("A_9", True),
        ("_a", False),
        ("9a", False),
        ("a-b", False),
        ("", False),
        ("a" * 63, True),
        ("a" * 64, False),
        ("é", False),
        ("a\n", False),
    ],
)
def test_names(text: str, good: bool) -> None:
    assert is_name(text) is good
    assert is_reserved("_x")


def test_problems() -> None:
    error = problem("FIELD_UNKNOWN", ("steps", "x"), "No.", "Yes.", span=(1, 3))
    assert error.as_json() == {
        "code": "FIELD_UNKNOWN",
        "path": ["steps", "x"],
        "message": "No.",
        "hint": "Yes.",
        "severity": "error",
        "span": [1, 3],
    }
    assert has_errors([error])
    assert not has_errors([warning("STATE_LARGE", (), "Much.")])


def test_a_type_of_thousands_of_members_is_read_in_linear_time_and_a_longer_one_refused() -> None:
    long = "struct<" + ",".join(f"a{at}:int" for at in range(4_500)) + ">"
    assert len(long) < MAX_TEXT
    began = time.thread_time()
    assert isinstance(parse_type(long), Struct)
    assert time.thread_time() - began < 1.0, "ten million comparisons of names took longer"
    with pytest.raises(TypeTextError, match="50,000 characters at most"):
        parse_type(f"array<{long},{long}>")
