"""Pass: which outputs one Spark query computes; where one query cannot compute all, the document is cut into stages.

See `docs/semantics/queries-and-modes.md#two-queries`.

A query either gives each result once, when it can no longer change, or writes again what changed. Outputs that need the one
and outputs that need the other stand in two stages: two queries over the same sources, each with its own checkpoint and
watermark. A step above both stands in both, and keeps its state in both. An output that needs both is cut (`cuts`): the
stage of final results passes rows to the other, through a topic of the job's own.
"""

from collections.abc import Iterable
from typing import Final

from jobs.operators.requirements import APPEND_ONLY, BOTH_MODES, UPDATE_ONLY, OutputMode
from jobs.plan.cuts import cuts_above, modes_of
from jobs.plan.draft import Draft
from jobs.plan.outputs import groups_of
from jobs.plan.queries import Cut, OutputGroup, Sink, Stage, StageName
from jobs.plan.static_inputs import flows

NAMES: Final[dict[OutputMode, StageName]] = {"append": "final", "update": "updates"}
_REASONS: Final[dict[OutputMode, str]] = {
    "append": "{} gives each result once, when it can no longer change; a query that writes results again cannot do that.",
    "update": "{} writes a result again whenever it changes; a query that gives each result once cannot do that.",
}
_PASSED: Final = " The rows of {} come from the other query, through a topic of the job's own."


def stages(draft: Draft) -> None:
    """Fills stages of a sound document: one, or two where outputs need different queries.

    A stage that passes rows to the other comes first; otherwise the one of the result.
    """
    if not draft.sound:
        return
    modes = {group: _modes(draft, group) for group in draft.groups}
    cuts = cuts_above(draft, [group.root for group, allowed in modes.items() if not allowed])
    parts: dict[OutputMode, list[OutputGroup]] = {"append": []} if cuts else {}
    for group, allowed in modes.items():
        if allowed != BOTH_MODES:
            parts.setdefault(next(iter(allowed), "update"), []).append(group)
    if not parts:
        parts["update"] = []
    for group in (group for group, allowed in modes.items() if allowed == BOTH_MODES):
        parts[_nearest(draft, group, parts, cuts)].append(group)
    made = [_stage(draft, mode, groups, cuts, alone=len(parts) == 1) for mode, groups in parts.items()]
    draft.stages = tuple(sorted(made, key=lambda stage: (not stage.passes, _first_output(draft, stage))))


def _stage(draft: Draft, mode: OutputMode, chosen: list[OutputGroup], cuts: tuple[Cut, ...], *, alone: bool) -> Stage:
    groups = tuple(group for group in draft.groups if group in chosen)
    read = cuts if mode == "update" else ()
    given = [cut.reference for cut in read]
    passed = [Sink(cut.reference, cut.reference, None, cut=cut.number) for cut in cuts if mode == "append"]
    references = [sink.reference for group in groups for sink in group.sinks] + [sink.reference for sink in passed]
    flowing, copied = flows(draft, references, given)
    live = flowing | copied
    if passed:
        sinks = [*(sink for group in groups for sink in group.sinks), *passed]
        groups = groups_of(draft, sinks, [name for name in draft.live_steps() if name in live])
    only = APPEND_ONLY if mode == "append" else UPDATE_ONLY
    deciding = [name for name in draft.live_steps() if name in live and modes_of(draft, name) == only]
    reason = "" if alone else _REASONS[mode].format(" and ".join(deciding))
    if read:
        reason += _PASSED.format(" and ".join(given))
    return Stage(NAMES[mode], mode, groups, live, flowing, copied, reason, read)


def _first_output(draft: Draft, stage: Stage) -> int:
    return min((draft.sinks.index(sink) for sink in stage.sinks if sink.cut is None), default=len(draft.sinks))


def _modes(draft: Draft, group: OutputGroup) -> frozenset[OutputMode]:
    """The output modes that every step above the group allows; none where it has to be cut."""
    above = [modes_of(draft, name) for name in draft.reached([group.root]) if name in draft.document.steps]
    return BOTH_MODES.intersection(*above)


def _nearest(draft: Draft, group: OutputGroup, parts: dict[OutputMode, list[OutputGroup]], cuts: tuple[Cut, ...]) -> OutputMode:
    """Of the stages that can take a group, the one that shares most state with it, then most sources; the first of equals."""
    above = draft.reached([group.root])
    given = [cut.reference for cut in cuts]

    def shared(mode: OutputMode) -> tuple[int, int]:
        roots = [other.root for other in parts[mode]]
        common = above & _computed(draft, roots if mode == "update" else [*roots, *given], given if mode == "update" else ())
        steps = [name for name in common if name in draft.document.steps]
        return sum(draft.keeps_state(name) for name in steps), len(common) - len(steps)

    return max(parts, key=shared)


def _computed(draft: Draft, references: Iterable[str], given: Iterable[str]) -> frozenset[str]:
    flowing, copied = flows(draft, references, tuple(given))
    return flowing | copied
