"""The folder of a run of tests: what is played, what came, and the tests by which it is judged."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from jobs.job_tests.document import JobTest
from jobs.job_tests.play_folder import PlayFolder, play_folder, played_runs
from jobs.job_tests.playable import PlayableTest
from jobs.plan import PlanningContext, plan_job

_TESTS = "tests"


@dataclass(frozen=True)
class Spool:
    """Files of one run, numbered as its tests."""

    run_id: str

    @property
    def plays(self) -> PlayFolder:
        """Scripts and results."""
        return play_folder(Path(settings.DATA_DIR), self.run_id)

    @property
    def log(self) -> Path:
        """What the process says."""
        return self.plays.path / "log.txt"

    @property
    def is_there(self) -> bool:
        """Whether the folder is there."""
        return self.plays.path.is_dir()

    def prepare(self) -> None:
        """An empty folder."""
        self.remove()
        self.plays.make()
        (self.plays.path / _TESTS).mkdir()

    def write(self, number: int, made: PlayableTest) -> None:
        """A test to be played."""
        self._test(number).write_text(made.test.model_dump_json(exclude_unset=True), "utf-8")
        self.plays.write_script(number, made.script)

    def read_test(self, number: int) -> PlayableTest | None:
        """The test as it was written; None: it could not be played. It was checked before: its text as JSON
        is another than the person's, and may exceed what a document may have.
        """
        script = self.plays.read_script(number)
        if script is None:
            return None
        test = JobTest.model_validate_json(self._test(number).read_bytes())
        # It was planned before, by someone who knew which streams are on the home cluster.
        plan = plan_job(script.job.document, script.job.contracts, PlanningContext(home_topics={}))
        return PlayableTest(test, plan, script)

    def log_tail(self, most: int = 400) -> str:
        """The end of what the process said; empty where it said nothing."""
        if not self.log.exists():
            return ""
        return self.log.read_bytes()[-most:].decode("utf-8", "replace").strip()

    def remove(self) -> None:
        """Delete all files of the run."""
        shutil.rmtree(self.plays.path, ignore_errors=True)

    def _test(self, number: int) -> Path:
        return self.plays.path / _TESTS / f"{number:04}.json"


def spooled_runs() -> list[str]:
    """The runs that have a folder on this host, by id."""
    return played_runs(Path(settings.DATA_DIR))
