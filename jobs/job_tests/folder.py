"""A folder of jobs with their tests: what a user keeps beside code and runs in CI
(`docs/reference/job-tests.md#a-folder`).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import ValidationError

from jobs.document_text import MAX_BYTES
from jobs.formats.contract import StreamContract
from jobs.formats.contract_check import check_contract
from jobs.job_tests.document import parse_test

DOCUMENT: Final = "document"
STREAMS: Final = "streams"
TESTS: Final = "tests"
SUFFIXES: Final = (".yaml", ".yml", ".json")


class FolderError(ValueError):
    """A folder cannot be read as jobs and tests; the message says which file, why, and what to do."""


@dataclass(frozen=True)
class WrittenTest:
    """One file with one test.

    Attributes:
        name: of the test; of one that cannot be read that of its file.
    """

    path: Path
    text: str
    name: str


@dataclass(frozen=True)
class JobFolder:
    """A job with its tests.

    Attributes:
        name: the folder, relative to the one that was asked for; ``.`` for that itself.
        document: the job document's text.
        document_path: its file.
        contracts: by registered name, of the streams and tables that are described in the folder and in those
            above it; the nearest counts.
        tests: in the order of their names.
    """

    name: str
    document: str
    document_path: Path
    contracts: dict[str, StreamContract] = field(default_factory=dict)
    tests: tuple[WrittenTest, ...] = ()


def read_folder(root: Path) -> list[JobFolder]:
    """All jobs in a folder and those below it that have tests, in the order of their names.

    Raises:
        FolderError: a file cannot be read, a contract is not valid, or nothing there has tests.
    """
    if not root.is_dir():
        raise FolderError(f"{root} is no folder.")
    found = [_job(root, document) for document in _documents_with_tests(root)]
    if not found:
        raise FolderError(
            f"No tests in {root}: a job is a folder with document.yaml, streams.yaml and tests/*.yaml."
        )
    return found


def choose_tests(folders: Iterable[JobFolder], text: str) -> list[JobFolder]:
    """The jobs with the tests whose name contains a text; without jobs that have none.

    Raises:
        FolderError: there is no such test.
    """
    chosen = [replace(job, tests=tuple(test for test in job.tests if text in test.name)) for job in folders]
    if not any(job.tests for job in chosen):
        raise FolderError(f"No test has a name that contains {text!r}.")
    return [job for job in chosen if job.tests]


def _documents_with_tests(root: Path) -> Iterator[Path]:
    for tests in sorted(path for path in root.rglob(TESTS) if path.is_dir()):
        document = _file(tests.parent, DOCUMENT)
        if document is None:
            _refuse_orphans(tests)
        elif _test_files(tests):
            yield document


def _test_files(tests: Path) -> list[Path]:
    return sorted(path for path in tests.rglob("*") if path.suffix in SUFFIXES and path.is_file())


def _refuse_orphans(tests: Path) -> None:
    """Tests of a job whose document is misnamed would pass by not being played. Not all folders
    of this name hold tests of jobs.
    """
    for path in _test_files(tests):
        if path.stat().st_size <= MAX_BYTES and not _is_played(path, tests):
            text = path.read_text("utf-8", "replace")
            if "batches" in text and parse_test(text).test is not None:
                raise FolderError(
                    f"{path} is a test, but {tests.parent} has no document.yaml. Put the job document there."
                )


def _is_played(path: Path, tests: Path) -> bool:
    """Whether a file below `tests` belongs to a job that is below it, too."""
    between = (above for above in path.parents if above != tests and above.is_relative_to(tests))
    return any(_file(above, DOCUMENT) is not None for above in between)


def _file(folder: Path, name: str) -> Path | None:
    return next((path for suffix in SUFFIXES if (path := folder / f"{name}{suffix}").is_file()), None)


def _job(root: Path, document: Path) -> JobFolder:
    folder = document.parent
    contracts: dict[str, StreamContract] = {}
    for above in (*reversed(folder.relative_to(root).parents), folder.relative_to(root)):
        contracts |= _contracts(root / above)
    tests = tuple(_written(path, folder / TESTS) for path in _test_files(folder / TESTS))
    for at, test in enumerate(tests):
        if any(test.name == other.name for other in tests[:at]):
            raise FolderError(f"{test.path}: another test of this job has the name {test.name!r}.")
    return JobFolder(str(folder.relative_to(root)), _text(document), document, contracts, tests)


def _written(path: Path, tests: Path) -> WrittenTest:
    text = _text(path)
    parsed = parse_test(text)
    name = parsed.test.name if parsed.test is not None else str(path.relative_to(tests))
    return WrittenTest(path, text, name)


def _contracts(folder: Path) -> dict[str, StreamContract]:
    path = _file(folder, STREAMS)
    if path is None:
        return {}
    try:
        streams = yaml.safe_load(_text(path))  # may say what several streams share once, by an anchor
    except yaml.YAMLError as error:
        raise FolderError(f"{path}: {error}") from error
    if not isinstance(streams, list):
        raise FolderError(f"{path}: must be a list of streams, each with name and contract.")
    found: dict[str, StreamContract] = {}
    for name, contract in (_contract(path, entry) for entry in streams):
        if name in found:
            raise FolderError(f"{path}: there are two streams {name}.")
        found[name] = contract
    return found


def _contract(path: Path, entry: Any) -> tuple[str, StreamContract]:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("name"), str) or "contract" not in entry:
        raise FolderError(f"{path}: each stream needs name and contract.")
    where = f"{path}: the contract of {entry['name']}:"
    try:
        contract = StreamContract.model_validate(entry["contract"])
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        raise FolderError(f"{where} {'.'.join(map(str, detail['loc']))} {detail['msg']}.") from error
    for found in check_contract(contract):
        if found.severity == "error":
            raise FolderError(f"{where} {'.'.join(found.path)}: {found.message} {found.hint or ''}".strip())
    return entry["name"], contract


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise FolderError(f"{path}: the file is larger than {MAX_BYTES:,} bytes.")
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FolderError(f"{path}: {error}") from error
