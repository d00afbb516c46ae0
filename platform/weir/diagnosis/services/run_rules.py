"""Causes that lie with the run and its engine."""

from typing import Final

from jobs import run_states
from jobs.run_states import NEVER_STARTED, UNKNOWN
from weir.diagnosis.services.evidence import Evidence
from weir.diagnosis.services.finding import Fact, Finding, PlaceKind, instant, since, text

_RUN: Final[tuple[PlaceKind, str]] = ("run", "")


def run_cause(evidence: Evidence) -> Finding | None:
    """Why the run gives nothing, whatever it reads; None: it runs."""
    return _ended(evidence) or _no_engine(evidence) or _not_yet(evidence)


def _ended(evidence: Evidence) -> Finding | None:
    run = evidence.run
    if run.retry_at_us is not None:
        return Finding(
            "RETRYING",
            "The run failed and is started again",
            _failure_text(evidence),
            _RUN,
            "See the error. It is repeated after every start until its cause is gone.",
            (instant("Next start", run.retry_at_us), *_code(evidence)),
        )
    if run.shown == run_states.FAILED:
        remedy = "Mend the cause, then start the job."
        return Finding(
            "FAILED",
            "The run failed",
            _failure_text(evidence),
            _RUN,
            remedy,
            (*since("Failed", run.since_us), *_code(evidence)),
        )
    if run.shown == NEVER_STARTED:
        return Finding("NEVER_STARTED", "Not started yet", "The job has never run.", _RUN, "Start the job.")
    if run.shown == run_states.STOPPING:
        return Finding(
            "STOPPING",
            "Stopping",
            "The run ends its batch and saves its positions.",
            _RUN,
            facts=since("Since", run.since_us),
            waits=True,
        )
    if run.shown == run_states.STOPPED:
        ended = since("Stopped", run.since_us)
        return Finding("STOPPED", "Stopped", "The job doesn't run.", _RUN, "Start or resume the job.", ended)
    return None


def _failure_text(evidence: Evidence) -> str:
    return evidence.run.failure[1] if evidence.run.failure else "No error was reported."


def _code(evidence: Evidence) -> tuple[Fact, ...]:
    return (text("Error", evidence.run.failure[0]),) if evidence.run.failure else ()


def _no_engine(evidence: Evidence) -> Finding | None:
    engine, run = evidence.engine, evidence.run
    if engine is None:
        return Finding(
            "WAITING_FOR_ENGINE",
            "Waiting for an engine",
            run.failure[1] if run.failure else "No engine has room for the run yet.",
            _RUN,
            "Stop jobs that nobody needs, or give engines more slots.",
            since("Waiting since", run.since_us),
        )
    if engine.state == "failed":
        return Finding(
            "ENGINE_FAILED",
            "The engine failed too often",
            engine.failure or "The engine's process ended again and again.",
            _RUN,
            "See the engine's log, then start the engine.",
            since("Last seen", engine.last_seen_us),
        )
    if engine.state in ("starting", "stopped", "stopping") or (engine.state == "ready" and not engine.ready):
        return Finding(
            "ENGINE_STARTING",
            "The engine is starting",
            "The run begins when its engine is ready.",
            _RUN,
            facts=since("Since", run.since_us),
            waits=True,
        )
    if run.shown == UNKNOWN and engine.overload:
        return Finding(
            "HOST_OVERLOADED",
            "The engine's host is overloaded",
            engine.overload,
            _RUN,
            "Stop jobs or other processes that nobody needs, or add cores or an engine host.",
            since("Last seen", run.last_seen_us or engine.last_seen_us),
        )
    if engine.state == "lost":
        return Finding(
            "ENGINE_SILENT",
            "The engine's process ended",
            "It is started again by itself, and the run goes on from where its state was saved.",
            _RUN,
            "Wait for the new process. If this repeats, see the engine's log.",
            since("Last seen", run.last_seen_us or engine.last_seen_us),
        )
    if run.shown == UNKNOWN:
        return Finding(
            "ENGINE_SILENT",
            "The engine is silent",
            "No report of the run has come for a while. It may still be running.",
            _RUN,
            "See the engine's log and its host, and whether other jobs are silent, too.",
            since("Last seen", run.last_seen_us or engine.last_seen_us),
        )
    return None


def _not_yet(evidence: Evidence) -> Finding | None:
    run = evidence.run
    if run.shown == run_states.QUEUED and run.failure is not None and run.failure[0] == "STARTS_IN_TURN":
        return Finding(
            "STARTS_IN_TURN",
            "Waiting for its turn to start",
            _failure_text(evidence),
            _RUN,
            facts=since("Waiting since", run.since_us),
            waits=True,
        )
    if run.shown == run_states.QUEUED:
        return Finding(
            "AT_CAPACITY",
            "Waiting for processor time",
            _failure_text(evidence),
            _RUN,
            "Stop jobs that nobody needs, or run engines on a host with more cores.",
            since("Waiting since", run.since_us),
            waits=True,
        )
    if run.shown == run_states.STARTING:
        return Finding(
            "RUN_STARTING",
            "The queries are starting",
            "Results come after the first batch.",
            _RUN,
            facts=since("Since", run.since_us),
            waits=True,
        )
    if run.shown == run_states.REPLAYING:
        return Finding(
            "REPLAYING",
            "Reading again what was read before the restart",
            "Live results are paused until the run has passed the position it had.",
            _RUN,
            facts=since("Since", run.since_us),
            waits=True,
        )
    return None
