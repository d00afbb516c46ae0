"""Causes that lie with joins: keys that don't meet, and pairs that are too far apart in time."""

from dataclasses import dataclass
from typing import Final

from jobs.expressions import Expression
from jobs.operators.join_bound import JoinBound
from jobs.operators.join_fields import KeyPair
from jobs.operators.table_join_bound import TableJoinBound
from weir.diagnosis.services.finding import Fact, Finding, PlaceKind, amount, count, seconds, share, text
from weir.diagnosis.services.key_matches import KeyMatches, key_matches, partnerless
from weir.diagnosis.services.null_rules import all_null, failing_column
from weir.diagnosis.services.source_facts import SampledRow
from weir.diagnosis.services.step_sight import Sight

Rows = tuple[SampledRow, ...]

_OFTEN: Final = 0.98
MIN_COVERED: Final = 20
"""Left rows of which every possible partner is in the sample: fewer show nothing."""
MIN_NEAR: Final = 2
"""Pairs that differ in their writing alone: in a part of the records, one may be chance."""


def join(sight: Sight) -> Finding | None:
    """Why a join of streams gives no row.

    Args:
        sight: of the step.
    """
    bound = sight.node.bound
    assert isinstance(bound, JoinBound)
    if bound.type not in ("inner", "semi"):
        return None
    bounds = None if bound.before is None or bound.after is None else (bound.before.us, bound.after.us)
    judged = _judged(sight, bound.on, *(bounds or (None, None)))
    if judged is None:
        return _counted_only(sight, "JOIN_NO_PARTNER", "No row finds a partner")
    matches = key_matches(bound.on, judged.left, judged.right, bounds and (-bounds[0], bounds[1]))
    if matches.common == 0:
        return _no_partner(sight, judged, matches, ("JOIN_NO_PARTNER", "No row finds a partner"))
    nearest = matches.nearest_us
    if nearest is None or not judged.sure:
        return None
    if bounds is None or -bounds[0] <= nearest <= bounds[1]:
        return _condition_false(sight, bound.where, matches)
    return Finding(
        "JOIN_TIMES_APART",
        "Partners are too far apart in time",
        f"Keys meet, but no two rows of a key are within the time limits of the join. {sight.rests_on()}",
        ("step", sight.node.name),
        "Widen the limits, or check the event times of both sides.",
        (
            count("Keys in common", matches.common),
            share("Left keys found on the right", matches.common, matches.left),
            share("Right keys found on the left", matches.common, matches.right),
            seconds("Nearest pair, right after left", nearest),
            text("Allowed", f"{bound.before} before to {bound.after} after"),
            *sight.facts(),
        ),
        sight.basis,
    )


def _condition_false(sight: Sight, where: Expression | None, matches: KeyMatches) -> Finding | None:
    """Rows meet, all of them are read, and the run has counted no pair."""
    left = any(source.waiting for source in sight.evidence.own_sources)
    if where is None or left or not _counted_none(sight):
        return None
    return Finding(
        "JOIN_CONDITION_FALSE",
        "The join's condition lets no pair through",
        f"Keys meet within the time limits. {sight.rests_on()}",
        ("step", sight.node.name),
        "Compare the condition with the values of both sides.",
        (text("Condition", where.text), count("Keys in common", matches.common), *sight.facts()),
        "reported",
    )


def table_join(sight: Sight) -> Finding | None:
    """Why a join with a table gives no row.

    Args:
        sight: of the step.
    """
    bound = sight.node.bound
    assert isinstance(bound, TableJoinBound)
    if bound.type != "inner":
        return None
    judged = _judged(sight, bound.on, None, None)
    if judged is None:
        return _counted_only(sight, "TABLE_KEY_NEVER_MATCHES", "No row has an entry in the table")
    matches = key_matches(bound.on, judged.left, judged.right)
    if matches.common:
        return None
    return _no_partner(
        sight, judged, matches, ("TABLE_KEY_NEVER_MATCHES", "No row has an entry in the table")
    )


