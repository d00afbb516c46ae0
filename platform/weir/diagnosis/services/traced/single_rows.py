"""Which rows the steps let through, change or leave that keep one row of a key, or none."""

import unicodedata
import zlib
from dataclasses import replace
from itertools import groupby
from typing import Final

from jobs.base.identities import identity_text
from jobs.base.instants import instant_text, nearest_instant
from jobs.operators.change_bound import ChangeBound
from jobs.operators.deduplicate import DeduplicateBound
from jobs.operators.latest import LatestBound
from jobs.operators.sample import SampleBound
from jobs.operators.split import SplitBound
from jobs.operators.throttle import ThrottleBound
from jobs.plan import Plan
from jobs.plan.model import Node
from weir.diagnosis.services.source_facts import SampledRow
from weir.diagnosis.services.step_rows import StepRows, known_rows, require_room
from weir.diagnosis.services.traced.rows import by_fields, require_computed, row_order, trail_of
from weir.diagnosis.services.trail import Doubt, grouped, joined

_HOLDS: Final = "which of equal rows came first depends on their order of arrival"
_INTERVAL: Final = "it keeps one row of each interval, by the watermark of the time"
_TIED: Final = "rows of one event time are told apart by their key, whose order is not known here"
_WORD_PARTS: Final = ("L", "M", "N")  # letters, marks, numbers


def first_rows(
    plan: Plan,  # noqa: ARG001
    node: Node,
    inputs: list[StepRows],
    doubts: tuple[Doubt, ...],
) -> dict[str, StepRows]:
    """The first row of each key, or of each time for which a key is remembered."""
    bound, given = node.bound, inputs[0]
    assert isinstance(bound, DeduplicateBound)
    require_computed(bound.by, given)
    rows: list[SampledRow] = []
    for key, members in by_fields(bound.by, known_rows(given)).items():
        held_until: int | None = None
        for at, same in groupby(sorted(members, key=row_order), key=lambda row: row.time_us):
            together = list(same)
            if bound.within is not None:
                if held_until is not None and at <= held_until:
                    continue
                held_until = at + bound.within.us
            first = together[0]
            identity = (*key, instant_text(nearest_instant(at)))
            trail = replace(trail_of(first), identity=identity).doubted(*doubts)
            if bound.within is not None:
                trail = trail.doubted(Doubt(node.name, _HOLDS))
            if len(together) > 1 and not _of_one_partition(together):
                trail = replace(trail, members=trail.members | {Doubt(node.name, _HOLDS)})
            rows.append(replace(first, trail=trail))
    return {node.name: StepRows(tuple(rows), uncomputed=given.uncomputed)}


def throttled_rows(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:  # noqa: ARG001
    """All rows, of which any may have been left out."""
    bound, given = node.bound, inputs[0]
    assert isinstance(bound, ThrottleBound)
    doubt = Doubt(node.name, _INTERVAL)
    rows = tuple(replace(row, trail=trail_of(row).doubted(doubt)) for row in known_rows(given))
    return {node.name: replace(given, rows=rows)}


def latest_rows(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:
    """The newest row of each key."""
    bound, given = node.bound, inputs[0]
    assert isinstance(bound, LatestBound)
    by_key = plan.relation(node.inputs[0]).identity_kind == "key"
    require_computed(bound.by, given)
    rows: list[SampledRow] = []
    for key, members in by_fields(bound.by, known_rows(given)).items():
        if None not in key:
            newest = max(members, key=(lambda row: trail_of(row).order) if bound.by_offset else row_order)
            tied = by_key and sum(row.time_us == newest.time_us for row in members) > 1
            doubts = (Doubt(node.name, _TIED),) if tied else ()
            rows.append(replace(newest, trail=grouped(key, (trail_of(newest),), *doubts)))
    return {node.name: StepRows(tuple(rows), uncomputed=given.uncomputed)}


def changed_rows(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:  # noqa: ARG001
    """Each result with that of its key's window before."""
    bound, given = node.bound, inputs[0]
    assert isinstance(bound, ChangeBound)
    by_end = {trail_of(row).identity[1:]: trail_of(row) for row in known_rows(given)}
    rows = []
    for row in known_rows(given):
        own = trail_of(row)
        start, _, *keys = own.identity
        before = by_end.get((start, *keys))
        trail = own if before is None else joined(own.identity, (own, before))
        rows.append(replace(row, trail=trail))
    made = frozenset(field.name for changed in bound.changed for field in changed.fields)
    return {node.name: StepRows(tuple(rows), uncomputed=given.uncomputed | made)}


def sampled_rows(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:  # noqa: ARG001
    """The rows whose identity is drawn."""
    bound, given = node.bound, inputs[0]
    assert isinstance(bound, SampleBound)
    rows = tuple(
        row
        for row in known_rows(given)
        if zlib.crc32(identity_text(trail_of(row).identity).encode()) < bound.fraction * 2**32
    )
    return {node.name: replace(given, rows=rows)}


def split_rows(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:  # noqa: ARG001
    """A row of each piece of a text."""
    bound, given = node.bound, inputs[0]
    assert isinstance(bound, SplitBound)
    require_computed([bound.field], given)
    rows: list[SampledRow] = []
    for row in known_rows(given):
        rest = {name: value for name, value in row.values.items() if name != bound.field}
        pieces = _pieces(row.values.get(bound.field) or "", bound.by)
        rows += [
            SampledRow(
                {**rest, bound.as_: piece.lower() if bound.lower else piece},
                row.time_us,
                trail_of(row).indexed(at),
            )
            for at, piece in enumerate(pieces)
        ]
        require_room(len(rows))
    return {node.name: StepRows(tuple(rows), uncomputed=given.uncomputed)}


def _pieces(text: str, by: str) -> list[str]:
    if by != "words":
        return [piece for piece in text.split(by) if piece]
    return [
        "".join(letters)
        for is_word, letters in groupby(
            text, lambda one: one == "_" or unicodedata.category(one)[0] in _WORD_PARTS
        )
        if is_word
    ]


def _of_one_partition(rows: list[SampledRow]) -> bool:
    """Whether rows surely came in the order of their offsets."""
    return len({(place.source, place.partition) for row in rows for place in trail_of(row).records}) == 1
