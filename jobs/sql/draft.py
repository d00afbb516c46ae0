"""The document that SQL statements become: its parts so far, and where each was written."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from jobs.base.problems import DocumentPath
from jobs.document import FORMAT, MAX_STEPS
from jobs.formats.contract import StreamContract
from jobs.plan.draft import node_of
from jobs.sql.known_relations import KnownRelations
from jobs.sql.statements import Named, Span
from jobs.sql.tokens import Slice, SqlError

MAX_NAME: Final = 63  # NAME_RULE
_OTHER: Final = re.compile(r"[^A-Za-z0-9_]")


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
    """The name of a step that is part of a view or output; only its own, where that has no name. Views and
    aliases may have letters that names of steps can't have, and the parts of a long name would be too long.
    """
    own = _plain(part)[:MAX_NAME] or "query"
    around = _plain(wanted)[: max(0, MAX_NAME - len(own) - 1)]
    return f"{around}_{own}" if around else own


def _plain(name: str) -> str:
    """A name that begins with a letter, with ``_`` for what no name has; "" if nothing is left."""
    return _OTHER.sub("_", name).lstrip("_0123456789")


def _inputs(step: Mapping[str, Any]) -> list[str]:
    """The nodes that a step reads, and their outputs."""
    single = [step[name] for name in ("input", "left", "right", "table") if name in step]
    return [*single, *step.get("inputs", ())]


@dataclass
class SqlDraft:
    """Attributes:
    catalog: contracts of the streams and tables that may be named, by name.
    views: names of all views of the text; they may be used before they are defined.
    outputs_named: names of all outputs of the text; queries can't read them.
    head: format, name, description.
    places: by path, what was written there; a path of two parts is a step's or output's name.
    same_as: by name of a view that only stands for another node, that node.
    scopes: of the queries around: the names of their WITH, and the nodes that these are; innermost last.
    inner: names of steps that only the query with their WITH knows.
    """

    catalog: Mapping[str, StreamContract]
    views: frozenset[str]
    outputs_named: frozenset[str] = frozenset()
    head: dict[str, Any] = field(default_factory=lambda: {"format": FORMAT})
    sources: dict[str, dict[str, Any]] = field(default_factory=dict)
    steps: dict[str, dict[str, Any]] = field(default_factory=dict)
    outputs: dict[str, dict[str, Any]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    places: dict[DocumentPath, Expression] = field(default_factory=dict)
    same_as: dict[str, str] = field(default_factory=dict)
    scopes: list[dict[str, str]] = field(default_factory=list)
    inner: set[str] = field(default_factory=set)
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
        """The node, or its output, that a relation of FROM names; registered streams become sources.

        Raises:
            SqlError: it is the job's output, or another query's WITH has it.
        """
        name, dot, port = named.reference.partition(".")
        scope = next((scope for scope in reversed(self.scopes) if name in scope), None)
        if scope is not None:
            return f"{scope[name]}{dot}{port}"
        self._require_readable(name, named.span)
        name = self.same_as.get(name, name)
        node = name.partition(".")[0]  # a view may be another name for an output of a step
        if node not in self.sources and node not in self.steps and node not in self.views:
            contract = self.catalog.get(name)
            self.sources[name] = {
                "table" if contract is not None and contract.kind == "table" else "stream": name
            }
            self.places["sources", name] = Expression(name, named.span, verbatim=False)
        return f"{name}{dot}{port}"

    def _require_readable(self, name: str, span: Span) -> None:
        if name in self.inner:
            message = f"Only the query that defines {name} with WITH can read it."
            raise SqlError(message, f"Use CREATE VIEW {name} AS … for several queries.", span)
        is_view = any(name in known for known in (self.sources, self.steps, self.views, self.same_as))
        if name in self.outputs_named and not is_view:
            message = f"{name} is an output of this job; queries can't read it."
            hint = "Give its query a name with CREATE VIEW, and read that in both. "
            raise SqlError(message, hint + "For a stream of this name, use CREATE SOURCE.", span)

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
        while not self.is_free(name):
            count += 1
            suffix = f"_{count}"
            name = f"{wanted[: MAX_NAME - len(suffix)]}{suffix}"
        self.steps[name] = step
        self.places["steps", name] = Expression(name, span, verbatim=False)
        for path, expression in parts.items():
            self.places["steps", name, *path] = expression
        return name

    def is_free(self, name: str) -> bool:
        """True for a name that no node, view or registered stream has."""
        return not any(
            name in known for known in (self.steps, self.sources, self.views, self.same_as, self.catalog)
        )

    def is_read(self, name: str) -> bool:
        """True if a step reads this one."""
        return any(node_of(one) == name for step in self.steps.values() for one in _inputs(step))

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

    def event_times(self, reference: str, *, always: bool = False) -> frozenset[str]:
        """Fields of a node that hold its event time: `_time`, and the one that a source's contract names.

        Args:
            reference: the node.
            always: only those that hold it in every row: the contract's field may be null where `_time` is
                the Kafka timestamp.
        """
        source = self.sources.get(reference)
        contract = self.catalog.get(next(iter(source.values()))) if source else None
        if contract is None or contract.event_time.kind != "field" or contract.event_time.field is None:
            return frozenset({"_time"})
        if always and contract.event_time.on_missing != "malformed":
            return frozenset({"_time"})
        return frozenset({"_time", contract.event_time.field})
