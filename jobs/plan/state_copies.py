"""The states that Spark keeps of a step: one on each way from an output to the step.

A query computes everything upstream of a group of outputs for this group alone, and leaves out what the group
does not read: fields of the rows that a join keeps, and measures. So a step that two groups depend on, or two
inputs of one step, has several states, and they differ.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from jobs.operators import OPERATORS
from jobs.operators.late_rows import PORT
from jobs.operators.operator import Operator
from jobs.operators.state_copies import RowsRead, StateRead
from jobs.plan.column_pruning import reads_of
from jobs.plan.draft import Draft
from jobs.plan.queries import OutputGroup

Fields = frozenset[str]


@dataclass(frozen=True, slots=True)
class StateCopy:
    """A state of a step.

    Attributes:
        step: whose state it is.
        read: what is read of its rows.
        left: what is left of it.
    """

    step: str
    read: RowsRead
    left: StateRead


def copies_of(draft: Draft, whole_rows: Collection[str], *, measures: bool = True) -> list[StateCopy]:
    """The states of steps of which Spark may leave out something, in the order of queries, groups and inputs.

    Args:
        draft: without errors, with the fields that are needed.
        whole_rows: steps that keep whole rows (`jobs.operators.stored_state.StoredState`).
        measures: False: as if aggregates had none, which tells what is kept for measures alone.
    """
    walk = _Walk(draft, whole_rows)
    for query in draft.queries:
        walk.given = frozenset(exchange.reference for exchange in query.exchange_in)
        for group in query.groups:
            walk.visit(group.root, RowsRead(_needed_of(draft, group), identity=True, measures=measures))
    return walk.found


def read_by_all(draft: Draft, name: str) -> StateRead:
    """What all that reads a step reads of it together: the meaning of its state says this."""
    operator = _operator(draft, name)
    fields = draft.needed.get(name, Fields())
    if operator.computes_input:
        of = draft.inputs[name][0]
        added = Fields(draft.relations[name].schema.names) - Fields(draft.relations[of].schema.names)
        fields = draft.needed[of] | added
    if operator.state_read is None:
        raise ValueError(f"nothing is left out of the state of {name}")
    return operator.state_read(draft.bounds[name], RowsRead(fields, identity=True, measures=True))


def _operator(draft: Draft, name: str) -> Operator:
    return OPERATORS[draft.document.steps[name].op]


def _needed_of(draft: Draft, group: OutputGroup) -> Fields:
    """The fields of a group's root that its outputs, and the steps before them, read."""
    needed: dict[str, Fields] = {}
    for sink in group.sinks:
        names = draft.relations[sink.reference].schema.names
        carried = names if sink.exchange is None else draft.exchanged_fields[sink.reference]
        needed[sink.reference] = needed.get(sink.reference, Fields()) | Fields(carried)
    for name in reversed(group.steps):
        for upstream, read in zip(draft.inputs[name], reads_of(draft, name, needed), strict=True):
            needed[upstream] = needed.get(upstream, Fields()) | read
    return needed[group.root]


@dataclass
class _Walk:
    draft: Draft
    whole_rows: Collection[str]
    given: Fields = field(default_factory=Fields)
    found: list[StateCopy] = field(default_factory=list)

    def visit(self, reference: str, read: RowsRead) -> None:
        """Find the states upstream of these rows."""
        name, _, port = reference.partition(".")
        if reference in self.given or name in self.draft.document.sources:
            return
        operator, bound = _operator(self.draft, name), self.draft.bounds[name]
        is_late = port == PORT and self.draft.relations[reference].late_rows
        if is_late or name in self.whole_rows:
            # These rows are packed with the fields that anything reads.
            reads = reads_of(self.draft, name, self.draft.needed)
            self._visit_inputs(name, [RowsRead(fields, True, read.measures) for fields in reads])
        elif operator.state_read is None:
            reads = operator.fields_read(bound, {port: read.fields})
            identity = read.identity or self.draft.keeps_state(name)
            self._visit_inputs(name, [RowsRead(fields, identity, read.measures) for fields in reads])
        else:
            left = operator.state_read(bound, read)
            computed = self.draft.inputs[name][0] if operator.computes_input else name
            self._visit_inputs(computed, left.inputs)
            self.found.append(StateCopy(name, read, left))

    def _visit_inputs(self, name: str, reads: Collection[RowsRead]) -> None:
        static = _operator(self.draft, name).static_inputs(self.draft.bounds[name])
        for at, (upstream, read) in enumerate(zip(self.draft.inputs[name], reads, strict=True)):
            if at not in static:
                relation = self.draft.relations[upstream]
                known = (read.fields | Fields(relation.identity)) & Fields(relation.schema.names)
                self.visit(upstream, RowsRead(known, read.identity, read.measures))
