"""Steps on letters' own text: what each makes of a record, and when it says that it cannot."""

from typing import Any

import pytest

from weir.guards.edits import EditError, edited, read_edit
from weir.workspaces.errors import ServiceError


def step(do: str, **more: Any) -> dict[str, Any]:
    return {"do": do, **more}


@pytest.mark.parametrize(
    ("steps", "value", "wanted"),
    [
        ([step("set", field="x", value=5)], '{"k": "a"}', '{"k":"a","x":5}'),
        ([step("set", field="x", value={"y": [None, "é"]})], '{"x": 1, "k": 2}', '{"x":{"y":[null,"é"]},"k":2}'),
        ([step("set", field="x", value=5, only_missing=True)], '{"x": 1}', '{"x":1}'),
        ([step("set", field="x", value=5, only_missing=True)], '{"x": null}', '{"x":5}'),
        ([step("set", field="after.id", value=5)], '{"after": {"n": 1}}', '{"after":{"n":1,"id":5}}'),
        ([step("set", field="after.id", value=5)], '{"after": null}', '{"after":{"id":5}}'),
        ([step("remove", field="x")], '{"x": 1, "y": 2}', '{"y":2}'),
        ([step("remove", field="a.b")], '{"x": 1}', '{"x":1}'),
        ([step("rename", field="X", to="x")], '{"X": 1.10, "x": 0}', '{"x":1.10}'),
        ([step("rename", field="X", to="x")], '{"y": 1}', '{"y":1}'),
        ([step("rename", field="x", to="in.x")], '{"x": 1}', '{"in":{"x":1}}'),
        ([step("replace", text="NaN,", by="null,")], '{"x": NaN, "y": NaN, "z": 1}', '{"x": null, "y": null, "z": 1}'),
        ([step("replace", text="'", by='"'), step("remove", field="k")], "{'k': 'a', 'x': 1}", '{"x":1}'),
        ([step("replace", text=";")], "1;2", "12"),
        # Numbers are as they were written, however long; so are texts, half of a surrogate pair included.
        ([step("remove", field="y")], '{"n": 12345678901234567890.10, "e": 1E400, "s": "\\ud800", "y": 0}',
         '{"n":12345678901234567890.10,"e":1E400,"s":"\\ud800"}'),
        ([], "not json", "not json"),
    ],
)  # fmt: skip
def test_what_it_makes_of_a_record(steps: list[dict[str, Any]], value: str, wanted: str) -> None:
    assert edited(value.encode(), read_edit(steps)).decode() == wanted


def test_a_frame_stays_before_it() -> None:
    assert edited(b"\x00\x00\x00\x00\x07{}", read_edit([step("set", field="x", value=1)])) == b'\x00\x00\x00\x00\x07{"x":1}'


@pytest.mark.parametrize(
    ("value", "steps", "says"),
    [
        (None, [step("remove", field="x")], "no value"),
        (b"\xff\xfe", [step("replace", text="a")], "isn't UTF-8 text"),
        (b'{"k": "cut', [step("remove", field="x")], "isn't a JSON object, so x can't be edited"),
        (b"[1]", [step("set", field="x", value=1)], "isn't a JSON object"),
        (b'{"a": 1}', [step("set", field="a.b", value=1)], "a isn't an object"),
        (b"a" * 60_000, [step("replace", text="a", by="b" * 1_000)] * 20, "bytes; the limit is "),
    ],
)
def test_what_cannot_be_edited_says_why(value: bytes | None, steps: list[dict[str, Any]], says: str) -> None:
    with pytest.raises(EditError, match=says):
        edited(value, read_edit(steps))


@pytest.mark.parametrize(
    "given",
    [
        "x",
        [step("shell", text="x")],
        [step("set", field="x")],
        [step("set", field="x..y", value=1)],
        [step("set", field="x", value="a" * 10_001)],
        [step("set", field="x", value="\x00")],
        [step("set", field="x", value=1, more=1)],
        [step("rename", field="x")],
        [step("replace", text="")],
        [step("replace", text="a", by="\ud800")],
        [step("remove", field="x")] * 21,
    ],
)
def test_what_is_no_edit_is_refused_with_its_place(given: Any) -> None:
    with pytest.raises(ServiceError) as refused:
        read_edit(given)
    assert refused.value.code == "EDIT_INVALID"
    assert refused.value.problems[0].path[0] == "edit"


def test_steps_are_told_in_words() -> None:
    given = [step("set", field="x", value="é", only_missing=True), step("remove", field="y"), step("rename", field="A", to="a")]
    told = [str(each) for each in read_edit([*given, step("replace", text="'", by="")])]
    assert told == ['x set to "é" where it is missing', "y removed", "A renamed to a", '"\'" replaced by ""']
