"""Pass: the watermark delay of each source (`docs/semantics/watermarks-and-lateness.md`). The slack of steps
comes from their checks.
"""

from jobs.base.durations import ZERO
from jobs.base.problems import DocumentPath, problem, warning
from jobs.operators import OPERATORS
from jobs.operators.parameters import check_duration
from jobs.plan.draft import Draft, node_of
from jobs.plan.model import Watermark


def watermark(draft: Draft) -> None:
    """Put the job's own delays into the contracts of its sources.

    PARAMETER_RANGE for a delay that is no duration in whole milliseconds. DELAY_ZERO warns where a step
    downstream drops late rows, WATERMARK_MAX where the fastest of several sources drives the watermark.
    """
    for name, source in draft.document.sources.items():
        if source.delay is None:
            _check_zero_delay(draft, name, ("sources", name))
        elif _set_delay(draft, name, source.delay):
            _check_zero_delay(draft, name, ("sources", name, "delay"))
    _check_fastest_source(draft)


def _set_delay(draft: Draft, name: str, written: str) -> bool:
    """Put a delay into the source's contract. False where it is no duration, or the contract is unknown."""
    path = ("sources", name, "delay")
    delay, found = check_duration(written, path)
    if delay is not None and delay.us % 1_000:
        found.append(
            problem("PARAMETER_RANGE", path, "The delay must be in whole milliseconds.", "Example: 10s")
        )
    draft.problems += found
    contract = draft.contracts.get(name)
    if contract is None or delay is None:
        return False
    draft.contracts[name] = contract.model_copy(update={"delay": str(delay)})
    return True


def _check_zero_delay(draft: Draft, name: str, path: DocumentPath) -> None:
    contract = draft.contracts.get(name)
    if contract is None or contract.delay is None or contract.delay_duration != ZERO:
        return
    if _has_windows_downstream(draft, name):
        message = "A zero watermark delay drops out-of-order rows."
        draft.problems.append(warning("DELAY_ZERO", path, message, "Use a few seconds."))


def _check_fastest_source(draft: Draft) -> None:
    watermarked = [
        name
        for name in draft.streaming_sources()
        if name in draft.contracts and draft.contracts[name].delay is not None
    ]
    if draft.document.settings.watermark == "max" and len(watermarked) > 1:
        message = "watermark: max drops rows of slower sources as late."
        draft.problems.append(
            warning(
                "WATERMARK_MAX",
                ("settings", "watermark"),
                message,
                "Use min, with heartbeats for idle sources.",
            )
        )


def watermarks_of(draft: Draft, name: str) -> tuple[Watermark, ...]:
    """What drives the watermark at a node, one for each query in which the node is streaming. A query that
    reads an exchange always has min, whose rows must not be late because a source is ahead.
    """
    found = []
    for query in draft.queries:
        if name in query.streaming:
            streaming = [source for source in draft.document.sources if source in query.streaming]
            sources = [source for source in streaming if draft.contracts[source].delay is not None]
            delays = {source: draft.contracts[source].delay_duration for source in sources}
            policy = "min" if query.exchange_in else draft.document.settings.watermark
            found.append(Watermark(query.name, delays, policy))
    return tuple(found)


def _has_windows_downstream(draft: Draft, source: str) -> bool:
    downstream = {source}
    for name in draft.order:
        if downstream.intersection(map(node_of, draft.inputs.get(name, ()))):
            downstream.add(name)
            if name in draft.bounds and OPERATORS[draft.document.steps[name].op].drops_late_rows(
                draft.bounds[name]
            ):
                return True
    return False
