"""The rows of a play as a test looks at them: of one batch, or what there is at the end."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from jobs.base.identities import identity_parts
from jobs.base.instants import instant_text, nearest_instant
from jobs.base.types import DataType, Member, Struct
from jobs.formats.written_names import Layout, WrittenPath, layout_of
from jobs.operators.relation import Relation
from jobs.plan import Plan
from jobs.play import PlayedRow, PlayedRows

DELETED: Final = "_deleted"
TIME: Final = "_time"
IDENTITY: Final = "_id"
SYSTEM: Final = (DELETED, TIME, IDENTITY)
"""What a row has beside its fields, as an expected row may name it."""


@dataclass(frozen=True)
class RowForm:
    """Which members the rows of an output or step have.

    Attributes:
        relation: of the rows, with the job's names.
        names: where fields are written, of those that are not written as a member of their own name.
    """

    relation: Relation
    names: Mapping[str, WrittenPath]

    @cached_property
    def members(self) -> frozenset[str]:
        """The names of a row's members: of the outermost ones where fields are written inside objects."""
        return frozenset(self._path(field.name)[0] for field in self.relation.schema)

    @cached_property
    def types(self) -> Mapping[str, DataType]:
        """The types of the members; of one that fields are written inside, a struct of them."""
        declared = {field.name: field.type for field in self.relation.schema}

        def type_of(place: Layout | str) -> DataType:
            if isinstance(place, str):
                return declared[place]
            return Struct(tuple(Member(name, type_of(inner)) for name, inner in place.items()))

        return {name: type_of(place) for name, place in layout_of(declared, self.names).items()}

    @cached_property
    def key(self) -> tuple[WrittenPath, ...]:
        """Where the fields of the identity are written, in order; empty where it is not made of fields."""
        return tuple(map(self._path, self.relation.identity)) if self.relation.identity_kind == "key" else ()

    def _path(self, field: str) -> WrittenPath:
        return self.names.get(field, (field,))


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row with all that an expected row may name.

    Attributes:
        values: its members, and those of `SYSTEM` that it has; of a row that was taken away the members of
            its key.
        beside: which of them are no members of the row itself. Where a field is written under the name of
            one, the field counts.
    """

    values: Mapping[str, Any]
    beside: frozenset[str]

    @property
    def deleted(self) -> bool:
        """True when the row was taken away."""
        return DELETED in self.beside

    @property
    def plain(self) -> dict[str, Any]:
        """Its members, and `_deleted` of a row that was taken away: as people look at it."""
        return {
            name: value for name, value in self.values.items() if name == DELETED or name not in self.beside
        }


@dataclass(frozen=True, slots=True)
class Content:
    """Rows by identity; `truncated`: some are not known."""

    rows: tuple[ShownRow, ...]
    truncated: bool


def output_form(plan: Plan, name: str) -> RowForm:
    """The form of an output's rows, as they are written."""
    sink = next(sink for sink in plan.sinks if sink.name == name)
    return RowForm(plan.relation(sink.reference), sink.names)


def content_of(batches: Iterable[PlayedRows], form: RowForm, *, deletions: bool) -> Content:
    """The newest row of each identity.

    Args:
        batches: what one output or step gave, in order.
        form: of its rows.
        deletions: rows that were taken away are rows with ``_deleted: true``; otherwise they are gone.
    """
    newest: dict[str, PlayedRow] = {}
    keyless: list[PlayedRow] = []
    truncated = False
    for given in batches:
        truncated = truncated or given.truncated
        for row in given.first:
            if row.key is None:
                keyless.append(row)
            elif row.value is not None or deletions:
                newest.pop(row.key, None)
                newest[row.key] = row
            else:
                newest.pop(row.key, None)
    return Content(tuple(_shown(row, form) for row in (*newest.values(), *keyless)), truncated)


def _shown(row: PlayedRow, form: RowForm) -> ShownRow:
    parts = identity_parts(row.key) if row.key is not None else None
    if row.value is None:
        shown = _members(form.key, parts or ())
        beside: dict[str, Any] = {DELETED: True}
    else:
        shown, beside = dict(row.value), {}
    if row.at_us is not None and TIME not in form.members:
        beside[TIME] = instant_text(nearest_instant(row.at_us))
    if parts is not None and IDENTITY not in form.members:
        beside[IDENTITY] = parts
    return ShownRow({**shown, **beside}, frozenset(beside))


def _members(paths: Iterable[WrittenPath], values: Iterable[Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for (*above, last), value in zip(paths, values, strict=False):
        inner = made
        for name in above:
            inner = inner.setdefault(name, {})
        inner[last] = value
    return made
