"""NUL characters are found before a database refuses them, and replaced in what records bring."""

import json

from jobs.base.storable import nul_path, without_nul
from jobs.document import read_document
from jobs.job_tests.document import parse_test

ROW = {"a": ["x", {"b": "y\0z"}], "c\0": 1, "d": 1.5, "e": None}


def test_found_and_replaced() -> None:
    assert nul_path(ROW) == ()
    assert nul_path(ROW["a"]) == ("1", "b")
    assert nul_path({"a": [1, "x", None]}) is None
    assert without_nul(ROW) == {"a": ["x", {"b": "y\ufffdz"}], "c\ufffd": 1, "d": 1.5, "e": None}
    assert "\\u0000" not in json.dumps(without_nul(ROW))


def test_documents_with_one_are_refused_at_its_place() -> None:
    text = 'format: 1\nname: "a\\0b"\nsources: {s: {stream: s}}\noutputs: {o: {input: s, to: result}}'
    (found,) = read_document(text).problems
    assert (found.path, found.code, found.severity) == (("name",), "PARAMETER_RANGE", "error")
    assert next(one.path for one in read_document({"name": "x", "description": "\0"}).problems) == (
        "description",
    )
    test = {"format": 1, "name": "x", "batches": [{}], "expect": {"outputs": {"o": {"rows": [{"k": "\0"}]}}}}
    parsed = parse_test(test)
    assert parsed.test is None
    assert [one.path for one in parsed.problems] == [("expect", "outputs", "o", "rows", "0", "k")]
