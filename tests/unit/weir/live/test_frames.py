import json

from weir.live import frames
from weir.results.services.records import row_json

ROW = row_json(key='["a",1]', value='{"n":1}', newest_input_us=5, offset=7, partition=1, partial=True)


def test_a_row_is_encoded_as_the_protocol_says() -> None:
    assert json.loads(ROW) == {"k": '["a",1]', "v": {"n": 1}, "n": 5, "o": 7, "p": 1, "partial": True}
    tombstone = row_json(key='["é\\n"]', value=None, newest_input_us=5, offset=7, partition=1, partial=False)
    assert json.loads(tombstone) == {"k": '["é\\n"]', "v": None, "n": 5, "o": 7, "p": 1}


def test_a_snapshot_is_cut_and_only_its_last_frame_has_the_cursor() -> None:
    row = row_json(
        key='["a"]',
        value=json.dumps({"t": "x" * 100_000}),
        newest_input_us=1,
        offset=1,
        partition=0,
        partial=False,
    )
    parts = [json.loads(text) for text in frames.snapshot(4, 2, [row] * 5, "CUR", 9, False)]
    assert len(parts) > 1
    assert [part["more"] for part in parts] == [True] * (len(parts) - 1) + [False]
    assert [part["cursor"] for part in parts] == [None] * (len(parts) - 1) + ["CUR"]
    assert sum(len(part["rows"]) for part in parts) == 5
    assert all(
        part["total"] == 9
        and not part["total_exact"]
        and part["truncated"]
        and part["generation"] == 2
        and part["id"] == 4
        for part in parts
    )


def test_a_snapshot_of_as_many_rows_as_are_counted_says_whether_there_are_more() -> None:
    for total_exact in (True, False):
        (text,) = frames.snapshot(1, 1, [ROW] * 5, "CUR", 5, total_exact)
        assert json.loads(text)["truncated"] is not total_exact


def test_an_empty_snapshot_is_one_frame() -> None:
    (text,) = frames.snapshot(1, 1, [], "CUR", 0, True)
    assert json.loads(text) == {
        "op": "snapshot",
        "id": 1,
        "generation": 1,
        "rows": [],
        "cursor": "CUR",
        "more": False,
        "total": 0,
        "total_exact": True,
        "truncated": False,
    }


def test_deltas_carry_the_cursor_last() -> None:
    (text,) = frames.deltas(1, [ROW, ROW], "CUR", 99, 3)
    assert json.loads(text) | {"rows": []} == {
        "op": "delta",
        "id": 1,
        "rows": [],
        "cursor": "CUR",
        "at_us": 99,
        "conflated": 3,
    }


def test_words_in_errors_are_escaped() -> None:
    assert json.loads(frames.error("BAD_FRAME", '"\n<b>', 3)) == {
        "op": "error",
        "id": 3,
        "code": "BAD_FRAME",
        "message": '"\n<b>',
    }
