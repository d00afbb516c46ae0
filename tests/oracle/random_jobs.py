"""Random documents, step by step.

Every step is made of the fields that the last one gives, and a step that the check refuses is left out.

Only refusals that say what cannot be done are passed over; a document with any other problem is a fault of
what draws it.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Final

from hypothesis import assume
from hypothesis import strategies as st

from jobs.base.types import type_text
from jobs.formats.contract import StreamContract
from jobs.operators.relation import Relation
from jobs.plan import Plan, plan_job
from tests.oracle.answers import Contracts, node_of, references
from tests.oracle.cases import NEAR
from tests.oracle.expression_templates import Form
from tests.oracle.random_names import Naming, written
from tests.oracle.random_rows import WIDE

# What the engine cannot do in one job, and what cannot be known before: kinds and modes that do not go
# together, time to live behind joins, offsets of several sources, versions shorter than rows wait, identities
# and types of unlike inputs.
REFUSALS = ("EMIT_UNSUPPORTED", "CHAIN_UPDATE", "KIND_MISMATCH", "KEY_LOST", "PARAMETER_RANGE", "UNION_TYPE")

ABOUT = "about"  # how names of measures begin that are only about right
TAKEN: Final = ("NAME_TAKEN",)
"""What may be refused of names that are drawn in order to stumble."""

DOUBLE_DIGITS: Final = 15
"""So many decimal digits a double holds."""

MOST: Final = 20
"""Most steps of a plan, counting a step once per reader: Spark's run time grows with it."""

refused: Final[Counter[str]] = Counter()
"""How often a drawn step was refused, by its problem's code; for the page that says what is drawn."""


@dataclass(frozen=True)
class Job:
    """A document so far.

    Attributes:
        contracts: of the sources, streams and tables, by name.
        steps: of the document.
        last: node or port that the next step reads, and in the end the result.
        topics: name of an output → node or port.
        settings: of the document.
        delays: of its sources, instead of those of their contracts.
        names: output → field → the name or path that it is written as.
        naming: of fields, steps and the first source.
    """

    contracts: Contracts
    steps: dict[str, Any] = field(default_factory=dict)
    last: str = "s"
    topics: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    delays: dict[str, str] = field(default_factory=dict)
    names: dict[str, dict[str, Any]] = field(default_factory=dict)
    naming: Naming = field(default_factory=Naming)

    def then(self, *, may: tuple[str, ...] = (), **step: Any) -> "Job":
        """With one more step, which reads the last one unless it says what it reads.

        Itself when the check refuses the step.

        Args:
            may: codes of problems for which this step may be refused, besides those for which any may.
            step: its parameters.
        """
        name = self.next_step
        reads = {} if "left" in step or "inputs" in step else {"input": self.last}
        made = replace(self, steps={**self.steps, name: {**reads, **step}}, last=name)
        return made if made.size <= MOST and made.is_accepted(may) else self

    @property
    def size(self) -> int:
        """Number of steps in the plan of result and topics; a step with two readers counts twice."""
        return sum(self._size(reference) for reference in (self.last, *self.topics.values()))

    def _size(self, reference: str) -> int:
        step = self.steps.get(node_of(reference))
        return 0 if step is None else 1 + sum(map(self._size, references(step)))

    @property
    def next_step(self) -> str:
        """The name of the step that is made next."""
        found = self.naming.step(len(self.steps))
        return found if found not in self.steps and found not in self.contracts else f"step_{len(self.steps)}"

    def made_by(self, op: str) -> bool:
        """The last node is a step with that operator."""
        return self.last in self.steps and self.steps[self.last]["op"] == op

    def document(self, topics: dict[str, str] | None = None) -> str:
        """Its text, with the sources that something reads."""
        outputs: dict[str, Any] = {"out": {"input": self.last, "to": "result"}}
        outputs |= {
            name: {"input": reference, "to": {"topic": name, **self._names_of(name)}}
            for name, reference in (topics or {}).items()
        }
        steps = self._read([output["input"] for output in outputs.values()])
        read = {node_of(ref) for step in steps.values() for ref in references(step)} | {
            output["input"] for output in outputs.values()
        }
        sources = {
            name: {"table" if contract.get("kind") == "table" else "stream": name, **self._delay_of(name)}
            for name, contract in self.contracts.items()
            if name in read
        }
        more = {"settings": self.settings} if self.settings else {}
        return json.dumps(
            {"format": 1, "name": "random", "sources": sources, "steps": steps, "outputs": outputs, **more}
        )

    def _names_of(self, output: str) -> dict[str, Any]:
        return {"names": self.names[output]} if output in self.names else {}

    def _delay_of(self, source: str) -> dict[str, str]:
        return {"delay": self.delays[source]} if source in self.delays else {}

    def _read(self, waiting: list[str]) -> dict[str, Any]:
        live: set[str] = set()
        while waiting:
            name = node_of(waiting.pop())
            if name in self.steps and name not in live:
                live.add(name)
                waiting += references(self.steps[name])
        return {name: step for name, step in self.steps.items() if name in live}

    def plan(self, topics: dict[str, str] | None = None) -> Plan:
        """As checked."""
        return _planned(self.document(topics), json.dumps(self.contracts))

    @property
    def accepted(self) -> bool:
        """Without errors, with all its outputs."""
        return self.is_accepted()

    def is_accepted(self, may: tuple[str, ...] = ()) -> bool:
        """Without errors, with all its outputs.

        Raises:
            AssertionError: a problem that drawing should have avoided.
        """
        # A step with named outputs gives no result itself.
        complete = (
            self
            if not self.made_by("branch")
            else replace(self, last=f"{self.last}.{self.steps[self.last]['rest']}")
        )
        problems = [problem for problem in complete.plan(self.topics).problems if problem.severity == "error"]
        refused.update({problem.code for problem in problems})
        strange = [problem for problem in problems if problem.code not in (*REFUSALS, *may)]
        assert not strange, f"{strange}\n{complete.document(self.topics)}"
        return not problems

    @cached_property
    def relation(self) -> Relation:
        """What the last node gives."""
        return self.plan().relation(self.last)

    @cached_property
    def fields(self) -> dict[str, str]:
        """Name → type of the last node's exact fields; approximate ones must not decide anything."""
        return {found.name: type_text(found.type) for found in self.relation.schema if _is_exact(found.name)}

    @property
    def readable(self) -> dict[str, str]:
        """The same with the time, where expressions may read it."""
        return self.fields | ({"_time": "timestamp"} if "_time" in self.relation.system else {})

    def reading(self, reference: str) -> "Job":
        """The same, with another node to go on from."""
        return replace(self, last=reference)


