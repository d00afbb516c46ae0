"""What a diagnosis says: the cause, its evidence and what to do next."""

from dataclasses import dataclass
from typing import Any, Literal

from jobs.base.instants import instant_text, nearest_instant

FactKind = Literal["count", "share", "seconds", "instant", "text"]
Basis = Literal["reported", "broker", "sample"]
PlaceKind = Literal["run", "source", "step", "output"]
Status = Literal["ok", "cause", "unknown", "not_checked"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One piece of evidence: a label, and a value of a kind that tells its unit.

    A share is a number from 0 to 1, an instant text in UTC.
    """

    label: str
    kind: FactKind
    value: Any

    def as_json(self) -> dict[str, Any]:
        """The form of the API."""
        return {"label": self.label, "kind": self.kind, "value": self.value}


@dataclass(frozen=True, slots=True)
class Finding:
    """A cause.

    Attributes:
        code: which one (`docs/reference/diagnosis.md`).
        title: in a few words.
        text: what happens, in sentences without times: those are facts.
        remedy: the next step to take; empty where waiting is enough.
        place: kind of the place, and its name; the name of the run and of the output is empty.
        facts: the evidence.
        basis: what it rests on: what engines reported, what the broker says now, or the newest records.
        waits: nothing is wrong; output comes by itself.
    """

    code: str
    title: str
    text: str
    place: tuple[PlaceKind, str]
    remedy: str = ""
    facts: tuple[Fact, ...] = ()
    basis: Basis = "reported"
    waits: bool = False

    def as_json(self) -> dict[str, Any]:
        """The form of the API."""
        kind, name = self.place
        return {
            "code": self.code,
            "title": self.title,
            "text": self.text,
            "remedy": self.remedy,
            "place": {"kind": kind, "name": name},
            "facts": [fact.as_json() for fact in self.facts],
            "basis": self.basis,
            "waits": self.waits,
        }


@dataclass(frozen=True, slots=True)
class Check:
    """One place of the walk, with what was seen there."""

    place: tuple[PlaceKind, str]
    status: Status
    text: str

    def as_json(self) -> dict[str, Any]:
        """The form of the API."""
        kind, name = self.place
        return {"place": {"kind": kind, "name": name}, "status": self.status, "text": self.text}


def amount(number: int, thing: str) -> str:
    """A number of things in words, as "1 record" and "2,000 records"."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def count(label: str, value: int) -> Fact:
    """A number of things."""
    return Fact(label, "count", value)


def share(label: str, part: float, of: float) -> Fact:
    """A part of a number of things; of nothing: 0."""
    return Fact(label, "share", part / of if of else 0.0)


def seconds(label: str, us: float) -> Fact:
    """A span of time, from microseconds."""
    return Fact(label, "seconds", round(us / 1e6, 3))


def instant(label: str, us: int) -> Fact:
    """A point in time, from microseconds since 1970."""
    return Fact(label, "instant", instant_text(nearest_instant(us)))


def text(label: str, value: str) -> Fact:
    """A text; long ones are cut."""
    return Fact(label, "text", value if len(value) <= 300 else f"{value[:299]}…")


def since(label: str, us: int | None) -> tuple[Fact, ...]:
    """A point in time, where it is known."""
    return () if us is None else (instant(label, us),)
