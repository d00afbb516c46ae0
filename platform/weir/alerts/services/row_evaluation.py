"""Evaluates rules over the rows of one result: those just stored, or those found in the store."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from jobs.base.budget import Budget, OverBudget, bounded
from jobs.base.schemas import schema_from_json
from weir.alerts.services.alert_states import Observation
from weir.alerts.services.book import Book, LoadedRule
from weir.alerts.services.row_rules import RowRule, compile_row_rule
from weir.alerts.services.row_values import RowReader
from weir.alerts.services.rule_document import RowWatch
from weir.results.models import ResultRow
from weir.results.services.records import ResultRecord

MAX_WORK: Final = 50_000_000  # characters that the rules of one flush make, and calls of their lambdas
MAX_CPU_S: Final = 0.5  # processor time of the rules of one flush
MAX_ROW_CHARACTERS: Final = 4_000  # of a row that an alert keeps
TOO_SLOW: Final = "Its condition takes too long: rows were left out. Simplify it."


@dataclass(frozen=True, slots=True)
class _Compiled:
    rule: LoadedRule
    of: RowRule


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
                self._rules.append(_Compiled(rule, compiled))
        fields = frozenset[str]().union(*(one.of.fields for one in self._rules))
        self._reader = RowReader(schema_from_json(result.get("schema", ())), fields)

    @property
    def rules(self) -> list[LoadedRule]:
        """Those that can be evaluated."""
        return [one.rule for one in self._rules]

    def evaluate(self, rows: Iterable[ResultRecord | ResultRow], book: Book, now_us: int) -> None:
        """Take rows in, in order. What exceeds the bound of one flush is left out, and the rule says so."""
        budget = Budget(MAX_WORK, MAX_CPU_S)
        with bounded(budget):
            for row in rows:
                if row.value is None:
                    self._deleted(row.key, book, now_us)
                    continue
                raw = json.loads(row.value)
                values = self._reader.read(raw)
                try:
                    budget.spend(1)
                    for one in self._rules:
                        self._observe(one, raw, values, book, now_us)
                except OverBudget:
                    for one in self._rules:
                        self.problems[one.rule.id] = TOO_SLOW
                    return

    def _observe(
        self, one: _Compiled, raw: dict[str, Any], values: Mapping[str, Any], book: Book, now_us: int
    ) -> None:
        met = one.of.meets(values)
        if not met and (one.of.over is None or not book.of(one.rule.id)):
            return  # most rows: nothing is open that it could end
        over = not met and one.of.over is not None and one.of.over(values)
        group = {name: raw.get(name) for name in one.of.by}
        order = str(raw.get(one.of.order) or "") if one.of.order else ""
        book.observe(
            one.rule,
            group,
            self._title(group),
            Observation(met, over, order, row=_shown(raw) if met else None),
            now_us,
            self.job_id,
        )

    def _title(self, group: dict[str, Any]) -> str:
        named = ", ".join(f"{name} = {value}" for name, value in group.items())
        return f"Job {self._job_name}: {named}" if named else f"Job {self._job_name}"

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
