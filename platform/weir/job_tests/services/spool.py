"""The folder of a run of tests: scripts for the process that plays them, and what it writes back."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from jobs.job_tests.document import JobTest, parse_test
from jobs.job_tests.playable import PlayableTest
from jobs.plan import plan_job
from jobs.play import PlayResult, PlayScript

SCRIPTS = "scripts"
RESULTS = "results"
_TESTS = "tests"


@dataclass(frozen=True)
class Spool:
    """Files of one run, numbered as its tests."""

    run_id: str

    @property
    def folder(self) -> Path:
        """All files of the run."""
        return Path(settings.DATA_DIR) / "job-tests" / self.run_id

    @property
    def log(self) -> Path:
        """What the process says."""
        return self.folder / "log.txt"

    def prepare(self) -> None:
        """An empty folder that only we read: records may be confidential."""
        self.remove()
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        self.folder.mkdir(mode=0o700)
        for name in (SCRIPTS, RESULTS, _TESTS):
            (self.folder / name).mkdir()

    def write(self, number: int, made: PlayableTest) -> None:
        """A test for the process to play."""
        self._path(_TESTS, number).write_text(made.test.model_dump_json(exclude_unset=True), "utf-8")
        self._path(SCRIPTS, number).write_text(made.script.model_dump_json(), "utf-8")

    def read_test(self, number: int) -> PlayableTest | None:
        """The test as it was written; None: it could not be played."""
        path = self._path(SCRIPTS, number)
        if not path.exists():
            return None
        script = PlayScript.model_validate_json(path.read_bytes())
        test: JobTest | None = parse_test(self._path(_TESTS, number).read_text("utf-8")).test
        if test is None:
            raise ValueError(f"{path} was written of an invalid test")
        return PlayableTest(test, plan_job(script.job.document, script.job.contracts), script)

    def read_result(self, number: int) -> PlayResult | None:
        """What the process wrote; None: it has not come that far."""
        path = self._path(RESULTS, number)
        return PlayResult.model_validate_json(path.read_bytes()) if path.exists() else None

    def log_tail(self, most: int = 400) -> str:
        """The end of what the process said; empty where it said nothing."""
        if not self.log.exists():
            return ""
        return self.log.read_bytes()[-most:].decode("utf-8", "replace").strip()

    def remove(self) -> None:
        """Delete all files of the run."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, kind: str, number: int) -> Path:
        return self.folder / kind / f"{number:04}.json"
