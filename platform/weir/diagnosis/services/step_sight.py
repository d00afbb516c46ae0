"""What is known of one step: its rows in the sample, what the run counted, and what a judgement rests on."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property

from jobs.plan.model import Node
from weir.diagnosis.services.evidence import Evidence
from weir.diagnosis.services.finding import Basis, Fact, amount, count, share, since
from weir.diagnosis.services.source_facts import SampledRow
from weir.diagnosis.services.step_rows import Found


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of what a reference can have the sample is.

    Attributes:
        read: records that were looked at, of its sources.
        records: that their topics hold, about.
        complete: all of them were looked at.
        whole_from_us: event time from which on the sample has every row; None: unknown. Of a complete one it
            is the beginning of time.
    """

    read: int
    records: int
    complete: bool
    whole_from_us: int | None


_BEGINNING = -(2**62)


@dataclass(frozen=True)
class Sight:
    """A step with what is known of it.

    Attributes:
        evidence: of the job.
        found: rows of the sample by reference.
        passed: references that are known to give rows.
        node: the step.
        out: the reference whose rows are judged: the step's, or one of its named outputs.
    """

    evidence: Evidence
    found: Found
    passed: AbstractSet[str]
    node: Node
    out: str

    def at(self, out: str) -> "Sight":
        """The same step, judged by a named output."""
        return replace(self, out=out)

    def rows(self, reference: str) -> tuple[SampledRow, ...] | None:
        """Rows of the sample; None: not known."""
        rows = self.found.get(reference)
        return None if rows is None else rows.rows

    def uncomputed(self, reference: str) -> frozenset[str]:
        """Fields of these rows whose values are not known, because Python does not compute them."""
        rows = self.found.get(reference)
        return frozenset() if rows is None else rows.uncomputed

    @cached_property
    def given(self) -> tuple[SampledRow, ...]:
        """Rows of the sample that the step's first input gives; none where they aren't known."""
        return self.rows(self.node.inputs[0]) or ()

    @cached_property
    def read(self) -> int | None:
        """Rows that the run has given to the step's first input; None: not counted."""
        return self.evidence.counts.given.get(self.node.inputs[0])

    @cached_property
    def kept(self) -> int | None:
        """Rows that the run has got from it; None: not counted."""
        return self.evidence.counts.given.get(self.out)

    @property
    def counted_none(self) -> bool:
        """The run has counted rows in, and none out."""
        return bool(self.read) and self.kept == 0

    @property
    def is_whole(self) -> bool:
        """No row has passed, as far as the run counts or as the topics go: not of the newest rows alone."""
        return self.counted_none or (not self.kept and self.extent(self.node.name).complete)

    @property
    def basis(self) -> Basis:
        """What a judgement rests on."""
        return "reported" if self.counted_none else "sample"

    def extent(self, reference: str) -> Extent:
        """How much of what a reference can have was looked at.

        Args:
            reference: ``node`` or ``node.port``.
        """
        names = self.evidence.plan.upstream_of(reference)
        sources = [source for source in self.evidence.sources if source.name in names]
        samples = [source.judged for source in sources if source.judged is not None]
        complete = len(samples) == len(sources) and all(sample.complete for sample in samples)
        froms = [_BEGINNING if sample.complete else sample.whole_from_us for sample in samples]
        known = [at for at in froms if at is not None]
        return Extent(
            read=sum(sample.read for sample in samples),
            records=sum(source.retained for source in sources),
            complete=complete,
            whole_from_us=max(known) if known and len(known) == len(sources) else None,
        )

    def rests_on(self) -> str:
        """A sentence that says what a judgement of the step rests on."""
        of_key = f"Only rows with the key {self.evidence.key} count. " if self.evidence.key else ""
        earlier = " Earlier rows passed." if self.kept else ""
        if self.counted_none:
            return f"The run has counted {amount(self.read or 0, 'row')} in and none out."
        extent = self.extent(self.node.name)
        if extent.complete:
            return f"{of_key}All records of the topics were looked at.{earlier}"
        uncounted = "" if self.kept is not None or of_key else " The run doesn't count the rows of this step."
        return (
            f"{of_key}The newest {extent.read:,} of about {amount(extent.records, 'record')} were looked at."
            f"{earlier}{uncounted}"
        )

    def facts(self) -> tuple[Fact, ...]:
        """What the run has counted at the step, and how much was looked at."""
        counts = self.evidence.counts
        extent = self.extent(self.node.name)
        found = [
            count("Records looked at", extent.read),
            count("Records in the topics, about", extent.records),
        ]
        if self.read is not None and self.kept is not None:
            found += [
                count("Rows in, counted", self.read),
                count("Rows out, counted", self.kept),
                *since("Counted since", counts.since_us),
            ]
        reads = counts.per_second.get(self.node.inputs[0])
        keeps = counts.per_second.get(self.out)
        if reads and keeps is not None and keeps <= reads:
            found.append(share("Passed in the last minute", keeps, reads))
        return tuple(found)
