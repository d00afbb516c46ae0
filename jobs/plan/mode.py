"""Pass: choose real-time mode or micro-batches, and say why (`docs/semantics/queries-and-modes.md#modes`)."""

from jobs.base.problems import problem
from jobs.formats.realtime import realtime_refusal
from jobs.operators import OPERATORS
from jobs.operators.operator import Operator
from jobs.plan.draft import Draft, node_of
from jobs.plan.model import ModeDecision
from jobs.plan.static_inputs import static_input_indexes


def mode(draft: Draft) -> None:
    """Fill mode and slots.

    MODE_NOT_POSSIBLE where the document sets real-time mode and a step, or a source, does not allow it.
    """
    if not draft.valid:
        return
    refusals = _realtime_refusals(draft)
    wanted = draft.document.settings.mode
    if wanted == "realtime" and refusals:
        hint = "Use mode: auto or microbatch, or change the step."
        draft.problems += [
            problem(
                "MODE_NOT_POSSIBLE", ("settings", "mode"), f"Real-time mode isn't possible: {refusal}", hint
            )
            for refusal in refusals
        ]
        draft.mode = ModeDecision("microbatch", tuple(refusals))
        return
    if wanted == "realtime":
        draft.mode = ModeDecision("realtime", ("The job sets real-time mode, and all steps support it.",))
    elif wanted == "microbatch":
        draft.mode = ModeDecision("microbatch", ("The job sets micro-batch mode.",))
    else:
        draft.mode = _automatic(draft, refusals)
    draft.slots, draft.fanout = _slots(draft), _fanout(draft)


def _realtime_refusals(draft: Draft) -> list[str]:
    """Why real-time mode is not possible: due to steps, to sources that are read twice, to streams that meet
    behind state, to contracts, to a rate limit.
    """
    steps = [(name, _operator(draft, name).realtime(draft.bounds[name])) for name in draft.live_steps()]
    sources = [(name, realtime_refusal(draft.contracts[name])) for name in draft.streaming_sources()]
    return [
        *(f"{name} {reason}" for name, reason in steps if reason),
        *_read_twice(draft),
        *_meet_behind_state(draft),
        *(f"{name} {reason}" for name, reason in sources if reason),
        *_limited(draft),
    ]


def _limited(draft: Draft) -> list[str]:
    limit = draft.document.settings.rate_limit
    if limit is None:
        return []
    return [f"Its rate is limited to {limit:,} records/s per stream, which only micro-batches can be."]


def _read_twice(draft: Draft) -> list[str]:
    """Refusals of sources that feed two groups of outputs: Spark reads a source once in real-time mode."""
    seen: dict[str, str] = {}
    found = []
    for group in draft.groups:
        for source in sorted(draft.relations[group.root].sources):
            if source in seen:
                both = f"{seen[source]}, {group.sinks[0].name}"
                found.append(f"{source} feeds two outputs ({both}); real-time mode reads a source once.")
            seen.setdefault(source, group.sinks[0].name)
    return found


def _meet_behind_state(draft: Draft) -> list[str]:
    """Refusals of streams that meet behind a step with state: Spark merges streams in real-time mode, which
    outputs of different streams are too, only before the first such step.
    """
    found = []
    for name in draft.live_steps():
        if _operator(draft, name).realtime(draft.bounds[name]):
            continue  # such a step is refused anyway
        static = static_input_indexes(draft, name)
        streams = [reference for at, reference in enumerate(draft.inputs[name]) if at not in static]
        if name in draft.streaming and (stateful := _state_before(draft, streams)):
            found.append(
                f"{name} merges streams after the stateful step {stateful}, which needs micro-batch mode."
            )
    if stateful := _state_before(draft, [group.root for group in draft.groups]):
        names = ", ".join(group.sinks[0].name for group in draft.groups)
        found.append(
            f"Outputs {names} read different streams, and {stateful} is stateful, "
            "which needs micro-batch mode."
        )
    return found


def _state_before(draft: Draft, streams: list[str]) -> str:
    """The first step with state upstream of streams that meet; empty: there is none, or only one stream."""
    if len(streams) < 2:
        return ""
    upstream = draft.reached(streams) & draft.streaming
    return next((name for name in draft.live_steps() if name in upstream and draft.keeps_state(name)), "")


def _automatic(draft: Draft, refusals: list[str]) -> ModeDecision:
    preferences = [
        _operator(draft, name).prefers_microbatch(draft.bounds[name], name) for name in draft.live_steps()
    ]
    reasons = [*refusals, *filter(None, preferences)]
    if reasons:
        return ModeDecision("microbatch", tuple(reasons))
    context = draft.context
    rate, fanout = _rate(draft), _fanout(draft)
    results = rate * fanout
    if results > context.run_limit:
        rates = f"~{results:,.0f} results/s ({rate:,.0f} records/s × {fanout} each)"
        reason = f"{rates} exceed the real-time limit of {context.run_limit:,.0f}/s"
        return ModeDecision("microbatch", (f"{reason}; micro-batch combines updates.",))
    if context.engine_rate + results > context.engine_limit:
        total = context.engine_rate + results
        limit = f"the real-time limit of {context.engine_limit:,.0f}/s"
        reason = f"The engine's total of ~{total:,.0f} results/s would exceed {limit}"
        return ModeDecision("microbatch", (f"{reason}; micro-batch combines updates.",))
    known = all(name in context.rates for name in draft.streaming_sources())
    # Shown for as long as the run lives, so it tells of the moment of choice.
    measured = (
        f"{_amount(results)} within the limit of {context.run_limit:,.0f}/s"
        if known
        else "no input rate was measured before"
    )
    return ModeDecision("realtime", (f"Real-time: all steps support it; {measured}.",))


def _amount(results: float) -> str:
    return f"~{results:,.0f} results/s is" if results >= 1 else "less than 1 result/s is"


def _rate(draft: Draft) -> float:
    return sum(draft.context.rates.get(name, 0.0) for name in draft.streaming_sources())


def _fanout(draft: Draft) -> int:
    """Assumed number of results per record: the most that it can be on a way through the steps."""
    made: dict[str, int] = {}
    for name in draft.live_steps():
        given = max(made.get(node_of(reference), 1) for reference in draft.inputs[name])
        made[name] = given * _operator(draft, name).rows_out(draft.bounds[name])
    return max(made.values(), default=1)


def _operator(draft: Draft, name: str) -> Operator:
    return OPERATORS[draft.document.steps[name].op]


def _slots(draft: Draft) -> int:
    """Task slots that the run takes at once: in micro-batches one per query; in real-time mode one per input
    partition and, for each step with state, one per state partition.
    """
    if draft.mode.mode == "microbatch":
        return len(draft.queries)
    readers = sum(draft.context.partitions.get(name, 1) for name in draft.streaming_sources())
    stateful = [
        name for name in draft.live_steps() if draft.keeps_state(name) and not draft.only_compared(name)
    ]
    return readers + draft.context.shuffle_partitions * len(stateful)
