"""Causes that lie with event time: late rows, a watermark that stands, windows that are still open."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from jobs.base.instants import instant_of
from jobs.operators import OPERATORS
from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.calendar_windows import CalendarSpec
from jobs.operators.change_bound import ChangeBound
from jobs.operators.data_driven_windows import SessionSpec, SlidingSpec
from jobs.operators.late_rows import PORT
from jobs.operators.table_join_bound import TableJoinBound
from jobs.operators.windows import AnyWindow, WindowSpec
from jobs.plan.model import Node, Watermark
from weir.diagnosis.services.evidence import Evidence
from weir.diagnosis.services.finding import Fact, Finding, count, instant, seconds, share, since
from weir.diagnosis.services.row_windows import calendar_bounds
from weir.diagnosis.services.source_facts import SourceFacts
from weir.diagnosis.services.source_rules import QUIET_US, catching_up, partitions

AHEAD_US: Final = 3_600_000_000
"""An event time so far in the future is a mistake of its producer."""
LATE_SHARE: Final = 0.9
NEWEST_ROWS: Final = 20
"""Rows at the end of the sample that are compared with the watermark."""
_SAMPLE_PACE_MIN_US: Final = 1_000_000


def time_cause(evidence: Evidence) -> Finding | None:
    """Why the watermark lets nothing out; None: nothing waits for it, and rows are in time."""
    plan = evidence.plan
    if plan.relation(evidence.reference).late_rows:
        return _none_late(evidence)
    result = evidence.needed
    dropping = [
        node
        for node in plan.live_nodes
        if node.name in result and node.op in OPERATORS and OPERATORS[node.op].drops_late_rows(node.bound)
    ]
    waiting = [node for node in plan.live_nodes if node.name in result and waits_for_watermark(node)]
    return (
        _all_late(evidence, dropping)
        or (_standing(evidence, waiting[0]) if waiting else None)
        or (_open(evidence, waiting[0]) if waiting else None)
    )


def _none_late(evidence: Evidence) -> Finding | None:
    """An output of late rows, where no row was late."""
    counts, needed = evidence.counts, evidence.needed
    if not counts.batches:
        return None
    for node in evidence.plan.live_nodes:
        if node.name not in needed or not any(port.late_rows for port in node.ports.values()):
            continue
        if _late(evidence, node) or counts.given.get(f"{node.name}.{PORT}"):
            continue
        return Finding(
            "NO_LATE_ROWS",
            "No row was late",
            f"The output gets the rows that come too late for {node.name}.",
            ("step", node.name),
            facts=since("Counted since", counts.since_us),
            waits=True,
        )
    return None


def _late(evidence: Evidence, node: Node) -> int:
    """Late rows of a step; where these aren't known, as after an edit, all of the run: 0 is certain then."""
    step = evidence.counts.steps.get(node.name)
    return evidence.counts.late if step is None or step.late is None else step.late


def waits_for_watermark(node: Node) -> bool:
    """Whether a step gives a row only when the watermark has passed it."""
    match node.bound:
        case AggregateBound(window=window, emit=emit):
            return window is not None and (emit == "final" or isinstance(window, SessionSpec | SlidingSpec))
        case ChangeBound():
            return True
        case TableJoinBound(version=version):
            return version == "as_of"
        case _:
            return node.op == "throttle"


