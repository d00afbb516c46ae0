"""Pass: resolve the inputs of steps, refuse cycles, and order the nodes."""

from collections.abc import Iterable

from jobs.base.problems import DocumentPath, problem
from jobs.operators.output_fields import nearest
from jobs.plan.draft import Draft, node_of


def graph(draft: Draft) -> None:
    """Fill inputs, order and live.

    INPUT_COUNT for inputs that do not exist, CYCLE, PARAMETER_MISSING where no output is the live result,
    PARAMETER_RANGE where a second one is. `check` looks up the named outputs of nodes.
    """
    document = draft.document
    for name, step in document.steps.items():
        draft.inputs[name] = _existing(draft, step.inputs(), ("steps", name))
    _order(draft)
    outputs = [
        _existing(draft, (("input", output.input),), ("outputs", name))
        for name, output in document.outputs.items()
    ]
    _check_results(draft)
    draft.live = draft.reached(name for names in outputs for name in names)


def _existing(draft: Draft, inputs: Iterable[tuple[str, str]], path: DocumentPath) -> tuple[str, ...]:
    known = {**draft.document.sources, **draft.document.steps}
    found: list[str] = []
    for parameter, reference in inputs:
        name = node_of(reference)
        if name in known:
            found.append(reference)
        elif name not in draft.parsed.unparsed:
            message = f"Unknown source or step {name[:80]!r}."
            draft.problems.append(
                problem("INPUT_COUNT", (*path, *parameter.split(".")), message, nearest(name[:80], known))
            )
    return tuple(found)


def _check_results(draft: Draft) -> None:
    outputs = draft.document.outputs
    results = [name for name, output in outputs.items() if output.topic is None]
    if outputs and not results:
        draft.problems.append(
            problem(
                "PARAMETER_MISSING",
                ("outputs",),
                "The job has no live result.",
                "Add one, e.g. live: {input: stats, to: result}",
            )
        )
    for name in results[1:]:
        message = "Only one live result is allowed."
        draft.problems.append(
            problem(
                "PARAMETER_RANGE",
                ("outputs", name),
                message,
                "Write this one to a topic, or move it to a second job.",
            )
        )


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
    for reference in draft.inputs[name]:
        upstream = node_of(reference)
        if upstream in trail:
            around = [*list(trail)[list(trail).index(upstream) :], upstream]
            message = f"Circular dependency: {' ← '.join(around)}."
            parameter = next(
                parameter for parameter, named in draft.document.steps[name].inputs() if named == reference
            )
            path = ("steps", name, *parameter.split("."))
            draft.problems.append(
                problem(
                    "CYCLE",
                    path,
                    message,
                    "Change one of these steps to read from a source or an earlier step.",
                )
            )
            draft.inputs[name] = tuple(i for i in draft.inputs[name] if i != reference)
            continue
        _visit(draft, upstream, done, trail)
    del trail[name]
    done[name] = None
