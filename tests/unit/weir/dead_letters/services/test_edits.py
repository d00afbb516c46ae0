"""Edit operations on the text of records, and what cannot be edited."""

from typing import Any

import pytest

from jobs.formats.json_text import WrittenFloat
from weir.dead_letters.services.edits import EditError, apply_operations, dump_edit, load_edit, parse_edit
from weir.workspaces.errors import ServiceError


def operation(op: str, **more: Any) -> dict[str, Any]:
    return {"op": op, **more}


@pytest.mark.parametrize(
    ("operations", "value", "wanted"),
    [
        ([operation("set", field="x", value=5)], '{"k": "a"}', '{"k":"a","x":5}'),
        ([operation("set", field="x", value={"y": [None, "é"]})], '{"x": 1, "k": 2}',
         '{"x":{"y":[null,"é"]},"k":2}'),
        ([operation("set", field="x", value=5, only_missing=True)], '{"x": 1}', '{"x":1}'),
        ([operation("set", field="x", value=5, only_missing=True)], '{"x": null}', '{"x":5}'),
        ([operation("set", field="after.id", value=5)], '{"after": {"n": 1}}', '{"after":{"n":1,"id":5}}'),
        ([operation("set", field="after.id", value=5)], '{"after": null}', '{"after":{"id":5}}'),
        ([operation("remove", field="x")], '{"x": 1, "y": 2}', '{"y":2}'),
        ([operation("remove", field="a.b")], '{"x": 1}', '{"x":1}'),
        ([operation("rename", field="X", to="x")], '{"X": 1.10, "x": 0}', '{"x":1.10}'),
        ([operation("rename", field="X", to="x")], '{"y": 1}', '{"y":1}'),
        ([operation("rename", field="x", to="in.x")], '{"x": 1}', '{"in":{"x":1}}'),
        ([operation("replace", text="NaN,", by="null,")], '{"x": NaN, "y": NaN, "z": 1}',
         '{"x": null, "y": null, "z": 1}'),
        ([operation("replace", text="'", by='"'), operation("remove", field="k")], "{'k': 'a', 'x': 1}",
         '{"x":1}'),
        ([operation("replace", text=";")], "1;2", "12"),
        # Numbers are as they were written, however long; so are texts, half of a surrogate pair included.
        ([operation("remove", field="y")],
         '{"n": 12345678901234567890.10, "e": 1E400, "s": "\\ud800", "y": 0}',
         '{"n":12345678901234567890.10,"e":1E400,"s":"\\ud800"}'),
        ([], "not json", "not json"),
    ],
)  # fmt: skip
def test_what_it_makes_of_a_record(operations: list[dict[str, Any]], value: str, wanted: str) -> None:
    assert apply_operations(value.encode(), parse_edit(operations)).decode() == wanted


def test_a_stored_edit_keeps_the_digits_of_its_numbers() -> None:
    value = {"x": [WrittenFloat("12345678901234567.89"), 1, True, None], "y": WrittenFloat("1.10")}
    stored = dump_edit(parse_edit([operation("set", field="amount", value=value)]))
    edit = load_edit(stored)
    assert str(edit[0]) == 'amount set to {"x":[12345678901234567.89,1,true,null],"y":1.10}'
    assert apply_operations(b"{}", edit) == (b'{"amount":{"x":[12345678901234567.89,1,true,null],"y":1.10}}')


def test_an_edit_that_was_stored_as_json_is_read() -> None:
    assert load_edit('[{"op": "remove", "field": "x"}]') == parse_edit([operation("remove", field="x")])


def test_a_frame_stays_before_it() -> None:
    assert (
        apply_operations(b"\x00\x00\x00\x00\x07{}", parse_edit([operation("set", field="x", value=1)]))
        == b'\x00\x00\x00\x00\x07{"x":1}'
    )


@pytest.mark.parametrize(
    ("value", "operations", "says"),
    [
        (None, [operation("remove", field="x")], "no value"),
        (b"\xff\xfe", [operation("replace", text="a")], "isn't UTF-8 text"),
        (b'{"k": "cut', [operation("remove", field="x")], "isn't a JSON object, so x can't be edited"),
        (b"[1]", [operation("set", field="x", value=1)], "isn't a JSON object"),
        (b'{"a": 1}', [operation("set", field="a.b", value=1)], "a isn't an object"),
        (b'{"a": 1}', [operation("rename", field="a", to=".".join("a" * 100))] * 20, "nested too deeply"),
        (b"a" * 60_000, [operation("replace", text="a", by="b" * 1_000)] * 20, "bytes; the limit is "),
    ],
)
def test_what_cannot_be_edited_says_why(
    value: bytes | None, operations: list[dict[str, Any]], says: str
) -> None:
    with pytest.raises(EditError, match=says):
        apply_operations(value, parse_edit(operations))


@pytest.mark.parametrize(
    "given",
    [
        "x",
        [operation("shell", text="x")],
        [operation("set", field="x")],
        [operation("set", field="x..y", value=1)],
        [operation("set", field="x", value="a" * 10_001)],
        [operation("set", field="x", value="\x00")],
        [operation("set", field="x", value=1, more=1)],
        [operation("rename", field="x")],
        [operation("replace", text="")],
        [operation("replace", text="a", by="\ud800")],
        [operation("remove", field="x")] * 21,
    ],
)
def test_what_is_no_edit_is_refused_with_its_place(given: Any) -> None:
    with pytest.raises(ServiceError) as refused:
        parse_edit(given)
    assert refused.value.code == "EDIT_INVALID"
    assert refused.value.problems[0].path[0] == "edit"


def test_operations_have_a_text() -> None:
    given = [
        operation("set", field="x", value="é", only_missing=True),
        operation("remove", field="y"),
        operation("rename", field="A", to="a"),
    ]
    texts = [str(each) for each in parse_edit([*given, operation("replace", text="'", by="")])]
    assert texts == ['x set to "é" if missing', "y removed", "A renamed to a", '"\'" replaced by ""']