def _all_late(evidence: Evidence, dropping: list[Node]) -> Finding | None:
    watermark = evidence.watermark_us
    node = next((node for node in dropping if _late(evidence, node)), None)
    if watermark is None or node is None:
        return None
    newest = list(_past_us(evidence, node, watermark))
    late = [past for past in newest if past >= 0]
    if not newest or len(late) < LATE_SHARE * len(newest):
        return None
    facts: tuple[Fact, ...] = (
        share("Late", len(late), len(newest)),
        count("Newest rows looked at", len(newest)),
        seconds("Late by (median)", sorted(late)[len(late) // 2]),
        instant("Watermark", watermark),
    )
    if watermark > evidence.now_us + AHEAD_US:
        return Finding(
            "WATERMARK_AHEAD",
            "A record from the future moved the watermark",
            "The watermark lies in the future, so every row of the present is late and dropped.",
            ("step", node.name),
            "Mend the producer or limit future times in the stream's contract, then start the job anew.",
            facts,
            "sample",
        )
    return Finding(
        "ALL_LATE",
        "Every row is late",
        "Rows come after the watermark has passed their time, and are dropped.",
        ("step", node.name),
        "Set a longer delay for the stream"
        + (" or a grace for the step" if isinstance(node.bound, AggregateBound) else "")
        + ", or check the event time.",
        facts,
        "sample",
    )


def _past_us(evidence: Evidence, node: Node, reached: int) -> Iterator[int]:
    """How far past its end the watermark was for each of the newest rows of a step; negative: it was in time.

    A row is held to what the watermark was before it: the row itself and later ones have moved it since.
    """
    driven = next(iter(node.watermarks), None)
    upstream = evidence.plan.upstream_of(node.name)
    for source in evidence.sources:
        if driven is not None and source.name in upstream and source.name in driven.delays:
            rows = list(_rows_after(evidence, source, driven, reached))[-NEWEST_ROWS:]
            yield from (before - _ends_us(node, time) for time, before in rows)


def _rows_after(
    evidence: Evidence, source: SourceFacts, driven: Watermark, reached: int
) -> Iterable[tuple[int, int]]:
    """Event times of a source's sample, and how far the watermark was at most before each was read."""
    sample, delay = source.sample, driven.delays[source.name].us
    if sample is None or sample.reached_us is None:
        return ()
    times = [row.time_us for row in sample.rows]
    if reached > evidence.now_us + AHEAD_US:
        return [(time, reached) for time in times]
    if reached <= sample.reached_us - delay:
        return zip(times[1:], (min(reached, most - delay) for most in accumulate(times, max)), strict=False)
    if driven.policy == "min":  # an older record has moved it: no source is behind it otherwise
        return [(time, reached) for time in times]
    # Another source has moved it, as time goes by: it was as far behind its present as the row is old.
    return [
        (row.time_us, reached - (evidence.now_us - instant_of(row.values["_timestamp"])))
        for row in sample.rows
    ]


def _ends_us(node: Node, time_us: int) -> int:
    """The watermark from which on a row of a step is late."""
    bound = node.bound.of if isinstance(node.bound, ChangeBound) else node.bound
    ends = time_us + (bound.slack.us if hasattr(bound, "slack") else 0)
    match bound:
        case AggregateBound(window=WindowSpec(size=size, advance=advance, offset=offset)):
            return ends - (time_us - offset.us) % advance.us + size.us  # the last window that it is in
        case AggregateBound(window=SessionSpec(gap=gap)):
            return ends + gap.us
        case AggregateBound(window=CalendarSpec() as window):
            return ends + calendar_bounds(window, time_us)[1] - time_us
        case _:
            return ends


@dataclass(frozen=True, slots=True)
class _Reach:
    """How far a source has come: its newest event time minus its delay, and its newest record."""

    source: SourceFacts
    time_us: int
    newest_us: int


def _reaches(evidence: Evidence, watermark: Watermark) -> Iterator[_Reach]:
    for source in evidence.sources:
        delay, sample = watermark.delays.get(source.name), source.sample
        if delay is None or sample is None or sample.newest_us is None:
            continue
        if (reached_us := sample.reached_us) is not None:
            yield _Reach(source, reached_us - delay.us, sample.newest_us)


def _standing(evidence: Evidence, node: Node) -> Finding | None:
    """A source that is silent holds the watermark of a step back."""
    for watermark in node.watermarks:
        without = [
            source
            for source in evidence.sources
            if source.name in watermark.delays and source.sample and source.sample.reached_us is None
        ]
        reaches = list(_reaches(evidence, watermark))
        if not reaches:
            continue  # none is ahead of another
        if without and watermark.policy == "min":
            return _held_back(node, without[0], None)
        held = min(reaches, key=lambda reach: reach.time_us)
        ahead = max(reach.newest_us for reach in reaches)
        quiet = evidence.now_us - held.newest_us > QUIET_US
        if watermark.policy == "min" and len(reaches) > 1 and quiet and held.newest_us < ahead:
            return _held_back(node, held.source, held.newest_us)
    return None


def _held_back(node: Node, source: SourceFacts, newest_us: int | None) -> Finding:
    return Finding(
        "WATERMARK_HELD_BACK",
        "A silent source holds the watermark",
        f"{node.name} waits for the watermark, which goes no further than the slowest source: {source.name} "
        + ("has no row among its newest records." if newest_us is None else "has had no record for a while."),
        ("source", source.name),
        "Send heartbeat records to the silent topic, or let the fastest source drive the watermark.",
        () if newest_us is None else (instant("Newest record", newest_us), *partitions(source)),
        "broker",
    )


def _open(evidence: Evidence, node: Node) -> Finding | None:
    """Rows wait until the watermark has passed them: until new records move it, or those of a backlog."""
    watermark = next(iter(node.watermarks), None)
    reaches = list(_reaches(evidence, watermark)) if watermark else []
    if watermark is None or not reaches:
        return None
    choose = min if watermark.policy == "min" else max
    driving = choose(reaches, key=lambda reach: reach.time_us)
    reached = evidence.watermark_us if evidence.watermark_us is not None else driving.time_us
    closes = _next_close_us(node, reached)
    if reached < driving.time_us and (closes is None or closes <= driving.time_us):
        moving = [source for source in evidence.sources if source.name in watermark.delays]
        if (behind := catching_up(evidence, moving)) is not None:
            return behind  # what waits to be read lets them out, also where it is of another output
    delay = watermark.delays[driving.source.name].us
    newest = driving.time_us + delay
    facts: list[Fact] = [instant("Newest event time", newest), *since("Watermark", evidence.watermark_us)]
    if closes is not None:
        facts.append(instant("Closes when event time reaches", closes + delay))
    if evidence.now_us - driving.newest_us > QUIET_US:
        return Finding(
            "WATERMARK_STANDS",
            "The watermark stands still",
            f"{node.name} gives rows when the watermark has passed them. Only new records move the "
            "watermark, and none has come for a while.",
            ("source", driving.source.name),
            "Check that the producer runs, or send heartbeat records.",
            (*facts, instant("Newest record", driving.newest_us), *partitions(driving.source)),
            "broker",
        )
    pace = _pace(driving.source)
    if closes is not None and pace:
        facts.append(seconds("At today's pace in about", max(0, closes + delay - newest) / pace))
    return Finding(
        "WINDOW_OPEN" if closes is not None else "ROWS_HELD",
        "The window is still open" if closes is not None else "Rows wait for the watermark",
        f"{node.name} gives rows when the watermark has passed them.",
        ("step", node.name),
        "Use update emission to see rows before their window closes." if _may_update(node) else "",
        tuple(facts),
        "sample",
        waits=True,
    )


def _may_update(node: Node) -> bool:
    return isinstance(node.bound, AggregateBound) and isinstance(node.bound.window, WindowSpec)


def _next_close_us(node: Node, watermark_us: int) -> int | None:
    """The watermark at which the next window closes; None where only data tells."""
    bound = node.bound
    of = bound.of if isinstance(bound, ChangeBound) else bound
    if not isinstance(of, AggregateBound):
        return None
    return next_end_us(of.window, watermark_us - of.slack.us, of.slack.us)


def next_end_us(window: AnyWindow | None, passed_us: int, slack_us: int = 0) -> int | None:
    """First end of a window behind an instant, plus slack; None for windows that data makes.

    Args:
        window: tumbling or hopping ones have ends that are known.
        passed_us: windows that end here or before are closed.
        slack_us: is added.
    """
    if not isinstance(window, WindowSpec):
        return None
    first = (window.offset.us + window.size.us) % window.advance.us
    return passed_us - (passed_us - first) % window.advance.us + window.advance.us + slack_us


def _pace(source: SourceFacts) -> float:
    """Event time that passes per time of the clock, in the sample; 0: unknown."""
    sample = source.sample
    if sample is None or not sample.rows or sample.newest_us is None or sample.oldest_us is None:
        return 0.0
    clock = sample.newest_us - sample.oldest_us
    times = [row.time_us for row in sample.rows]
    return 0.0 if clock < _SAMPLE_PACE_MIN_US else (max(times) - min(times)) / clock
