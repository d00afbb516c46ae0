"""Pass: steps find their inputs, there is no cycle, and every node gets its place in the order."""

from jobs.base.problems import problem
from jobs.operators.output_fields import nearest
from jobs.plan.draft import Draft


def graph(draft: Draft) -> None:
    """INPUT_COUNT for inputs that do not exist, CYCLE, PARAMETER_RANGE for more than one output; fills inputs, order and live."""
    document = draft.document
    for name, step in document.steps.items():
        draft.inputs[name] = _existing(draft, (step.input,), ("steps", name))
    _order(draft)
    outputs = [_existing(draft, (output.input,), ("outputs", name)) for name, output in document.outputs.items()]
    for name in list(document.outputs)[1:]:
        draft.problems.append(
            problem("PARAMETER_RANGE", ("outputs", name), "A job has one output for now.", "Make a second job for a second result.")
        )
    draft.live = _reached(draft, [name for names in outputs for name in names])


def _existing(draft: Draft, inputs: tuple[str, ...], path: tuple[str, ...]) -> tuple[str, ...]:
    known = {**draft.document.sources, **draft.document.steps}
    for name in inputs:
        if name not in known and name not in draft.reading.broken:
            message = f"There is no source or step {name[:80]!r}."
            draft.problems.append(problem("INPUT_COUNT", (*path, "input"), message, nearest(name[:80], known)))
    return tuple(name for name in inputs if name in known)


def _order(draft: Draft) -> None:
    done: dict[str, None] = dict.fromkeys(draft.document.sources)
    for start in draft.document.steps:
        trail: dict[str, None] = {}
        _visit(draft, start, done, trail)
    draft.order = tuple(done)


def _visit(draft: Draft, name: str, done: dict[str, None], trail: dict[str, None]) -> None:
    if name in done:
        return
    trail[name] = None
    for upstream in draft.inputs[name]:
        if upstream in trail:
            around = [*list(trail)[list(trail).index(upstream) :], upstream]
            message = f"The steps go round in a circle: {' ← '.join(around)}."
            draft.problems.append(problem("CYCLE", ("steps", name, "input"), message, "Let one of them read a source or an earlier step."))
            draft.inputs[name] = tuple(i for i in draft.inputs[name] if i != upstream)
            continue
        _visit(draft, upstream, done, trail)
    del trail[name]
    done[name] = None


def _reached(draft: Draft, names: list[str]) -> frozenset[str]:
    reached: set[str] = set()
    while names:
        name = names.pop()
        if name not in reached:
            reached.add(name)
            names += draft.inputs.get(name, ())
    return frozenset(reached)
