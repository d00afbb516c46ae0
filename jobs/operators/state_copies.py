"""What Spark leaves of a step's state where only a part of what it gives is read.

A query computes everything upstream of a group of outputs for this group alone. `jobs.plan.state_copies` goes
the ways from outputs to sources; operators say what a way reads further up.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RowsRead:
    """What a way reads of the rows of a step.

    Attributes:
        fields: of the rows.
        identity: whether it reads their identity.
        measures: False: as if no aggregate had a measure.
    """

    fields: frozenset[str]
    identity: bool
    measures: bool


@dataclass(frozen=True, slots=True)
class StateRead:
    """What is left of a step.

    Attributes:
        inputs: what it reads of the rows of each input; of a step that computes its input, of the inputs of
            that.
        kept: by input, the fields that the step's state is said to hold, where nothing adapts it to others.
        twice: those of them that it holds a second time, of another window.
        spare: by input, those of `kept` that are there for what the step itself does: Spark may leave them
            out of the rows that it stores where nothing else reads them.
        left_out: by input, those of `spare` that nothing else reads.
    """

    inputs: tuple[RowsRead, ...]
    kept: tuple[frozenset[str], ...] = ()
    twice: tuple[str, ...] = ()
    spare: tuple[frozenset[str], ...] = ()
    left_out: tuple[frozenset[str], ...] = ()


StateReadOf = Callable[[Any, RowsRead], StateRead]