def partners(sight: Sight) -> str:
    """How many of the newest rows find a partner, as a sentence; empty where the sample doesn't show it.

    A join that gives rows may lose many others: its counts of rows in and out don't tell, since a row may
    have several partners.

    Args:
        sight: of a join, with a table or a stream.
    """
    bound = sight.node.bound
    if isinstance(bound, TableJoinBound):
        both = _covered(sight, bound.on, None, None)
        limits = None
    elif isinstance(bound, JoinBound) and bound.where is None and bound.before and bound.after:
        both = _covered(sight, bound.on, bound.before.us, bound.after.us)
        limits = (-bound.before.us, bound.after.us)
    else:
        return ""
    if both is None:
        return ""
    left, right = both
    alone, of = partnerless(bound.on, left, right, limits), len(left)
    what = "an entry in the table" if isinstance(bound, TableJoinBound) else "a partner on the right"
    return f"Without {what} among the newest {amount(of, 'row')} of {sight.node.inputs[0]}: {alone:,}."


def _covered(
    sight: Sight, on: tuple[KeyPair, ...], before_us: int | None, after_us: int | None
) -> tuple[Rows, Rows] | None:
    """Left rows of which the sample has every possible partner, and the right ones; None: of too few, or
    their keys aren't known.

    Of rows at the end of the sample a partner may still come.
    """
    left, right = _keyed_rows(sight, on)
    if not left or not right:
        return None
    extent = sight.extent(sight.node.inputs[1])
    if not extent.complete and (before_us is None or extent.whole_from_us is None):
        return None
    if after_us is not None:
        until = max(row.time_us for row in right) - after_us
        left = tuple(row for row in left if row.time_us <= until)
    if not extent.complete and extent.whole_from_us is not None:
        since = extent.whole_from_us + (before_us or 0)
        left = tuple(row for row in left if row.time_us >= since)
    return (left, right) if len(left) >= (1 if extent.complete else MIN_COVERED) else None


@dataclass(frozen=True, slots=True)
class _Judged:
    """Rows of both sides.

    Attributes:
        left: sampled.
        right: sampled.
        sure: the sample has every record of the right side that may be a partner, of those that have come.
        settled: no later one can be the partner of some of the left rows.
        on: the pairs of key fields.
    """

    left: Rows
    right: Rows
    sure: bool
    settled: bool
    on: tuple[KeyPair, ...]

    @property
    def null_fields(self) -> list[str]:
        """Key fields that are null in every left row."""
        return [pair.left for pair in self.on if all_null(pair.left, self.left)]


def _judged(
    sight: Sight, on: tuple[KeyPair, ...], before_us: int | None, after_us: int | None
) -> _Judged | None:
    """Rows of both sides; None where one is unknown or empty, or its keys are unknown.

    Where the run has counted no row, any sample shows why. Otherwise a left row counts only if the sample has
    every record that may be its partner: all of the right side, or all since `before_us` before the row.
    """
    left, right = _keyed_rows(sight, on)
    if not left or not right:
        return None
    if _counted_none(sight):
        return _Judged(left, right, sure=True, settled=True, on=on)
    until = None if after_us is None else max(row.time_us for row in right) - after_us
    settled = until is None or any(row.time_us <= until for row in left)
    if sight.extent(sight.node.inputs[1]).complete:
        return _Judged(left, right, sure=True, settled=settled, on=on)
    whole_from = sight.extent(sight.node.inputs[1]).whole_from_us
    if before_us is not None and whole_from is not None:
        covered = tuple(row for row in left if row.time_us - before_us >= whole_from)
        if len(covered) >= MIN_COVERED:
            is_settled = until is None or sum(row.time_us <= until for row in covered) >= MIN_COVERED
            return _Judged(covered, right, sure=True, settled=is_settled, on=on)
    return _Judged(left, right, sure=False, settled=False, on=on)


