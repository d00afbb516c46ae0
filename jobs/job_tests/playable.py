"""One test of a job, ready to be played."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jobs.base.problems import Problem
from jobs.formats.contract import StreamContract
from jobs.job_tests.check import check_test
from jobs.job_tests.compare import compare
from jobs.job_tests.divergence import StepDigests, first_divergence, step_digests
from jobs.job_tests.document import JobTest, parse_test
from jobs.job_tests.results import JobTestResult
from jobs.plan import Plan
from jobs.play import PlayJob, PlayLimits, PlayResult, PlayScript

TEST_SECONDS = 300.0
"""What one test may take: ten batches take some three where nothing else runs, and machines are busy."""


@dataclass(frozen=True)
class PlayableTest:
    """A test that fits its job.

    Attributes:
        test: parsed.
        plan: of the job document.
        script: what is played.
    """

    test: JobTest
    plan: Plan
    script: PlayScript


@dataclass(frozen=True)
class JudgedPlay:
    """A result, and the digests of all steps' rows: kept when it passed."""

    result: JobTestResult
    digests: StepDigests


def playable(
    text: str | Mapping[str, Any], plan: Plan, contracts: Mapping[str, StreamContract]
) -> PlayableTest | tuple[Problem, ...]:
    """A test of a job as a play, or the problems of its document.

    Args:
        text: the test document.
        plan: of the job document, without errors.
        contracts: by registered name; the ones by which the plan was made.
    """
    parsed = parse_test(text)
    if parsed.test is None:
        return parsed.problems
    checked = check_test(parsed.test, plan)
    if not checked.ok:
        return (*parsed.problems, *checked.problems)
    return PlayableTest(parsed.test, plan, PlayScript(job=play_job(plan, contracts), batches=checked.batches))


def play_job(plan: Plan, contracts: Mapping[str, StreamContract]) -> PlayJob:
    """The job of a play, from a plan without errors."""
    if plan.document is None:
        raise ValueError("only a valid document is played")
    read = {source.registered for source in plan.document.sources.values()}
    topics = [output.topic for output in plan.document.outputs.values() if output.topic is not None]
    return PlayJob(
        document=plan.document.as_json(),
        contracts={name: contracts[name] for name in sorted(read) if name in contracts},
        topics={topic: topic for topic in topics},
        limits=PlayLimits(seconds=TEST_SECONDS),
    )


def judge(playable_test: PlayableTest, played: PlayResult, before: StepDigests | None) -> JudgedPlay:
    """The result of a test.

    Args:
        playable_test: what was played.
        played: what came.
        before: digests of the play of this test that passed last; None: none did.
    """
    result = compare(playable_test.test, playable_test.plan, played)
    digests = step_digests(played)
    if result.status == "failed" and before:
        diverged = first_divergence(playable_test.plan, before, digests)
        result = result.model_copy(update={"diverged": diverged})
    return JudgedPlay(result, digests)


def invalid_result(name: str, problems: tuple[Problem, ...]) -> JobTestResult:
    """The result of a test that cannot be played, with the places of its problems."""
    told = [
        f"{'.'.join(found.path) or 'document'}: {found.message}" + (f" {found.hint}" if found.hint else "")
        for found in problems
        if found.severity == "error"
    ]
    return JobTestResult(name=name, status="error", message="\n".join(told))
