"""The rows of the nodes that a text has made so far: joins and select lists need their fields."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from jobs.formats.contract import StreamContract
from jobs.operators import OPERATORS
from jobs.operators.parameters import Parameters
from jobs.operators.relation import Relation
from jobs.plan.check import source_relation
from jobs.plan.draft import UNKNOWN_RELATION, node_of


class KnownRelations:
    """Relations by node; each step is checked once, when its rows are first asked for."""

    def __init__(
        self,
        catalog: Mapping[str, StreamContract],
        sources: Mapping[str, Mapping[str, Any]],
        steps: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self._catalog = catalog
        self._sources = sources
        self._steps = steps
        self._found: dict[str, Mapping[str, Relation]] = {}

    def relation(self, reference: str) -> Relation:
        """The rows of a node or of its output; unknown fields while a node above it does not exist.

        Raises:
            OverBudget: the steps cost more than is left of the budget around.
        """
        name, _, port = reference.partition(".")
        return self._outputs(name).get(port, UNKNOWN_RELATION)

    def forget(self, name: str) -> None:
        """A step is gone, or has another name."""
        self._found.pop(name, None)

    def _outputs(self, name: str) -> Mapping[str, Relation]:
        """Relations by port, "" for the node's own. A chain of steps is walked without recursion."""
        waiting = [name]
        while waiting:
            last = waiting[-1]
            above = [] if last in self._found else self._unknown_inputs(last, waiting)
            if above:
                waiting += above
                continue
            waiting.pop()
            if last not in self._found and (last in self._steps or last in self._sources):
                self._found[last] = self._checked(last)
        return self._found.get(name, {})

    def _unknown_inputs(self, name: str, waiting: list[str]) -> list[str]:
        if name not in self._steps:
            return []
        nodes = [node_of(reference) for reference in _inputs(self._steps[name])]
        return [
            node
            for node in nodes
            if node not in self._found
            and node not in waiting
            and (node in self._steps or node in self._sources)
        ]

    def _checked(self, name: str) -> Mapping[str, Relation]:
        if name in self._sources:
            registered = next(iter(self._sources[name].values()))
            return {"": source_relation(name, self._catalog.get(registered))}
        params = _parameters(self._steps[name])
        if params is None:
            return {}
        inputs = tuple(self._at(reference) for _, reference in params.inputs())
        checked = OPERATORS[self._steps[name]["op"]].check(params, inputs, ("steps", name))
        return {"": checked.output, **checked.ports}

    def _at(self, reference: str) -> Relation:
        name, _, port = reference.partition(".")
        return self._found.get(name, {}).get(port, UNKNOWN_RELATION)


def _parameters(step: Mapping[str, Any]) -> Parameters | None:
    """The step's parameters; None if the document's check will refuse them."""
    try:
        return OPERATORS[step["op"]].parameters.model_validate(step)
    except ValidationError:
        return None


def _inputs(step: Mapping[str, Any]) -> list[str]:
    params = _parameters(step)
    return [] if params is None else [reference for _, reference in params.inputs()]
