"""A row of the table of operators: everything that the plan, the export and the API need to know of one.

Nothing but this row says what an operator does: passes of the plan ask it, and never which operator it is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jobs.base.problems import DocumentPath
from jobs.base.types import DataType
from jobs.operators.field_digests import FieldDigests
from jobs.operators.forecasts import InputRate, no_entries, row_bytes
from jobs.operators.lineage import ColumnSources
from jobs.operators.parameters import Parameters
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import (
    Needed,
    OutputMode,
    StateBound,
    both_modes,
    never,
    no_reason,
    no_static_inputs,
    realtime_allowed,
    stateless,
)
from jobs.operators.script_step import ScriptStep, Setting, deletes_like_input, input_identity
from jobs.operators.stored_state import StateContext, StoredState

Check = Callable[[Any, tuple[Relation, ...], DocumentPath], StepCheck[Any]]
FieldsRead = Callable[[Any, Needed], tuple[frozenset[str], ...]]
Meanings = Callable[[Any, FieldDigests, tuple[str, ...]], dict[str, str]]
Lineage = Callable[[Any, str, list[ColumnSources]], frozenset[str]]
ScriptWriter = Callable[[ScriptStep, Any], list[str]]
Computed = Callable[[Any], list[tuple[str, str]]]


def computes_nothing(params: Any) -> list[tuple[str, str]]:  # noqa: ARG001
    """The step computes no field of its own that may be left out."""
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """A row of the table. Nothing has a default: an operator without an answer fails at import.

    The first argument of most answers is the bound form that `check` gave.

    Attributes:
        name: the value of ``op``.
        parameters: the pydantic model of a step.
        summary: one line for people.
        example: a step as YAML, without its name.
        check: parameters, input relations and path → bound form, output relation, problems. Never raises.
        fields_read: what is read of the outputs → the fields that are read of each input.
        computed: parameters → section and name of each field that the step computes, which is warned of when
            nothing reads it.
        row_wise: one input, every row gives at most one row to each output, and nothing is kept.
        static_inputs: indexes of the inputs that are read once, when the query starts.
        computes_input: its lowering includes the step that it reads, which stands nowhere else unless
            something else reads it.
        realtime: why this form cannot run in real-time mode, as the rest of a sentence that begins with the
            step's name; "" when it can.
        prefers_microbatch: why `mode: auto` takes micro-batches for it, as a whole sentence about the named
            step; "" when it does not matter.
        output_modes: of the Spark queries in which the step can stand.
        rows_out: rows that one input row gives at most, or is taken to give.
        drops_late_rows: whether the step drops late rows, so that the watermark matters.
        late_row_factor: how often Spark counts one late row of the step.
        acts_alone: the watermark alone changes its output, so that batches without a row are worth running.
        sorts_batches: it sorts the rows of each micro-batch, for which Spark's check of streaming plans is
            off.
        refuses_expiry_below: a `latest` with ttl cannot stand below it.
        lowering_revision: of a stateful operator, raised when its lowering changes what stored state means;
            None for operators without state.
        state: whether what it keeps is bounded, and why.
        state_entries: of the forecast: entries at rest; None: rate or keys unknown.
        entry_bytes: of the forecast: bytes of an entry's values.
        stored_state: what its state means; None for a form without state.
        meanings: what the fields of its rows mean.
        lineage: the source columns of one column, from those of each input.
        script: the lines of the step in an exported script.
        script_settings: what these lines need of Spark's configuration.
        row_identity: types of the identity columns of its rows in a script, without indexes.
        deletes: a changelog row in a script may take its key away, given whether one of its first input may.
    """

    name: str
    parameters: type[Parameters]
    summary: str
    example: str
    check: Check
    fields_read: FieldsRead
    computed: Computed
    row_wise: bool
    static_inputs: Callable[[Any], frozenset[int]]
    computes_input: bool
    realtime: Callable[[Any], str]
    prefers_microbatch: Callable[[Any, str], str]
    output_modes: Callable[[Any], frozenset[OutputMode]]
    rows_out: Callable[[Any], int]
    drops_late_rows: Callable[[Any], bool]
    late_row_factor: int
    acts_alone: Callable[[Any], bool]
    sorts_batches: bool
    refuses_expiry_below: Callable[[Any], bool]
    lowering_revision: int | None
    state: Callable[[Any, tuple[Relation, ...]], StateBound]
    state_entries: Callable[[Any, InputRate], int | None]
    entry_bytes: Callable[[Any, tuple[Relation, ...]], int]
    stored_state: Callable[[Any, StateContext], StoredState | None]
    meanings: Meanings
    lineage: Lineage
    script: ScriptWriter
    script_settings: Callable[[Any], tuple[Setting, ...]]
    row_identity: Callable[[Any, ScriptStep], list[DataType]]
    deletes: Callable[[Any, bool], bool]

    @property
    def stateful(self) -> bool:
        """True when some form of the operator keeps state."""
        return self.lowering_revision is not None


def stateless_operator(
    *,
    name: str,
    parameters: type[Parameters],
    summary: str,
    example: str,
    check: Check,
    fields_read: FieldsRead,
    row_wise: bool,
    rows_out: Callable[[Any], int],
    meanings: Meanings,
    lineage: Lineage,
    script: ScriptWriter,
    computed: Computed = computes_nothing,
    realtime: Callable[[Any], str] = realtime_allowed,
    row_identity: Callable[[Any, ScriptStep], list[DataType]] = input_identity,
    deletes: Callable[[Any, bool], bool] = deletes_like_input,
) -> Operator:
    """A row for an operator that keeps nothing; what this says of state, lateness and modes is said once
    here.
    """
    return Operator(
        name=name,
        parameters=parameters,
        summary=summary,
        example=example,
        check=check,
        fields_read=fields_read,
        computed=computed,
        row_wise=row_wise,
        static_inputs=no_static_inputs,
        computes_input=False,
        realtime=realtime,
        prefers_microbatch=no_reason,
        output_modes=both_modes,
        rows_out=rows_out,
        drops_late_rows=never,
        late_row_factor=1,
        acts_alone=never,
        sorts_batches=False,
        refuses_expiry_below=never,
        lowering_revision=None,
        state=stateless,
        state_entries=no_entries,
        entry_bytes=row_bytes,
        stored_state=_nothing_stored,
        meanings=meanings,
        lineage=lineage,
        script=script,
        script_settings=no_settings,
        row_identity=row_identity,
        deletes=deletes,
    )


def no_settings(bound: Any) -> tuple[Setting, ...]:  # noqa: ARG001
    """The step needs nothing of Spark's configuration."""
    return ()


def _nothing_stored(bound: Any, context: StateContext) -> StoredState | None:  # noqa: ARG001
    return None
