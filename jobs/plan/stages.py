"""Pass: which outputs one Spark query computes; where one query cannot compute all, the document is cut into stages (`design.md` 6).

A query either gives each result once, when it can no longer change, or writes again what changed. Outputs that need the one
and outputs that need the other stand in two stages: two queries over the same sources, each with its own checkpoint and
watermark. A step above both stands in both, and keeps its state in both. A single output that needs both is refused (`limits`).
"""

from typing import Final

from jobs.operators import OPERATORS
from jobs.operators.execution import BOTH_MODES, OutputMode
from jobs.plan.copies import flows
from jobs.plan.draft import Draft
from jobs.plan.queries import OutputGroup, Stage, StageName

NAMES: Final[dict[OutputMode, StageName]] = {"append": "final", "update": "updates"}
_REASONS: Final[dict[OutputMode, str]] = {
    "append": "{} gives each result once, when it can no longer change; a query that writes results again cannot do that.",
    "update": "{} writes a result again whenever it changes; a query that gives each result once cannot do that.",
}


def stages(draft: Draft) -> None:
    """Fills stages of a sound document: one, or two where outputs need different queries; the result's first."""
    if not draft.sound:
        return
    parts: dict[OutputMode, list[OutputGroup]] = {}
    anywhere: list[OutputGroup] = []
    for group in draft.groups:
        modes = _modes(draft, group)
        if modes == BOTH_MODES:
            anywhere.append(group)
        else:
            parts.setdefault(next(iter(modes)), []).append(group)
    if not parts:
        parts["update"] = []
    for group in anywhere:
        parts[_nearest(draft, group, parts)].append(group)
    ordered = sorted(parts.items(), key=lambda part: min(draft.groups.index(group) for group in part[1]))
    draft.stages = tuple(_stage(draft, mode, groups, alone=len(parts) == 1) for mode, groups in ordered)


def _stage(draft: Draft, mode: OutputMode, chosen: list[OutputGroup], *, alone: bool) -> Stage:
    groups = tuple(group for group in draft.groups if group in chosen)
    references = [sink.reference for group in groups for sink in group.sinks]
    live, (flowing, copied) = draft.reached(references), flows(draft, references)
    deciding = [name for name in draft.live_steps() if name in live and _of_step(draft, name) == {mode}]
    reason = "" if alone else _REASONS[mode].format(" and ".join(deciding))
    return Stage(NAMES[mode], mode, groups, live, flowing, copied, reason)


def _of_step(draft: Draft, name: str) -> frozenset[OutputMode]:
    return OPERATORS[draft.document.steps[name].op].output_modes(draft.bounds[name])


def _modes(draft: Draft, group: OutputGroup) -> frozenset[OutputMode]:
    """The output modes that every step above the group allows; one of them at least, in a sound document."""
    above = [_of_step(draft, name) for name in draft.reached([group.root]) if name in draft.document.steps]
    return BOTH_MODES.intersection(*above)


def _nearest(draft: Draft, group: OutputGroup, parts: dict[OutputMode, list[OutputGroup]]) -> OutputMode:
    """Of the stages that can take a group, the one that shares most state with it, then most sources; the first of equals."""
    above = draft.reached([group.root])

    def shared(mode: OutputMode) -> tuple[int, int]:
        common = above & draft.reached([other.root for other in parts[mode]])
        steps = [name for name in common if name in draft.document.steps]
        return sum(draft.keeps_state(name) for name in steps), len(common) - len(steps)

    return max(parts, key=shared)
