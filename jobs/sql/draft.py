"""The document that SQL statements become: its parts so far, and where each was written."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jobs.base.problems import DocumentPath
from jobs.document import FORMAT, MAX_STEPS
from jobs.formats.contract import StreamContract
from jobs.plan.draft import node_of
from jobs.sql.known_relations import KnownRelations
from jobs.sql.statements import Named, Span
from jobs.sql.tokens import Slice, SqlError


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression of the document and where it was written.

    Attributes:
        text: for the document.
        span: in the SQL text.
        verbatim: the text is the span's own characters.
    """

    text: str
    span: Span
    verbatim: bool


def as_written(written: Slice) -> Expression:
    """An expression that needs no other names."""
    return Expression(written.text, written.span, verbatim=True)


def within(wanted: str, part: str) -> str:
    """The name of a step that is part of a view or output; only its own, where that has no name."""
    return f"{wanted}_{part}" if wanted else part


@dataclass
class SqlDraft:
    """Attributes:
    catalog: contracts of the streams and tables that may be named, by name.
    views: names of all views of the text; they may be used before they are defined.
    head: format, name, description.
    places: by path, what was written there; a path of two parts is a step's or output's name.
    same_as: by name of a view that only stands for another node, that node.
    """

    catalog: Mapping[str, StreamContract]
    views: frozenset[str]
    head: dict[str, Any] = field(default_factory=lambda: {"format": FORMAT})
    sources: dict[str, dict[str, Any]] = field(default_factory=dict)
    steps: dict[str, dict[str, Any]] = field(default_factory=dict)
    outputs: dict[str, dict[str, Any]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    places: dict[DocumentPath, Expression] = field(default_factory=dict)
    same_as: dict[str, str] = field(default_factory=dict)
    relations: KnownRelations = field(init=False)

    def __post_init__(self) -> None:
        """Relations are those of these very sources and steps."""
        self.relations = KnownRelations(self.catalog, self.sources, self.steps)

    def document(self) -> dict[str, Any]:
        """The document as plain values."""
        parts = {"sources": self.sources, "steps": self.steps, "outputs": self.outputs}
        return {
            **self.head,
            **{name: part for name, part in parts.items() if part or name != "steps"},
            **({"settings": self.settings} if self.settings else {}),
        }

    def reference(self, named: Named) -> str:
        """The node, or its output, that a relation of FROM names; registered streams become sources."""
        name, dot, port = named.reference.partition(".")
        name = self.same_as.get(name, name)
        if name not in self.sources and name not in self.steps and name not in self.views:
            contract = self.catalog.get(name)
            self.sources[name] = {
                "table" if contract is not None and contract.kind == "table" else "stream": name
            }
            self.places["sources", name] = Expression(name, named.span, verbatim=False)
        return f"{name}{dot}{port}"

    def add(
        self, wanted: str, step: dict[str, Any], parts: Mapping[DocumentPath, Expression], span: Span
    ) -> str:
        """Add a step under a free name.

        Args:
            wanted: a name that says what the step does.
            step: its parameters.
            parts: its expressions, by path below the step.
            span: where it stands.

        Returns:
            Its name.

        Raises:
            SqlError: there are too many steps.
        """
        if len(self.steps) >= MAX_STEPS:
            raise SqlError(
                f"The text makes more than {MAX_STEPS} steps.", "Split it into several jobs.", span
            )
        name, count = wanted, 1
        while name in self.steps or name in self.sources or name in self.views:
            count += 1
            name = f"{wanted}_{count}"
        self.steps[name] = step
        self.places["steps", name] = Expression(name, span, verbatim=False)
        for path, expression in parts.items():
            self.places["steps", name, *path] = expression
        return name

    def rename(self, old: str, new: str) -> None:
        """Give the step that was added last, and that nothing reads yet, the name of its view."""
        self.steps[new] = self.steps.pop(old)
        self.relations.forget(old)
        for path in [path for path in self.places if path[:2] == ("steps", old)]:
            self.places["steps", new, *path[2:]] = self.places.pop(path)

    def is_table(self, reference: str) -> bool:
        """True for a registered table and for rows that replace earlier ones."""
        source = self.sources.get(node_of(reference))
        return (
            "table" in source if source is not None else self.relations.relation(reference).kind == "upsert"
        )

    def event_times(self, reference: str) -> frozenset[str]:
        """Fields of a node that hold its event time: `_time`, and the one that a source's contract names."""
        source = self.sources.get(reference)
        contract = self.catalog.get(next(iter(source.values()))) if source else None
        is_field = contract is not None and contract.event_time.kind == "field"
        named = contract.event_time.field if contract is not None and is_field else None
        return frozenset({"_time", *([named] if named else [])})
