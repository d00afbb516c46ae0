"""The templates' own tests, as the command plays them."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs.engine.play import play
from jobs.job_tests.folder import JobFolder, read_folder
from jobs.job_tests.playable import PlayableTest, judge, playable
from jobs.plan import plan_job

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

ROOT = Path(__file__).resolve().parents[3] / "examples"
JOBS = read_folder(ROOT)
IN_EVERY_RUN = ("clicks", "errors", "flights", "words")  # joins, a branch, windows, a split


def test_every_template_carries_tests() -> None:
    names = {job.name for job in JOBS}
    assert names == {path.parent.name for path in ROOT.glob("*/document.yaml")}
    assert names > set(IN_EVERY_RUN)


@pytest.mark.parametrize(
    "job",
    [
        pytest.param(job, id=job.name, marks=[] if job.name in IN_EVERY_RUN else [pytest.mark.long])
        for job in JOBS
    ],
)
def test_its_tests_pass(spark: SparkSession, tmp_path: Path, job: JobFolder) -> None:
    plan = plan_job(job.document, job.contracts)
    assert plan.ok, plan.problems
    for number, written in enumerate(job.tests):
        made = playable(written.text, plan, job.contracts)
        assert isinstance(made, PlayableTest), made
        result = judge(made, play(spark, made.script, tmp_path / str(number)), None).result
        assert result.status == "passed", "\n".join(result.text_lines())
