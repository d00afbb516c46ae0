"""A folder of jobs with tests."""

from pathlib import Path

import pytest

from jobs.job_tests.folder import FolderError, choose_tests, read_folder

STREAM = "- name: {}\n  topic: {}\n  contract: {{fields: [{{name: x, type: {}}}]}}\n"


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_yaml", ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_jobs_are_folders_with_tests_and_take_streams_from_those_above(tmp_path: Path) -> None:
    write(
        tmp_path,
        streams_yaml=STREAM.format("s", "s", "int") + STREAM.format("t", "t", "int"),
        a__document_yaml="doc a",
        a__streams_yaml=STREAM.format("s", "s", "long"),
        a__tests__two_yaml="2",
        a__tests__one_yaml="1",
        b__c__document_yaml="doc c",
        b__c__tests__one_yaml="1",
        d__document_yaml="without tests",
        e__tests__one_yaml="without a document",
    )
    (tmp_path / "a" / "tests" / "notes.txt").write_text("no test")
    first, second = read_folder(tmp_path)
    assert (first.name, first.document) == ("a", "doc a")
    assert [test.path.name for test in first.tests] == ["one.yaml", "two.yaml"]
    assert {name: read.fields[0].type for name, read in first.contracts.items()} == {"s": "long", "t": "int"}
    assert (second.name, second.contracts["s"].fields[0].type) == ("b/c", "int")


def test_the_folder_itself_can_be_the_job(tmp_path: Path) -> None:
    write(tmp_path, document_yaml="doc", tests__one_yaml="1")
    (job,) = read_folder(tmp_path)
    assert (job.name, job.contracts) == (".", {})


@pytest.mark.parametrize(
    ("streams", "said"),
    [
        ("a: [", "streams.yaml"),
        ("a: 1", "must be a list"),
        ("- {name: s}", "needs name and contract"),
        ("- {name: s, contract: {fields: []}}", "the contract of s: fields"),
        (
            "- {name: s, contract: {fields: [{name: x, type: date}],"
            " event_time: {kind: field, field: x, zone: Mars/Olympus}}}",
            "the contract of s: event_time.zone: Unknown time zone 'Mars/Olympus'",
        ),
        (
            "- {name: s, contract: {fields: [{name: x, type: date}], event_time: {kind: field, field: y}}}",
            "the contract of s: event_time.field",
        ),
        (STREAM.format("s", "a", "int") + STREAM.format("s", "b", "long"), "two streams s"),
    ],
)
def test_streams_that_are_wrong(tmp_path: Path, streams: str, said: str) -> None:
    write(tmp_path, document_yaml="doc", tests__one_yaml="1", streams_yaml=streams)
    with pytest.raises(FolderError, match=said):
        read_folder(tmp_path)


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="No tests in"):
        read_folder(tmp_path)
    with pytest.raises(FolderError, match="is no folder"):
        read_folder(tmp_path / "none")


TEST = "format: 1\nname: {}\nbatches: [{{}}]\n"


def test_two_tests_of_one_name_are_refused(tmp_path: Path) -> None:
    """Their digests and results would be one."""
    write(tmp_path, document_yaml="doc", tests__a_yaml=TEST.format("x"), tests__b_yaml=TEST.format("x"))
    with pytest.raises(FolderError, match=r"b\.yaml: another test of this job has the name 'x'"):
        read_folder(tmp_path)


def test_tests_whose_document_has_another_name_are_refused(tmp_path: Path) -> None:
    """A CI would be green without having played them."""
    write(
        tmp_path,
        a__document_yaml="doc",
        a__tests__one_yaml=TEST.format("x"),
        b__documents_yaml="doc",
        b__tests__late_yaml=TEST.format("y"),
    )
    with pytest.raises(FolderError, match=r"late\.yaml is a test, but .*/b has no document\.yaml"):
        read_folder(tmp_path)


def test_so_are_those_in_folders_below(tmp_path: Path) -> None:
    write(
        tmp_path,
        tests__a__document_yaml="doc",
        tests__a__tests__one_yaml=TEST.format("x"),
        b__tests__late__one_yaml=TEST.format("y"),
    )
    with pytest.raises(FolderError, match=r"one\.yaml is a test, but .*/b has no document\.yaml"):
        read_folder(tmp_path)


def test_a_folder_of_jobs_may_be_called_tests(tmp_path: Path) -> None:
    write(tmp_path, tests__a__document_yaml="doc", tests__a__tests__one_yaml=TEST.format("x"))
    (job,) = read_folder(tmp_path)
    assert [test.name for test in job.tests] == ["x"]


def test_tests_in_folders_below_are_tests_of_the_job(tmp_path: Path) -> None:
    write(
        tmp_path,
        a__document_yaml="doc",
        a__tests__late__one_yaml=TEST.format("x"),
        a__tests__late__two_yaml="unreadable: [",
        a__tests__two_yaml="unreadable: [",
    )
    (job,) = read_folder(tmp_path)
    assert [test.name for test in job.tests] == ["x", "late/two.yaml", "two.yaml"]


def test_tests_are_chosen_by_a_part_of_their_name(tmp_path: Path) -> None:
    write(
        tmp_path,
        a__document_yaml="doc",
        a__tests__a_yaml=TEST.format("late rows"),
        a__tests__b_yaml=TEST.format("early rows"),
        b__document_yaml="doc",
        b__tests__a_yaml="unreadable: [",
    )
    folders = read_folder(tmp_path)
    assert [[test.name for test in job.tests] for job in choose_tests(folders, "late")] == [["late rows"]]
    assert [[test.name for test in job.tests] for job in choose_tests(folders, "a.yaml")] == [["a.yaml"]]
    assert choose_tests(folders, "") == folders
    with pytest.raises(FolderError, match="No test has a name that contains 'lates'"):
        choose_tests(folders, "lates")
