"""Why a join gave no rows in a preview: an empty side, keys that don't meet, or times that are apart."""

from typing import Final

from jobs.base.durations import Duration
from jobs.operators.join_bound import JoinBound
from jobs.operators.join_fields import KeyPair
from jobs.operators.table_join_bound import TableJoinBound
from weir.diagnosis.services.key_matches import KeyMatches, key_matches, partnerless
from weir.diagnosis.services.source_facts import SampledRow
from weir.preview.services.seen_step import SeenStep

UNKNOWN_PAIRS: Final = "No row matched. The preview doesn't show why."
_WAITS: Final = "Rows without a match come out once the watermark shows that none can come."
_NEEDS: Final = {"inner": (0, 1), "semi": (0, 1), "left": (0,), "anti": (0,), "right": (1,), "full": ()}

Rows = tuple[SampledRow, ...]


def join(step: SeenStep) -> str:
    """Why a join of streams gave no row.

    Args:
        step: it, with rows in.
    """
    bound = step.node.bound
    assert isinstance(bound, JoinBound)
    for side in _NEEDS[bound.type]:
        name = step.node.inputs[side]
        if step.given[name] == 0:
            return f"{name} gave no rows, and without rows of it the join gives none."
    if bound.type == "anti":
        return f"Rows come out once the watermark shows that no match can come. {_anti_text(step)}".strip()
    late = " Rows of a side may have been late: some of this preview were." if step.may_have_late else ""
    if bound.type in ("inner", "semi"):
        return _pairs_text(step, bound) + late
    return f"{_pairs_text(step, bound)} {_WAITS}{late}"


def table_join(step: SeenStep) -> str:
    """Why a join with a table gave no row.

    Args:
        step: it, with rows in.
    """
    bound = step.node.bound
    assert isinstance(bound, TableJoinBound)
    rows, table = step.node.inputs
    if step.given[rows] == 0:
        return f"{rows} gave no rows."
    held = "Rows wait until the watermark has passed them, and these records don't move it far enough."
    if bound.version == "as_of" and bound.type == "left":
        return held
    if step.given[table] is None:
        return (
            f"No row has an entry in {table}, whose rows are read when the job starts and aren't shown here."
        )
    if step.given[table] == 0:
        cause = f"{table} gave no rows, so no row has an entry."
        return f"{cause} {held}" if bound.version == "as_of" else cause
    found = _compared(step, bound.on)
    cause = UNKNOWN_PAIRS if found is None else _keys_text(step, bound.on, found)
    if cause:
        return f"{cause} {held}" if bound.version == "as_of" else cause
    if bound.version == "as_of":
        return held
    return (
        f"Keys are on both sides, but no row found its entry in {table}: a row sees the table as it is when "
        "it arrives, and entries came later or were deleted before."
    )


def unmatched(step: SeenStep, rows_out: int) -> int | None:
    """Left rows of a join that found no partner; None where it isn't known.

    Args:
        step: the join.
        rows_out: that it gave.
    """
    bound = step.node.bound
    left = step.given.get(step.node.inputs[0]) if step.node.inputs else None
    if isinstance(bound, TableJoinBound):
        # Each row has one entry at most where the table's whole key is compared, as it is unless broadcast.
        exact = bound.type == "inner" and bound.version == "current" and bound.broadcast is None
        return left - rows_out if exact and left is not None else None
    if not isinstance(bound, JoinBound) or bound.where is not None or step.may_have_late or step.late:
        return None
    both = _rows(step, bound.on)
    if both is None or not all(map(step.is_whole, step.node.inputs)):
        return None
    return partnerless(bound.on, *both, _limits(bound))


def _pairs_text(step: SeenStep, bound: JoinBound) -> str:
    found = _compared(step, bound.on, _limits(bound))
    if found is None:
        return UNKNOWN_PAIRS
    apart = _keys_text(step, bound.on, found)
    if apart:
        return apart
    limits, nearest = _limits(bound), found.nearest_us
    whole = all(map(step.is_whole, step.node.inputs))
    if limits is not None and nearest is not None and not limits[0] <= nearest <= limits[1]:
        some = "Keys" if whole else "Of the rows that are shown, keys"
        later = "later" if nearest > 0 else "earlier"
        return (
            f"{some} of both sides meet, but their rows are too far apart in time: the nearest two by "
            f"{Duration(abs(nearest))}, the right one {later}. The join allows {bound.before} before to "
            f"{bound.after} after."
        )
    if bound.where is not None and whole and not step.may_have_late and not step.late:
        return f"Keys meet, but the condition {bound.where.text} is true for no pair."
    return UNKNOWN_PAIRS


def _anti_text(step: SeenStep) -> str:
    left = step.given[step.node.inputs[0]]
    lonely = unmatched(step, 0)
    if left is None or lonely is None:
        return ""
    return f"Until now {left - lonely:,} of {left:,} rows have a match."


def _keys_text(step: SeenStep, on: tuple[KeyPair, ...], found: KeyMatches) -> str:
    """Why no keys meet; empty where some do."""
    if found.common:
        return ""
    left, right = step.node.inputs
    names = ", ".join(pair.left for pair in on)
    if found.left_rows and found.left_nulls == found.left_rows:
        return f"The key ({names}) is null in every row of {left}, and null equals nothing."
    none = "No" if all(map(step.is_whole, step.node.inputs)) else "Of the rows that are shown, no"
    near = found.near
    if near is not None:
        return (
            f"{none} key of {left} equals one of {right}: they differ in {near.difference}, for example "
            f"{near.left} and {near.right}."
        )
    if found.kinds:
        return (
            f"Keys of {left} are {found.kinds[0]}, those of {right} are {found.kinds[1]}: none can be equal."
        )
    lefts, rights = found.examples
    return (
        f"{none} key of {left} ({_listed(lefts, found.left)}) is among those of {right} "
        f"({_listed(rights, found.right)})."
    )


def _listed(keys: tuple[str, ...], of: int) -> str:
    return "all null" if not keys else ", ".join(keys) + ("" if len(keys) == of else ", …")


def _compared(
    step: SeenStep, on: tuple[KeyPair, ...], limits: tuple[int, int] | None = None
) -> KeyMatches | None:
    both = _rows(step, on)
    return None if both is None else key_matches(on, *both, limits)


def _rows(step: SeenStep, on: tuple[KeyPair, ...]) -> tuple[Rows, Rows] | None:
    left, right = step.node.inputs
    lefts = step.sample(left, tuple(pair.left for pair in on))
    rights = step.sample(right, tuple(pair.right for pair in on))
    return None if lefts is None or rights is None else (lefts, rights)


def _limits(bound: JoinBound) -> tuple[int, int] | None:
    """How much later the right row may be, from and to, in µs; None: without bounds."""
    return None if bound.before is None or bound.after is None else (-bound.before.us, bound.after.us)
