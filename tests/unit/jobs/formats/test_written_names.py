"""Where the fields of a row are written: what a document may say, and the objects that come of it."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from jobs.base.schemas import schema_from_json
from jobs.formats.source_paths import members_of
from jobs.formats.written_names import WrittenName, clashes, layout_of
from jobs.formats.written_names_sql import written_members_sql, written_object_sql

NAME: TypeAdapter[tuple[str, ...]] = TypeAdapter(WrittenName)
ROWS = schema_from_json([{"name": name, "type": "long"} for name in "abc"])


@pytest.mark.parametrize(
    ("given", "path", "written"),
    [
        ("user-id", ("user-id",), "user-id"),
        ("a.b", ("a.b",), "a.b"),
        ("", ("",), ""),
        (["user", "id"], ("user", "id"), ["user", "id"]),
        (["@timestamp"], ("@timestamp",), "@timestamp"),
    ],
)
def test_a_name_is_one_member_and_a_list_a_path(given: Any, path: tuple[str, ...], written: Any) -> None:
    assert NAME.validate_python(given) == path
    assert NAME.dump_python(path) == written


@pytest.mark.parametrize(
    ("given", "said"),
    [
        *((value, "must be") for value in (7, None, [], ["tags", 0], {"a": "b"})),
        *(("x" * 256, "too long"), (["a"] * 17, "16"), ("\ud800", "isn't valid text")),
    ],
)
def test_what_is_no_name(given: Any, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        NAME.validate_python(given)


def test_an_object_stands_where_its_first_field_does() -> None:
    names = {"a": ("user", "id"), "c": ("user", "at")}
    assert layout_of("abc", names) == {"user": {"id": "a", "at": "c"}, "b": "b"}
    values = [(names.get(field, (field,)), field) for field in "abc"]
    assert layout_of("abc", names) == members_of(values), "as a producer would write what is read from there"


def test_fields_may_change_places() -> None:
    assert layout_of("abc", {"a": ("b",), "b": ("a",)}) == {"b": "a", "a": "b", "c": "c"}
    assert clashes("abc", {"a": ("b",), "b": ("a",)}) == []


@pytest.mark.parametrize(
    ("names", "pairs"),
    [
        ({"a": ("b",)}, [("a", "b")]),
        ({"a": ("x",), "b": ("x",), "c": ("x",)}, [("a", "b"), ("a", "c")]),
        ({"a": ("b", "c")}, [("b", "a")]),
        ({"a": ("x", "y", "z"), "b": ("x",)}, [("b", "a")]),
        ({"a": ("x", "y"), "b": ("x", "z")}, []),
        ({"a": ("X",), "b": ("x",)}, []),
    ],
)
def test_fields_that_cannot_both_be_written(
    names: dict[str, tuple[str, ...]], pairs: list[tuple[str, str]]
) -> None:
    assert clashes("abc", names) == pairs


def test_a_row_without_other_names_is_written_as_it_was() -> None:
    assert written_object_sql(ROWS, {}) == "named_struct('a', `a`, 'b', `b`, 'c', `c`)"
    assert written_members_sql(ROWS, {}) == [("a", "`a`"), ("b", "`b`"), ("c", "`c`")]


def test_names_are_literals_whatever_they_hold() -> None:
    sql = written_object_sql(ROWS, {"a": ("o'clock",), "b": ("${env:HOME}", "\\\n")})
    assert sql == r"named_struct('o\'clock', `a`, '${env:HOME}', named_struct('\\\n', `b`), 'c', `c`)"
