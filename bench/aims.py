"""Aims, whether they are met, and the table of all of them that the report begins with."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

Numbers = dict[str, Any]  # of a section, as its `measure` gave them
Value = Callable[[Numbers], float | None]  # None: what was measured does not say

NOT_MEASURED: Final = "not measured yet"
_BUSY_CORES: Final = 0.2  # that strangers took: from here on the table says so beside the day


@dataclass(frozen=True)
class Verdict:
    """What was reached, in words, and whether that is enough."""

    reached: str
    met: bool

    @property
    def text(self) -> str:
        """In a word, as the report shows it."""
        return "met" if self.met else "**falls short**"


@dataclass(frozen=True)
class Aim:
    """Something that a section is to reach.

    Attributes:
        text: the aim, in words.
        judge: what its numbers say of it; None: nothing, because an older bench did not measure it.
    """

    text: str
    judge: Callable[[Numbers], Verdict | None]


@dataclass(frozen=True)
class Report:
    """How a section is reported.

    Attributes:
        title: its heading.
        text: its part of the report, without heading and verdicts.
        aims: what it is to reach.
        beside: other sections whose last numbers it needs; its own have them under the section's name, null
            where there are none.
    """

    title: str
    text: Callable[[Numbers], str]
    aims: tuple[Aim, ...] = ()
    beside: tuple[str, ...] = ()


def at_most(what: str, limit: float, unit: str, value: Value) -> Aim:
    """An aim that a value is not above a limit."""
    return _limited(f"{what} ≤ {_shown(limit)}{_unit(unit)}", unit, value, lambda found: found <= limit)


def below(what: str, limit: float, unit: str, value: Value) -> Aim:
    """An aim that a value is below a limit."""
    return _limited(f"{what} < {_shown(limit)}{_unit(unit)}", unit, value, lambda found: found < limit)


def at_least(what: str, limit: float, unit: str, value: Value) -> Aim:
    """An aim that a value is not below a limit."""
    return _limited(f"{what} ≥ {_shown(limit)}{_unit(unit)}", unit, value, lambda found: found >= limit)


def aim_list(aims: Iterable[Aim], numbers: Numbers) -> str:
    """The aims and what was reached as a list in Markdown; empty where there are none."""
    lines = []
    for aim in aims:
        verdict = aim.judge(numbers)
        reached = NOT_MEASURED if verdict is None else f"{verdict.reached}, {verdict.text}"
        lines.append(f"- {aim.text}: {reached}\n")
    return "\n" + "".join(lines) if lines else ""


@dataclass(frozen=True)
class Measured:
    """What is known of a section.

    Attributes:
        numbers: of its last run that gave some; None: there was none.
        failed: when it was tried last, and failed: day and error in a line.
    """

    numbers: Numbers | None = None
    failed: str | None = None

    @property
    def is_partial(self) -> bool:
        """Whether the numbers are those of a run of which a part failed."""
        return self.numbers is not None and self.numbers.get("failed") is not None


def aim_table(sections: Iterable[tuple[Report, Measured]]) -> str:
    """All aims with what was reached and the day of the measurement, as a table in Markdown."""
    rows = "".join(
        f"| {report.title} | {aim.text} | {_row(aim, measured)} |\n"
        for report, measured in sections
        for aim in report.aims
    )
    return f"\n| section | aim | reached | | measured |\n|---|---|---|---|---|\n{rows}"


def day(numbers: Numbers) -> str:
    """The day on which a section was measured, UTC."""
    return str(numbers["machine"]["measured at"])[:10]


def _row(aim: Aim, measured: Measured) -> str:
    verdict = None if measured.numbers is None else aim.judge(measured.numbers)
    if measured.numbers is None or verdict is None:
        return f"– | {NOT_MEASURED} | {'failed' if measured.failed else '–'}"
    failed = ""
    if measured.failed:
        failed = " (a part failed)" if measured.is_partial else " (failed since)"
    strangers = most_strangers(measured.numbers)
    busy = f", strangers {strangers} cores" if strangers > _BUSY_CORES else ""
    return f"{verdict.reached} | {verdict.text} | {day(measured.numbers)}{busy}{failed}"


def most_strangers(numbers: Numbers) -> float:
    """Cores that strangers took while a section, or the part of it where they took most, was measured."""
    found = [float(numbers.get("strangers") or 0)]
    found += [most_strangers(part) for part in numbers.values() if isinstance(part, dict)]
    return max(found)


def ratio(one: float | None, other: float | None) -> float | None:
    """One value in another; None where one of them is not known."""
    return one / other if one is not None and other else None


def _limited(text: str, unit: str, value: Value, holds: Callable[[float], bool]) -> Aim:
    def judge(numbers: Numbers) -> Verdict | None:
        found = value(numbers)
        return None if found is None else Verdict(f"{_shown(found)}{_unit(unit)}", holds(found))

    return Aim(text, judge)


def _unit(unit: str) -> str:
    return f" {unit}" if unit else ""


def _shown(value: float) -> str:
    """Three digits, or all of an integral part."""
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