@lru_cache(maxsize=200)
def _planned(document: str, contracts: str) -> Plan:
    return plan_job(
        json.loads(document),
        {name: StreamContract.model_validate(value) for name, value in json.loads(contracts).items()},
    )


def _is_exact(name: str) -> bool:
    return ABOUT not in name and NEAR not in name and not name.endswith("_percent")


def kind_of(type_: str) -> str:
    """A type without its arguments."""
    return type_.partition("(")[0].partition("<")[0]


def kinds_of(type_: str) -> set[str]:
    """Type classes in templates.

    Its kind, itself if it has parts, `with_a` and `deep` for certain structs, `short_decimal` for those whose
    digits a double holds.
    """
    if type_ == WIDE:  # no arithmetic, whose digits Spark would have to cut
        return {WIDE}
    starts = {"struct<a:int": "with_a", "struct<a:int,b:struct<x:int": "deep"}
    found = re.match(r"decimal\((\d+)", type_)
    short = {"short_decimal"} if found and int(found[1]) <= DOUBLE_DIGITS else set()
    more = short | {kind for start, kind in starts.items() if type_.startswith(start)}
    return {kind_of(type_), type_, *more}


def of_kinds(fields: dict[str, str], kinds: str) -> list[str]:
    """The fields that a hole takes."""
    return [name for name, type_ in fields.items() if kinds == "any" or kinds_of(type_) & set(kinds.split())]


@st.composite
def texts(
    draw: st.DrawFn, fields: dict[str, str], forms: tuple[Form, ...], instead: str | None = None
) -> str:
    """One of these forms with fields in its holes; `instead` when none fits."""
    fitting = [form for form in forms if all(of_kinds(fields, kinds) for kinds in form.takes)]
    if not fitting:
        assume(instead is not None)  # a row without fields has none
        return str(instead)
    form = draw(st.sampled_from(fitting))
    return form.text.format(
        *(written(draw(st.sampled_from(of_kinds(fields, kinds)))) for kinds in form.takes)
    )
