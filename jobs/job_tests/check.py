"""Whether a test fits its job: what it names exists, and its times can be read."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from jobs.base.problems import DocumentPath, Problem, has_errors, problem
from jobs.formats.contract import StreamContract
from jobs.job_tests.document import MAX_PROBLEMS, Expectation, ExpectedRows, JobTest
from jobs.job_tests.played_content import SYSTEM, output_form
from jobs.job_tests.sending import batches_of
from jobs.operators.output_fields import nearest
from jobs.plan import Plan
from jobs.plan.model import SourceBound
from jobs.play import PlayBatch


@dataclass(frozen=True)
class CheckedTest:
    """A test that was held against its job.

    Attributes:
        batches: what a play reads.
        problems: with their places in the test document.
        named_steps: the steps and sources whose rows the test looks at.
    """

    batches: tuple[PlayBatch, ...]
    problems: tuple[Problem, ...]
    named_steps: frozenset[str]

    @property
    def ok(self) -> bool:
        """True when it can be played."""
        return not has_errors(list(self.problems))


def check_test(test: JobTest, plan: Plan) -> CheckedTest:
    """Hold a test against a plan without errors. Never raises."""
    batches, problems = batches_of(test, contracts_of(plan))
    incompatible = (found for path, expect in test.expectations for found in _expectation(expect, path, plan))
    problems += islice(incompatible, MAX_PROBLEMS)  # each looks for a near name, which takes time
    named = frozenset(name for _, expect in test.expectations for name in expect.steps)
    return CheckedTest(batches, tuple(problems[:MAX_PROBLEMS]), named)


def contracts_of(plan: Plan) -> dict[str, StreamContract]:
    """The contracts of the sources that a job reads, by source."""
    return {node.name: node.bound.contract for node in plan.live_nodes if isinstance(node.bound, SourceBound)}


def _expectation(expect: Expectation, path: DocumentPath, plan: Plan) -> Iterator[Problem]:
    sources = {node.name for node in plan.live_nodes if node.op == "source"}
    steps = {node.name for node in plan.live_nodes}
    references = _references(plan)
    outputs = {sink.name for sink in plan.sinks}
    for name, rows in expect.outputs.items():
        place = (*path, "outputs", name)
        if name not in outputs:
            yield _unknown("output", name, place, outputs)
        else:
            yield from _rows(rows, place, output_form(plan, name).members)
    for name, rows in expect.steps.items():
        place = (*path, "steps", name)
        if name not in references:
            yield _unknown("source or step", name, place, references)
        elif _is_copied(plan, name):
            yield _not_seen(name, place)
        else:
            yield from _rows(rows, place, frozenset(plan.relation(name).schema.names))
    for part, named, known, what in (
        ("malformed", expect.malformed, sources, "source"),
        ("errors", expect.errors, steps - sources, "step"),
        ("late_by_step", expect.late_by_step, steps - sources, "step"),
        ("keyless", expect.keyless, steps - sources, "step"),
    ):
        for name in named:
            if name not in known:
                yield _unknown(what, name, (*path, part, name), known)
            elif part != "malformed" and _is_copied(plan, name):
                yield _not_seen(name, (*path, part, name))


def _is_copied(plan: Plan, reference: str) -> bool:
    """Whether its rows are read once, when a run starts, and not seen in a play."""
    return reference.partition(".")[0] in plan.copied


def _not_seen(name: str, path: DocumentPath) -> Problem:
    message = f"{name} is read as a broadcast table, whose rows a test doesn't see."
    return problem("PARAMETER_RANGE", path, message, "Expect rows of the step that joins it.")


def _references(plan: Plan) -> set[str]:
    """What a test may look at: each node that has rows of its own, and each named output of one."""
    found = {node.name for node in plan.live_nodes if not node.only_ports}
    return found | {f"{node.name}.{port}" for node in plan.live_nodes for port in node.ports}


def _unknown(what: str, name: str, path: DocumentPath, known: Iterable[str]) -> Problem:
    return problem(
        "PARAMETER_RANGE", path, f"The job has no {what} {name[:80]!r}.", nearest(name[:80], sorted(known))
    )


def _rows(rows: ExpectedRows, path: DocumentPath, fields: frozenset[str]) -> Iterator[Problem]:
    parts: Mapping[str, list[dict[str, object]]] = {
        "rows": rows.rows or [],
        "contains": rows.contains,
        "absent": rows.absent,
    }
    for part, expected in parts.items():
        for at, row in enumerate(expected):
            for name in row:
                if name not in fields and name not in SYSTEM:
                    message = f"Rows there have no field {name[:80]!r}."
                    place = (*path, part, str(at), name)
                    yield problem("FIELD_UNKNOWN", place, message, nearest(name[:80], sorted(fields)))
