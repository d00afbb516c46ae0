"""Plays the tests of a folder of jobs without a broker: ``python -m jobs.engine.job_tests FOLDER``
(`docs/reference/job-tests.md`).
"""

import argparse
import json
import logging
import sys
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError
from pyspark.sql import SparkSession

from jobs.base.problems import Problem
from jobs.engine.local_session import MEMORY_MB, SLOTS, NoSparkError, local_session
from jobs.engine.play import play
from jobs.job_tests.folder import FolderError, JobFolder, choose_tests, read_folder
from jobs.job_tests.junit import junit_xml
from jobs.job_tests.playable import JudgedPlay, PlayableTest, invalid_result, judge, playable
from jobs.job_tests.results import JobTestResult
from jobs.plan import Plan, PlanningContext, plan_job

PASSED: Final = 0
FAILED: Final = 1
UNUSABLE: Final = 2

Accepted = dict[str, dict[str, dict[str, list[str]]]]
"""By job and test, the digests of the play that passed last."""
_ACCEPTED: Final = TypeAdapter(Accepted)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the tests; returns the exit status: 0 all passed, 1 some did not, 2 nothing was played: the folder
    cannot be read or has no such test, a file cannot be written, or Spark does not start.
    """
    asked = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.ERROR, format="%(levelname)s %(name)s: %(message)s")
    try:
        folders = choose_tests(read_folder(asked.folder), asked.only)
        accepted = _read_accepted(asked.accepted)
        _require_writable(asked.junit, asked.accepted)
        results = _play_all(folders, accepted, asked.slots, asked.memory_mb)
    except (FolderError, NoSparkError) as error:
        sys.stderr.write(f"{error}\n")
        return UNUSABLE
    if asked.junit is not None:
        asked.junit.write_text(junit_xml(results), encoding="utf-8")
    if asked.accepted is not None:
        asked.accepted.write_text(json.dumps(accepted, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    everything = [result for played in results.values() for result in played]
    return PASSED if all(result.status == "passed" for result in everything) else FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m jobs.engine.job_tests",
        description="Play the tests of jobs on Spark, without a broker.",
        epilog="Exit status: 0 all passed, 1 some did not, 2 nothing was played: the folder can't be read or "
        "has no such test, a file can't be written, or Spark doesn't start.",
    )
    parser.add_argument("folder", type=Path, help="folders with document.yaml, streams.yaml and tests/*.yaml")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write the results as JUnit XML")
    parser.add_argument("--only", metavar="TEXT", default="", help="play tests whose name contains this")
    parser.add_argument(
        "--accepted",
        type=Path,
        metavar="FILE",
        help="digests of the plays that passed last: a failing test then names the step that changed first",
    )
    parser.add_argument("--slots", type=int, default=SLOTS, help="tasks of Spark at a time (%(default)s)")
    parser.add_argument("--memory-mb", type=int, default=MEMORY_MB, help="of the JVM's heap (%(default)s)")
    return parser


def _read_accepted(path: Path | None) -> Accepted:
    if path is None or not path.exists() or not path.stat().st_size:
        return {}
    try:
        return _ACCEPTED.validate_json(path.read_bytes())
    except OSError as error:
        raise FolderError(f"{path}: {error}.") from error
    except ValidationError as error:
        raise FolderError(f"{path}: not written by this command. Delete it to begin anew.") from error


def _require_writable(*paths: Path | None) -> None:
    """Before minutes of playing end without what they were for."""
    for path in filter(None, paths):
        try:
            path.open("a").close()
        except OSError as error:
            raise FolderError(f"{path} can't be written: {error.strerror}.") from error


def _play_all(
    folders: Sequence[JobFolder], accepted: Accepted, slots: int, memory_mb: int
) -> dict[str, list[JobTestResult]]:
    began = time.monotonic()
    results: dict[str, list[JobTestResult]] = {}
    with local_session(slots, memory_mb) as (session, work):
        for job in folders:
            _say(job.name)
            for judged in _played(session, work, job, accepted.setdefault(job.name, {})):
                results.setdefault(job.name, []).append(judged.result)
                _say_result(judged.result)
    _say_total(results, time.monotonic() - began)
    return results


def _played(
    session: SparkSession, folder: Path, job: JobFolder, accepted: dict[str, Any]
) -> Iterator[JudgedPlay]:
    # The folder does not say which streams are on the home cluster.
    plan = plan_job(job.document, job.contracts, PlanningContext(home_topics={}))
    for written in job.tests:
        name = written.name
        made = playable(written.text, plan, job.contracts) if plan.ok else None
        if isinstance(made, PlayableTest):
            judged = judge(made, play(session, made.script, folder / uuid.uuid4().hex), accepted.get(name))
            if judged.result.status == "passed":
                accepted[name] = judged.digests
        else:
            judged = JudgedPlay(invalid_result(name, made if made is not None else _errors(job, plan)), {})
        yield judged


def _errors(job: JobFolder, plan: Plan) -> tuple[Problem, ...]:
    errors = [found for found in plan.problems if found.severity == "error"]
    return tuple(
        replace(found, message=f"{job.document_path.name} has an error there: {found.message}")
        for found in errors
    )


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _say_result(result: JobTestResult) -> None:
    word = {"passed": "passed", "failed": "FAILED", "error": "ERROR "}[result.status]
    _say(f"  {word}  {result.name}  ({result.elapsed_ms / 1000:.2f} s)")
    if result.status != "passed":
        for line in result.text_lines():
            _say("\n".join(f"          {part}" for part in line.splitlines()))


def _say_total(results: Mapping[str, Sequence[JobTestResult]], seconds: float) -> None:
    everything = [result.status for played in results.values() for result in played]
    jobs, tests = len(results), len(everything)
    _say(
        f"{jobs} {'job' if jobs == 1 else 'jobs'}, {tests} {'test' if tests == 1 else 'tests'}:"
        f" {everything.count('passed')} passed, {everything.count('failed')} failed,"
        f" {everything.count('error')} could not be played ({seconds:.1f} s)"
    )


if __name__ == "__main__":
    sys.exit(main())
