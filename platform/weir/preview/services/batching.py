"""How the records of a preview are read: in as few batches as show what a run could show.

Spark plans every batch anew, which takes most of a preview's time: each one less is felt.
"""

from collections.abc import Mapping
from typing import Final

from jobs.plan import Plan
from jobs.plan.model import SourceBound
from jobs.play import PlayBatch, PlayRecord
from weir.preview.services.samples import Sample

Arrived = tuple[PlayRecord, str, int | None]
"""A record, its source, and its event time; None: it has none, or it isn't known."""

_NEVER: Final = -(2**63)


def batches(plan: Plan, samples: Mapping[str, Sample]) -> tuple[PlayBatch, ...]:
    """The records as they arrived, in one batch where no row of them can be late.

    Otherwise in two halves with an empty batch between them: a row is late for the watermark of the batch
    before the last one, so rows of one batch never are, nor those of the next
    (`docs/semantics/watermarks-and-lateness.md#definition`).

    Args:
        plan: of the document, without errors.
        samples: by source.
    """
    arrived = [
        (record, name, at)
        for name, one in samples.items()
        for record, at in zip(one.records, one.times or (None,) * len(one.records), strict=True)
    ]
    arrived.sort(key=lambda each: each[0].timestamp_us)
    static = [each for each in arrived if each[1] in plan.static]
    flowing = [each for each in arrived if each[1] not in plan.static]
    half = len(flowing) // 2
    first, second = flowing[:half], flowing[half:]
    keeps = any(node.state.kind != "none" for node in plan.live_nodes)
    known = all(one.times is not None for name, one in samples.items() if name in _delays(plan))
    if not keeps or (known and not _may_be_late(plan, first, second)):
        return (_batch(arrived),)
    return (_batch([*static, *first], closing=False), _batch([], closing=False), _batch(second))


def _may_be_late(plan: Plan, first: list[Arrived], second: list[Arrived]) -> bool:
    """Whether a row of the second half is behind what the watermark can be after the first.

    The fastest source gives the bound, whatever the job's policy; a step's slack only makes rows late later.
    """
    delays = _delays(plan)
    watermark = max(
        (at - delays[name] for _, name, at in first if at is not None and name in delays), default=_NEVER
    )
    return any(at <= watermark for _, _, at in second if at is not None)


def _delays(plan: Plan) -> dict[str, int]:
    """By source that moves the watermark, its delay in µs."""
    return {
        node.name: node.bound.contract.delay_duration.us
        for node in plan.live_nodes
        if isinstance(node.bound, SourceBound)
        and node.name in plan.streaming
        and node.bound.contract.delay is not None
    }


def _batch(arrived: list[Arrived], *, closing: bool = True) -> PlayBatch:
    records: dict[str, list[PlayRecord]] = {}
    for record, name, _ in arrived:
        records.setdefault(name, []).append(record)
    return PlayBatch(records={name: tuple(sent) for name, sent in records.items()}, closing=closing)
