"""A row of the operator table: everything that planning, export and the API need to know about an operator.

Planning passes read this row and never test which operator a step is.
"""

from collections.abc import Callable, Iterable
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
from jobs.operators.state_copies import StateReadOf
from jobs.operators.stored_state import StateContext, StoredState

Check = Callable[[Any, tuple[Relation, ...], DocumentPath], StepCheck[Any]]
FieldsRead = Callable[[Any, Needed], tuple[frozenset[str], ...]]
Meanings = Callable[[Any, FieldDigests, tuple[str, ...]], dict[str, str]]
Lineage = Callable[[Any, Iterable[str], list[ColumnSources]], ColumnSources]
ScriptWriter = Callable[[ScriptStep, Any], list[str]]
Computed = Callable[[Any], list[tuple[str, str]]]


def computes_nothing(params: Any) -> list[tuple[str, str]]:  # noqa: ARG001
    """The step computes no optional field."""
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """A row of the operator table. No field has a default, so an incomplete row fails at import.

    The first argument of most callables is the bound form that `check` returned.

    Attributes:
        name: the value of ``op``.
        parameters: the pydantic model of a step's parameters.
        summary: one line for the documentation and the API.
        example: a step as YAML, without its name.
        check: parameters, input relations and path → bound form, output relation, problems. Never raises.
        fields_read: the fields needed of each output → the fields read of each input.
        computed: parameters → section and name of each field that the step computes; a field that nothing
            reads gets a warning.
        row_wise: one input, at most one row per input row in each output, and no state.
        keeps_rows: one row for each row of its inputs, in the same batch.
        static_inputs: indexes of the inputs that are read once, when the query starts.
        computes_input: the operator's lowering includes its input step, which is then lowered on its own
            only if something else reads it.
        realtime: why this form cannot run in real-time mode, as the rest of a sentence that begins with the
            step's name; "" when it can.
        prefers_microbatch: why `mode: auto` chooses micro-batches for the step, as a complete sentence with
            the step's name; "" for no preference.
        output_modes: output modes of the Spark queries that the step can be part of.
        rows_out: the maximum or assumed number of output rows per input row.
        drops_late_rows: whether the step drops late rows, so that the watermark matters.
        late_row_factor: how often Spark counts one late row of the step.
        acts_alone: whether the watermark alone can change the output, so that empty batches must run.
        sorts_batches: whether the step sorts the rows of each micro-batch, which requires Spark's check for
            unsupported operations to be off.
        refuses_expiry_below: whether a `latest` with ttl is refused downstream of the step.
        lowering_revision: raised when a new lowering changes what stored state means; None for operators
            without state.
        state: whether the state is bounded, and why.
        state_entries: for the forecast: number of state entries; None if the rate or the number of keys is
            unknown.
        entry_bytes: for the forecast: bytes of an entry's values.
        stored_state: what the state means; None for a form without state.
        state_read: what Spark leaves of the step where only some of its rows' fields are read. None: it reads
            what `fields_read` says, and a step with state the identity of its rows, too; the state is the
            same.
        meanings: what each output field means.
        lineage: source columns of output columns of these names, computed from the lineage of each input.
        script: the step's lines in an exported script.
        script_settings: what these lines need in Spark's configuration.
        row_identity: types of the identity columns of the output rows in a script, without indexes.
        deletes: whether a changelog row in a script may delete its key, given whether a row of the first
            input may.
    """

    name: str
    parameters: type[Parameters]
    summary: str
    example: str
    check: Check
    fields_read: FieldsRead
    computed: Computed
    row_wise: bool
    keeps_rows: bool
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
    state_read: StateReadOf | None
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
    keeps_rows: bool,
    rows_out: Callable[[Any], int],
    meanings: Meanings,
    lineage: Lineage,
    script: ScriptWriter,
    computed: Computed = computes_nothing,
    realtime: Callable[[Any], str] = realtime_allowed,
    row_identity: Callable[[Any, ScriptStep], list[DataType]] = input_identity,
    deletes: Callable[[Any, bool], bool] = deletes_like_input,
) -> Operator:
    """Build the row of a stateless operator: state, lateness and modes are the same for all of them."""
    return Operator(
        name=name,
        parameters=parameters,
        summary=summary,
        example=example,
        check=check,
        fields_read=fields_read,
        computed=computed,
        row_wise=row_wise,
        keeps_rows=keeps_rows,
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
        state_read=None,
        meanings=meanings,
        lineage=lineage,
        script=script,
        script_settings=no_settings,
        row_identity=row_identity,
        deletes=deletes,
    )


def no_settings(bound: Any) -> tuple[Setting, ...]:  # noqa: ARG001
    """The step needs no Spark setting."""
    return ()


def _nothing_stored(bound: Any, context: StateContext) -> StoredState | None:  # noqa: ARG001
    return None
