"""Evaluates rules over the rows of one result: those just stored, or those found in the store."""

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from jobs.base.budget import Budget, OverBudget, bounded
from jobs.base.schemas import schema_from_json
from weir.alerts.services.alert_states import Observation
from weir.alerts.services.book import Book, LoadedRule, key_of
from weir.alerts.services.row_rules import Holds, RowRule, compile_row_rule
from weir.alerts.services.row_values import RowReader
from weir.alerts.services.rule_document import RowWatch
from weir.results.models import ResultRow
from weir.results.services.records import ResultRecord

MAX_WORK: Final = 20_000_000  # characters that the rules make of one row, and calls of their lambdas
MAX_CPU_S: Final = 0.25  # processor time of all rules for one row
MAX_ROW_CHARACTERS: Final = 4_000  # of a row that an alert keeps
_NONE: Final = frozenset[str]()
TOO_SLOW: Final = "Its condition takes too long for a row, so it is not evaluated. Simplify it."


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A rule with what is asked of it for each row at hand."""

    rule: LoadedRule
    of: RowRule
    meets: Holds
    by: tuple[str, ...]


class _Group:
    """The group of a row for rules that tell alerts apart by the same fields."""

    __slots__ = ("key", "title", "values")

    def __init__(self, by: tuple[str, ...], raw: Mapping[str, Any], job_name: str) -> None:
        self.values = {name: raw.get(name) for name in by}
        self.key = key_of(self.values)
        named = ", ".join(f"{name} = {value}" for name, value in self.values.items())
        self.title = f"Job {job_name}: {named}" if named else f"Job {job_name}"


class ResultRules:
    """The rules over one result, compiled. Rules that do not fit it carry their problem.

    Args:
        job_id: whose result.
        job_name: for titles.
        result: as `weir.runs.services.planning.result_of` describes it.
        rules: those that watch it.
    """

    def __init__(
        self, job_id: str, job_name: str, result: Mapping[str, Any], rules: Iterable[LoadedRule]
    ) -> None:
        self.job_id = job_id
        self._job_name = job_name
        self._identity: list[str] = list(result.get("identity", ()))
        self._rules: list[_Compiled] = []
        self.problems: dict[str, str] = {}  # by rule id; empty where there is none
        for rule in rules:
            watch = rule.document.watch
            assert isinstance(watch, RowWatch)
            compiled, problems = compile_row_rule(watch, result)
            self.problems[rule.id] = "" if compiled else f"{problems[0].message} {problems[0].hint}".strip()
            if compiled is not None:
                self._rules.append(_Compiled(rule, compiled, compiled.meets, compiled.by))
        fields = frozenset[str]().union(*(one.of.fields for one in self._rules))
        self._reader = RowReader(schema_from_json(result.get("schema", ())), fields)

    @property
    def rules(self) -> list[LoadedRule]:
        """Those that can be evaluated."""
        return [one.rule for one in self._rules]

    def evaluate(self, rows: Iterable[ResultRecord | ResultRow], book: Book, now_us: int) -> None:
        """Take rows in, in order. A rule that exceeds the bound of a row is not evaluated until the rules are
        loaded again, and says so.
        """
        for row in rows:
            if row.value is None:
                self._deleted(row.key, book, now_us)
            else:
                self._take(json.loads(row.value), book, now_us)

    def _take(self, raw: dict[str, Any], book: Book, now_us: int) -> None:
        """Take one row in. The loop is what a row costs with a thousand rules, so it calls little."""
        values = self._reader.read(raw)
        groups: dict[tuple[str, ...], _Group] = {}
        slow: list[_Compiled] = []
        open_keys = book.open_keys
        with bounded(Budget(MAX_WORK, MAX_CPU_S)) as budget:
            for one in self._rules:
                try:
                    met = one.meets(values)
                    keys = open_keys.get(one.rule.id, _NONE)
                    if not met and (not keys or one.of.over is None):
                        continue  # most rows: nothing is open that it could end
                    group = groups.get(one.by)
                    if group is None:
                        group = groups[one.by] = _Group(one.by, raw, self._job_name)
                    if met or group.key in keys:
                        self._observe(one, met, group, raw, values, book, now_us)
                except OverBudget:
                    slow.append(one)
                    budget.spent, budget.began = 0, time.thread_time()
        for one in slow:
            self.problems[one.rule.id] = TOO_SLOW
            self._rules.remove(one)

    def _observe(
        self,
        one: _Compiled,
        met: bool,
        group: _Group,
        raw: dict[str, Any],
        values: Mapping[str, Any],
        book: Book,
        now_us: int,
    ) -> None:
        over = not met and one.of.over is not None and one.of.over(values)
        order = str(raw.get(one.of.order) or "") if one.of.order else ""
        seen = Observation(met, over, order, row=_shown(raw) if met else None)
        book.observe(one.rule, group.values, group.title, seen, now_us, self.job_id)

    def _deleted(self, key: str, book: Book, now_us: int) -> None:
        """A key is gone: alerts about it alone are over."""
        parts = dict(zip(self._identity, json.loads(key), strict=False))
        for one in self._rules:
            if set(one.of.by) == parts.keys() and book.of(one.rule.id):
                group = {name: parts[name] for name in one.of.by}
                book.observe(one.rule, group, "", Observation(met=False, over=True), now_us, self.job_id)


def _shown(raw: dict[str, Any]) -> dict[str, Any]:
    """The row as an alert keeps it: of a large one the first fields."""
    kept: dict[str, Any] = {}
    left = MAX_ROW_CHARACTERS
    for name, value in raw.items():
        left -= len(name) + len(json.dumps(value))
        if left < 0:
            break
        kept[name] = value
    return kept
