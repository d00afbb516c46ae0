"""Pass: group outputs that are computed together, so that everything upstream is read and kept once."""

from collections.abc import Sequence

from jobs.base.problems import problem
from jobs.base.topic_names import is_reserved
from jobs.operators import OPERATORS
from jobs.operators.output_fields import nearest
from jobs.plan.draft import Draft, node_of
from jobs.plan.queries import OutputGroup, Sink
from jobs.plan.written_names import check_names


def outputs(draft: Draft) -> None:
    """Check topics and written names; fill sinks and groups.

    PARAMETER_RANGE for a topic that is reserved, is missing on the home cluster, is read by the job, or is
    written by another output, too, whose rows and these do not go together; the problems of `check_names` for
    written names.
    """
    sinks = [
        Sink(name, output.input, output.topic, output.format, written=tuple(output.names.items()))
        for name, output in draft.document.outputs.items()
    ]
    for at, sink in enumerate(sinks):
        _check_topic(draft, sink)
        _check_shared(draft, sink, sinks[:at])
        if sink.reference in draft.relations:
            draft.problems += check_names(
                sink, draft.document.outputs[sink.name], draft.relations[sink.reference]
            )
    known = [sink for sink in sinks if sink.reference in draft.relations]
    draft.sinks = tuple(sorted(known, key=lambda sink: sink.topic is not None))
    if draft.valid:
        draft.groups = groups_of(draft, draft.sinks, draft.live_steps())


def _check_topic(draft: Draft, sink: Sink) -> None:
    if sink.topic is None:
        return
    path = ("outputs", sink.name, "to", "topic")
    if is_reserved(sink.topic):
        message = "The topic prefixes weir. and __ are reserved."
        draft.problems.append(problem("PARAMETER_RANGE", path, message, "Choose another topic."))
        return
    topics = draft.context.topics
    if topics is not None and sink.topic not in topics:
        message = f"Topic {sink.topic!r} doesn't exist on the home cluster."
        hint = nearest(sink.topic, topics) or "Create the topic first."
        draft.problems.append(problem("PARAMETER_RANGE", path, message, hint))
        return
    for name, source in draft.document.sources.items():
        if _topic_read(draft, source.registered) == _topic_of(draft, sink.topic):
            message = f"Loop: source {name} reads this topic."
            draft.problems.append(problem("PARAMETER_RANGE", path, message, "Choose another topic."))


def _topic_read(draft: Draft, stream: str) -> str | None:
    """The topic of the home cluster that a source reads; None: its stream is on another cluster."""
    known = draft.context.home_topics
    return _topic_of(draft, stream) if known is None else known.get(stream)


def _topic_of(draft: Draft, name: str) -> str:
    """The topic of a stream; the name itself, where it is a topic's or the topics are not known."""
    return (draft.context.topics or {}).get(name, name)


def _check_shared(draft: Draft, sink: Sink, before: Sequence[Sink]) -> None:
    """Rows of streams may share a topic. A table's row replaces or deletes the one that another output wrote
    under its key, and a reader knows one format.
    """
    if sink.topic is None:
        return
    for other in before:
        if other.topic is None or _topic_of(draft, other.topic) != _topic_of(draft, sink.topic):
            continue
        kinds = {
            draft.relations[one.reference].kind for one in (sink, other) if one.reference in draft.relations
        }
        if kinds <= {"append"} and sink.format == other.format:
            continue
        message = f"Output {other.name} writes to this topic: " + (
            "it has another format."
            if kinds <= {"append"}
            else "each would delete and replace rows of the other."
        )
        path = ("outputs", sink.name, "to", "topic")
        draft.problems.append(problem("PARAMETER_RANGE", path, message, "Choose another topic."))
        return


def groups_of(draft: Draft, sinks: Sequence[Sink], steps: Sequence[str]) -> tuple[OutputGroup, ...]:
    """The sinks, grouped by what one query of these steps computes together."""
    by_end: dict[str, list[Sink]] = {}
    for sink in sinks:
        by_end.setdefault(_chain(draft, sink.reference)[-1], []).append(sink)
    return tuple(group for together in by_end.values() for group in _of_sinks(draft, tuple(together), steps))


def _chain(draft: Draft, reference: str) -> list[str]:
    """The reference and those upstream of it, back to the first that is not computed row by row."""
    chain = [reference]
    while (step := draft.document.steps.get(node_of(chain[-1]))) is not None and OPERATORS[step.op].row_wise:
        chain.append(draft.inputs[node_of(chain[-1])][0])
    return chain


def _of_sinks(draft: Draft, sinks: tuple[Sink, ...], steps: Sequence[str]) -> list[OutputGroup]:
    """One group of these sinks; a group for each where other steps read one in between, which would then be
    computed twice.
    """
    chains = [_chain(draft, sink.reference) for sink in sinks]
    shared = frozenset(chains[0]).intersection(*chains)
    root = next(reference for reference in chains[0] if reference in shared)
    between = {node_of(reference) for reference in _upstream_to(root, chains)}
    if len(sinks) == 1 or _is_read_by_others(draft, between, steps):
        return [OutputGroup(sink.reference, (sink,), ()) for sink in sinks]
    return [OutputGroup(root, sinks, tuple(name for name in draft.order if name in between))]


def _upstream_to(root: str, chains: list[list[str]]) -> set[str]:
    return {reference for chain in chains for reference in chain[: chain.index(root)]}


def _is_read_by_others(draft: Draft, between: set[str], steps: Sequence[str]) -> bool:
    others = [name for name in steps if name not in between]
    return any(node_of(reference) in between for name in others for reference in draft.inputs[name])