def _keyed_rows(sight: Sight, on: tuple[KeyPair, ...]) -> tuple[Rows | None, Rows | None]:
    """Rows of both sides; None where they, or fields of their keys, aren't known."""
    left, right = sight.node.inputs
    lefts = None if any(pair.left in sight.uncomputed(left) for pair in on) else sight.rows(left)
    rights = None if any(pair.right in sight.uncomputed(right) for pair in on) else sight.rows(right)
    return lefts, rights


def _counted_none(sight: Sight) -> bool:
    """The run has counted rows in of both sides, as far as it counts them, and none out. A join as of a time
    holds its rows back, so that it shows nothing there.
    """
    bound = sight.node.bound
    holds = isinstance(bound, TableJoinBound) and bound.version == "as_of"
    return sight.counted_none and not holds and sight.evidence.counts.given.get(sight.node.inputs[1]) != 0


def _counted_only(sight: Sight, code: str, title: str) -> Finding | None:
    """The rows of a side, or their keys, aren't known here, and the run has counted rows in and none out."""
    if not _counted_none(sight) or () in map(sight.rows, sight.node.inputs):
        return None
    return Finding(
        code,
        title,
        sight.rests_on(),
        ("step", sight.node.name),
        "Check that both sides have the same key, of the same time.",
        sight.facts(),
        "reported",
    )


def _keys_null(sight: Sight, side: str, facts: tuple[Fact, ...]) -> Finding:
    return Finding(
        "JOIN_KEYS_NULL",
        "The join key is null",
        f"Null equals nothing, so these rows meet nobody. {sight.rests_on()}",
        ("step", sight.node.name),
        f"Check the key fields of the {side} side.",
        facts,
        sight.basis,
    )


def _no_partner(sight: Sight, judged: _Judged, matches: KeyMatches, named: tuple[str, str]) -> Finding | None:
    lefts, rights = matches.examples
    facts: tuple[Fact, ...] = (
        count("Keys on the left", matches.left),
        count("Keys on the right", matches.right),
        share("Left keys found on the right", matches.common, matches.left),
        share("Right keys found on the left", matches.common, matches.right),
        text("Left keys", "; ".join(lefts)),
        text("Right keys", "; ".join(rights)),
        *sight.facts(),
    )
    place: tuple[PlaceKind, str] = ("step", sight.node.name)
    if matches.left_nulls:
        facts = (share("Left rows with a null key", matches.left_nulls, matches.left_rows), *facts)
    if matches.left_nulls >= _OFTEN * matches.left_rows:
        failing = failing_column(sight, judged.null_fields, f"{sight.node.name} joins by it.")
        if failing is not None:
            return failing
        return _keys_null(sight, "left", facts)
    if matches.right_nulls >= _OFTEN * matches.right_rows:
        nulls = share("Right rows with a null key", matches.right_nulls, matches.right_rows)
        return _keys_null(sight, "right", (nulls, *facts))
    near = matches.near
    if near is not None and (judged.sure or near.pairs >= MIN_NEAR):
        return Finding(
            "JOIN_KEYS_DIFFER",
            "Keys differ in their writing",
            f"No key of one side equals one of the other; some differ only in {near.difference}. "
            + sight.rests_on(),
            place,
            "Bring both sides to one form with a derive step before the join.",
            (
                text("One on the left", near.left),
                text("One on the right", near.right),
                count("Left keys that differ so", near.pairs),
                *facts,
            ),
            sight.basis,
        )
    enough = judged.sure or min(matches.left, matches.right) >= MIN_COVERED
    if matches.kinds and enough:
        left, right = matches.kinds
        return Finding(
            "JOIN_KEYS_DIFFER",
            "Keys are of different kinds",
            f"Keys of the left side are {left}, those of the right are {right}: they can't be equal. "
            + sight.rests_on(),
            place,
            "Check that both sides mean the same by their key, or look one up with the other in a table.",
            facts,
            sight.basis,
        )
    if not judged.sure or not judged.settled:
        return None
    code, title = named
    return Finding(
        code,
        title,
        f"No key of one side is among those of the other. {sight.rests_on()}",
        place,
        "Check that both sides have the same key, of the same time.",
        facts,
        sight.basis,
    )
