"""Where rows first go another way than when a test passed last: digests of each step's rows, by batch."""

import hashlib
import json
from collections.abc import Mapping

from jobs.job_tests.results import Divergence
from jobs.plan import Plan
from jobs.play import PlayedRows, PlayResult

StepDigests = dict[str, list[str]]
"""By reference ``node`` or ``node.port``, a digest of its rows in each batch."""


def step_digests(played: PlayResult) -> StepDigests:
    """Digests of the rows of all steps: of what they say, not of the order in which they came."""
    found: StepDigests = {}
    for number, batch in enumerate(played.batches):
        for name, rows in batch.steps.items():
            found.setdefault(name, [""] * number).append(_digest(rows))
        for digests in found.values():
            digests.extend([""] * (number + 1 - len(digests)))
    return found


def first_divergence(plan: Plan, before: Mapping[str, list[str]], now: StepDigests) -> Divergence | None:
    """The first step, in the order of the plan, of which a batch has other rows; of it the first such batch.

    Steps that were renamed, added or removed are passed over: only what both have can be compared.

    Args:
        plan: of the job document.
        before: digests of the play that passed last.
        now: digests of this play.
    """
    order = [node.name for node in plan.live_nodes]
    known = [name for name in now if name in before]
    for name in sorted(known, key=lambda found: order.index(found.partition(".")[0])):
        pairs = zip(before[name], now[name], strict=False)
        batch = next((at for at, (old, new) in enumerate(pairs) if old != new), None)
        if batch is not None:
            return Divergence(step=name, batch=batch)
    return None


def _digest(rows: PlayedRows) -> str:
    if not rows.rows and not rows.tombstones:
        return ""
    texts = sorted(
        json.dumps([row.key, row.value, row.at_us], sort_keys=True, separators=(",", ":"))
        for row in rows.first
    )
    told = json.dumps([rows.rows, rows.tombstones, texts])
    return hashlib.sha256(told.encode()).hexdigest()[:16]
