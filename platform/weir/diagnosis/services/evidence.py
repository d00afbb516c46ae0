"""What is known about a job at one moment. Plain values: rules judge them without database, broker or clock.

Instants are whole microseconds since 1970, offsets the next one to read.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from jobs.plan import Plan
from jobs.plan.queries import Sink
from weir.diagnosis.services.source_facts import SourceFacts


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """The engine of a run.

    Attributes:
        state: of `weir.runs.models.Engine.State`.
        ready: its session is warm.
        last_seen_us: its last heartbeat; None: it was never heard of.
        failure: message of what ended it; empty for none.
        overload: of its host, in words; empty for none.
    """

    state: str
    ready: bool
    last_seen_us: int | None = None
    failure: str = ""
    overload: str = ""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A job's run.

    Attributes:
        shown: its state as people see it (`jobs.run_states`), NEVER_STARTED without a run.
        since_us: when it reached its state.
        last_seen_us: the engine's last word about it; None: there was none.
        failure: code and message; None for none.
        retry_at_us: when it is started again; None: it is not.
        draining: it reads a backlog in micro-batches.
        rate_limit: records a second that it reads of each stream at most; None: no limit.
        lag_health: what its lag means (`weir.runs.services.lag_health.Kind`); None: not known.
        catch_up_us: how long until its lag is gone, while records go on to be written; None: not known.
    """

    shown: str
    since_us: int | None = None
    last_seen_us: int | None = None
    failure: tuple[str, str] | None = None
    retry_at_us: int | None = None
    draining: bool = False
    rate_limit: int | None = None
    lag_health: str | None = None
    catch_up_us: int | None = None


@dataclass(frozen=True, slots=True)
class StepFacts:
    """What engines report of one step.

    Attributes:
        expression_nulls: rows with a null because an expression failed; None: not known.
        late: rows that it dropped as late, at least; None: they aren't counted.
        keyless: rows that it left out because their key has a null; None: they aren't counted.
        state_rows: rows that it keeps now; None: it has no state, or nothing is known of it.
    """

    expression_nulls: int | None = 0
    late: int | None = None
    keyless: int | None = None
    state_rows: int | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """What the run has counted (`weir.lag.services.run_counts`); `batches` 0: nothing is known yet.

    Attributes:
        rows_out: rows that all outputs got; None: rows of before an edit may be among them.
        given: rows by ``node`` or ``node.port``, tombstones included; one that is missing isn't counted.
        per_second: the same now, over the last minute; one that is missing is unknown.
        steps: by name; steps of which nothing was reported are missing.
        since_us: when the run began to count; None: unknown.
    """

    batches: int = 0
    rows_in: int = 0
    rows_out: int | None = 0
    late: int = 0
    expression_nulls: int = 0
    given: Mapping[str, int] = field(default_factory=dict)
    per_second: Mapping[str, float] = field(default_factory=dict)
    steps: Mapping[str, StepFacts] = field(default_factory=dict)
    since_us: int | None = None


@dataclass(frozen=True, slots=True)
class ResultFacts:
    """The result of the generation.

    Attributes:
        newest_us: when the row of the newest input was written; None: it has no row. Others may have been
            written later.
        retention_us: how long rows are kept; 0: unknown.
        key_row_us: when the row of the key that is asked about was written; None: it has none, or the key
            isn't the whole identity of a row.
    """

    newest_us: int | None = None
    retention_us: int = 0
    key_row_us: int | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """All of it.

    Attributes:
        now_us: the present.
        run: state of the run.
        engine: None: the run has none.
        plan: of the running version, or of the newest one; with errors, steps are not walked.
        sources: in the order of the document.
        counts: of the generation.
        watermark_us: of the run; None: there is none yet.
        rows_per_second: that are read now; None: unknown.
        result: of the generation.
        output: name of the output that is asked about; empty: the first, which is the result where the
            document has one.
        key: that is asked about; empty: all rows. What the run has counted says nothing of one key.
    """

    now_us: int
    run: RunFacts
    plan: Plan
    engine: EngineFacts | None = None
    sources: tuple[SourceFacts, ...] = ()
    counts: Counts = field(default_factory=Counts)
    watermark_us: int | None = None
    rows_per_second: float | None = None
    result: ResultFacts = field(default_factory=ResultFacts)
    output: str = ""
    key: str = ""

    @property
    def sink(self) -> Sink:
        """The output that is asked about; the plan has no errors."""
        return sink_of(self.plan, self.output) or self.plan.sinks[0]

    @property
    def reference(self) -> str:
        """The node or named output whose rows it gets."""
        return self.sink.reference

    @property
    def needed(self) -> frozenset[str]:
        """The nodes upstream of it."""
        return self.plan.upstream_of(self.reference)

    @property
    def own_sources(self) -> tuple[SourceFacts, ...]:
        """The sources upstream of it; all of a plan with errors."""
        if not self.plan.ok:
            return self.sources
        needed = self.needed
        return tuple(source for source in self.sources if source.name in needed)

    @property
    def rows_out(self) -> int | None:
        """Rows that it got since the run began; None: they aren't counted."""
        if self.key:
            return None
        if len(self.plan.sinks) < 2:
            return self.counts.rows_out if self.counts.batches else None
        return self.counts.given.get(self.reference)


def sink_of(plan: Plan, output: str) -> Sink | None:
    """The output of a name, otherwise the first; None for a plan without any.

    Args:
        plan: may have errors.
        output: name in the document.
    """
    return next((sink for sink in plan.sinks if sink.name == output), next(iter(plan.sinks), None))
