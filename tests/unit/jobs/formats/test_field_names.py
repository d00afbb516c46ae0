"""Names in jobs for members that are called otherwise, and paths as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.base.names import is_name
from jobs.base.schemas import Field, Schema
from jobs.base.types import LONG
from jobs.expressions import check_expression
from jobs.formats.contract import FieldContract
from jobs.formats.field_names import KEYWORDS, proposed_name, proposed_names
from jobs.formats.json_tree import is_tree
from jobs.formats.json_values import WrongType
from jobs.formats.source_paths import path_text, read_field, value_at

SEGMENTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(["a.b", "[0]", "@x", "", " ", '"', "\\", "_id", "from"]),
    st.integers(0, 20),
)
PATHS = st.lists(SEGMENTS, min_size=1, max_size=4).map(tuple)


@pytest.mark.parametrize(
    ("member", "name"),
    [
        ("@timestamp", "timestamp"), ("user-id", "user_id"), ("_id", "id"), ("a.b", "a_b"),
        ("first name", "first_name"),
        ("Größe (cm)", "Grosse_cm"),        ("straße", "strasse"), ("@from", "from_field"), ("時間", "field"),
        ("", "field"),
        ("2nd", "field_2nd"), ("__x__", "x"),
        ("from", "from"),        ("x" * 80, "x" * 63),
        ("é", "e"), ("$oid", "oid"), ("a--b", "a_b"),
    ],
)  # fmt: skip
def test_the_proposed_name(member: str, name: str) -> None:
    assert proposed_name((member,)) == name


def test_a_nested_member_is_called_by_its_path() -> None:
    assert proposed_name(("user", "address", "zip-code")) == "user_address_zip_code"
    assert proposed_name(("tags", 0)) == "tags_0"


def test_names_that_can_stay_do_and_others_give_way() -> None:
    paths = [("@id",), ("_id",), ("id",), ("ID",), ("Id",)]
    assert proposed_names(paths) == {
        ("@id",): "id_2",
        ("_id",): "id_3",
        ("id",): "id",
        ("ID",): "ID_4",
        ("Id",): "Id_5",
    }


@given(st.lists(PATHS, max_size=30))
def test_proposed_names_are_names_and_all_different(paths: list[tuple[str | int, ...]]) -> None:
    names = list(proposed_names(paths).values())
    assert all(is_name(name) for name in names)
    assert len({name.lower() for name in names}) == len(set(paths))


@pytest.mark.parametrize("word", sorted(KEYWORDS))
def test_a_proposed_name_needs_no_backticks(word: str) -> None:
    name = proposed_name((f"@{word}",))
    bound, _ = check_expression(f"{name} + 1", Schema((Field(name, LONG),)), ())
    assert bound is not None


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("@timestamp",), "@timestamp"), (("a.b",), '["a.b"]'), (("a", "b"), "a.b"),
        (("first name",), "first name"),
        (("tags", 0), "tags[0]"),        (("",), '[""]'), ((" x",), '[" x"]'),
        (("a", "b.c", 1, "d"), 'a["b.c"][1].d'), (("größe",), "größe"), (("a\nb",), '["a\\nb"]'),
    ],
)  # fmt: skip
def test_a_path_for_people(path: tuple[str | int, ...], text: str) -> None:
    assert path_text(path) == text


@given(PATHS, PATHS)
def test_two_paths_have_two_texts(one: tuple[str | int, ...], other: tuple[str | int, ...]) -> None:
    assert (path_text(one) == path_text(other)) == (one == other)


@given(st.lists(PATHS.map(lambda path: ("root", *path)), min_size=1, max_size=6, unique=True))
def test_a_tree_holds_no_path_within_another(paths: list[tuple[str | int, ...]]) -> None:
    fields = [read_field(f"f{at}", LONG, path) for at, path in enumerate(paths)]
    within = any(one != other and other[: len(one)] == one for one in paths for other in paths)
    assert is_tree(fields) == (not within and all(isinstance(part, str) for path in paths for part in path))


def test_the_way_to_a_value() -> None:
    record = {"a": {"b": [1, {"c": 2}]}, "a.b": 3, "n": None, "": 4}
    assert [value_at(record, path) for path in (("a", "b", 0), ("a", "b", 1, "c"), ("a.b",), ("",))] == [
        1,
        2,
        3,
        4,
    ]
    assert [
        value_at(record, path) for path in (("x",), ("n", "x"), ("a", "b", 9), ("a", "x", "y"), ("n", 0))
    ] == [None] * 5
    with pytest.raises(WrongType) as text_on_the_way:
        value_at({"a": {"b": "x"}}, ("a", "b", "c"))
    assert (text_on_the_way.value.at, text_on_the_way.value.detail) == ("a.b", "'x' is not an object.")


def test_a_path_that_says_the_fields_own_name_says_nothing() -> None:
    plain = FieldContract.model_validate({"name": "a", "type": "int", "path": ["a"]})
    assert plain == FieldContract(name="a", type="int")
    assert plain.model_dump(mode="json") == {"name": "a", "type": "int", "nullable": True}


@pytest.mark.parametrize(
    "path",
    [
        [],
        [0],
        ["a", -1],
        ["a", 10_000],
        ["a", True],
        ["a", 1.0],
        ["a", None],
        ["x" * 256],
        ["\ud800"],
        "a",
        ["a"] * 17,
    ],
)
def test_what_is_no_path(path: object) -> None:
    with pytest.raises(ValueError, match="path"):
        FieldContract.model_validate({"name": "b", "type": "int", "path": path})
