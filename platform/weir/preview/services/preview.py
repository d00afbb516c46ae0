"""Previews: a document's rows before it is started (`docs/reference/preview.md`)."""

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from jobs.base.instants import Instant, instant_text
from jobs.kafka_messages import ASKS_TOPIC, MAX_ASK_BYTES, Answer, CancelAsk, PlayAsk
from jobs.plan import Plan
from jobs.play import PlayJob, PlayLimits, PlayScript
from weir.clusters.services.system_topics import publish
from weir.preview.services.aligned_samples import Wanted, aligned_samples
from weir.preview.services.answers import ANSWERS
from weir.preview.services.batching import batches
from weir.preview.services.engines import choose_engine
from weir.preview.services.pinned_samples import PinnedSamples, pinned_samples
from weir.preview.services.samples import MAX_BYTES, MAX_RECORDS, Sample, SourceChoice
from weir.preview.services.summary import summary
from weir.runs.models import Engine
from weir.runs.services.planning import output_topics, plan_in, require_ok, streams_of
from weir.runs.services.ready_engines import ready_engines
from weir.streams.services.stored_samples import stored_lines
from weir.streams.services.streams import catalog
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Workspace
from weir.workspaces.services.idle_connections import give_back_connections

WAIT_S: Final = 30.0
PLAY_S: Final = 20.0
ROWS: Final = 200  # of each step and output
ROW_BYTES: Final = 200_000


@dataclass(frozen=True)
class Asked:
    """What a person asks for.

    Attributes:
        document: the text or values of the job.
        sources: by source; those that are missing give their newest records.
        owner: the page that asks: its newer preview ends its older one.
        reading: number of the page's reading: previews of one reading are of the same records, while they
            are kept (`pinned_samples`).
    """

    document: Any
    sources: Mapping[str, SourceChoice]
    owner: str
    reading: int = 0


class NoEngineError(ServiceError):
    """No engine can play now, and none will by itself; the message says why."""

    status = 503


class EngineComingError(Exception):
    """An engine that can play is starting: no error, asking again is enough. Its text is for users."""


def preview(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """Read the sources, let an engine play the document, and return what each step gave.

    Raises:
        ServiceError: the document has errors, or the records do not fit.
        EngineComingError: an engine is starting; nothing was read.
        NoEngineError: no engine can play now, or it did not answer.
        NotFoundError: a topic does not exist.
        UnreachableError: a cluster does not answer.
    """
    plan = require_ok(plan_in(workspace, asked.document))
    choice = choose_engine(workspace)
    if choice.coming:
        raise EngineComingError(choice.reason)
    if choice.engine is None:
        raise NoEngineError("NO_ENGINE", choice.reason)
    began = time.monotonic()
    pinned = _samples(workspace, plan, asked)
    samples = pinned.samples
    read_ms = _ms_since(began)
    ask = _ask(workspace, plan, samples, choice.engine, asked.owner)
    answer = _answered(ask)
    found = summary(plan, answer, samples)
    return {
        **found,
        "read_at": instant_text(Instant(pinned.read_at_us)),
        "read_ms": read_ms,
        "total_ms": _ms_since(began),
        "standby": choice.engine.standby,
    }


def cancel(workspace: Workspace, owner: str) -> None:
    """Nobody waits for the previews of this owner any more.

    Raises:
        UnreachableError: the broker does not answer.
    """
    asks = [CancelAsk(engine_id=engine.id, owner=owner) for engine in ready_engines(workspace)]
    if asks:
        publish(ASKS_TOPIC, {f"{owner}/{ask.engine_id}": ask.model_dump_json().encode() for ask in asks})


def _samples(workspace: Workspace, plan: Plan, asked: Asked) -> PinnedSamples:
    streams = streams_of(workspace, plan)
    each = MAX_RECORDS // max(1, len(streams))
    wanted = {}
    for name, stream in streams.items():
        choice = asked.sources.get(name, SourceChoice())
        lines = stored_lines(stream) if choice.kind == "sample" else choice.lines
        choice = replace(choice, records=min(choice.records, each), lines=lines)
        wanted[name] = Wanted(stream, choice)
    room = MAX_BYTES // max(1, len(streams))
    return pinned_samples(asked.owner, asked.reading, wanted, lambda: aligned_samples(wanted, room))


def _ask(
    workspace: Workspace, plan: Plan, samples: Mapping[str, Sample], engine: Engine, owner: str
) -> PlayAsk:
    assert plan.document is not None
    contracts = catalog(workspace)
    used = {ref.registered for ref in plan.document.sources.values()}
    contracts.read(used)
    job = PlayJob(
        document=plan.document.as_json(),
        contracts={name: contracts[name] for name in sorted(used) if name in contracts},
        topics=output_topics(workspace),
        workspace=workspace.slug,
        limits=PlayLimits(rows=ROWS, bytes=ROW_BYTES, seconds=PLAY_S),
    )
    return PlayAsk(
        ask_id=uuid.uuid4().hex,
        engine_id=engine.id,
        owner=owner,
        expires_us=time.time_ns() // 1_000 + int(WAIT_S * 1_000_000),
        script=PlayScript(job=job, batches=batches(plan, samples)),
    )


def _answered(ask: PlayAsk) -> Answer:
    value = ask.model_dump_json().encode()
    if len(value) > MAX_ASK_BYTES:
        raise ServiceError(
            "PREVIEW_TOO_LARGE",
            "The document and its records are too large for a preview. Read fewer records.",
        )
    with ANSWERS.waiting(ask.ask_id) as waiting:
        publish(ASKS_TOPIC, {ask.ask_id: value})
        give_back_connections()  # others need the few that a process has
        answer = waiting.wait(WAIT_S)
    if answer is None:
        raise NoEngineError(
            "ENGINE_SILENT", f"The engine {ask.engine_id} did not answer within {WAIT_S:g} s. Try again."
        )
    return answer


def _ms_since(began: float) -> int:
    return round((time.monotonic() - began) * 1_000)
