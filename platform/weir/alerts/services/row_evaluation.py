"""Evaluates rules over the rows of one result: those just stored, or those found in the store."""

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import add, sub
from time import perf_counter, thread_time
from typing import Any, Final

from jobs.base.budget import Budget, OverBudget, bounded
from jobs.base.schemas import schema_from_json
from jobs.base.storable import without_nul
from weir.alerts.services.alert_states import RECOVERED, Observation
from weir.alerts.services.book import MAX_TITLE, Book, LoadedRule, digest_of, key_of
from weir.alerts.services.group_values import group_value, whole_key
from weir.alerts.services.row_rules import Compiled, Holds, RowRule, compile_row_rule
from weir.alerts.services.row_values import RowReader
from weir.alerts.services.rule_costs import MISSED_ROW_CPU_S, RuleCosts
from weir.alerts.services.rule_document import RowWatch
from weir.results.services.queries import StoredRow
from weir.results.services.records import ResultRecord

MAX_WORK: Final = 20_000_000  # characters that the rules make of one row, and calls of their lambdas
MAX_CPU_S: Final = 0.25  # processor time of all rules for one row
MAX_ROW_CHARACTERS: Final = 4_000  # of a row that an alert keeps
_CHARGE_AFTER_S: Final = 0.01  # processor time of rows that is shared out among rules at once
_NONE: Final = frozenset[str]()
TOO_SLOW: Final = "Its condition takes too long. Simplify it."
BROKEN: Final = "Its condition fails on a row because of a defect in Weir. Rewrite it, or report the defect."
_LOG: Final = logging.getLogger(__name__)

Row = ResultRecord | StoredRow


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A rule with what is asked of it for each row at hand."""

    rule: LoadedRule
    key: tuple[str, int]  # of what it costs: a changed rule begins anew
    of: RowRule
    meets: Holds
    by: tuple[str, ...]


class _Group:
    """The group of a row for rules that tell alerts apart by the same fields."""

    __slots__ = ("key", "title", "values")

    def __init__(self, by: tuple[str, ...], raw: Mapping[str, Any], job_name: str) -> None:
        self.values = {name: group_value(raw.get(name)) for name in by}
        self.key = key_of(self.values)
        named = ", ".join(f"{name} = {value}" for name, value in self.values.items())
        self.title = (f"Job {job_name}: {named}" if named else f"Job {job_name}")[:MAX_TITLE]


class ResultRules:
    """The rules over one result, compiled. Rules that do not fit it carry their problem, those that take too
    long or raise an error are not evaluated any more.

    Args:
        job_id: whose result.
        generation: of that job.
        job_name: for titles.
        result: as `weir.runs.services.planning.result_of` describes it.
        rules: those that watch it.
        costs: where their processor time is counted.
        compile_rule: compiles a rule for the result.
    """

    def __init__(
        self,
        job_id: str,
        generation: int,
        job_name: str,
        result: Mapping[str, Any],
        rules: Sequence[LoadedRule],
        costs: RuleCosts,
        compile_rule: Callable[[LoadedRule], Compiled] | None = None,
    ) -> None:
        self.job_id = job_id
        self.generation = generation
        self.workspace_id = rules[0].workspace_id
        self.slow: list[LoadedRule] = []  # those that took too long
        self._costs = costs
        self._job_name = job_name
        self._identity: list[str] = list(result.get("identity", ()))
        # Rows that are events have a key each, none that a group could be about; a total has the empty key.
        self._is_keyed = result.get("identity_kind") != "row"
        self._rules: list[_Compiled] = []
        self.problems: dict[str, str] = {}  # by rule id; empty where there is none
        for rule in rules:
            watch = rule.document.watch
            assert isinstance(watch, RowWatch)
            try:
                compiled, problems = compile_rule(rule) if compile_rule else compile_row_rule(watch, result)
            except Exception:  # noqa: BLE001 - a rule must not keep all others from being evaluated
                _LOG.exception("alert rule %s", rule.id)
                self.problems[rule.id] = BROKEN
                continue
            self.problems[rule.id] = "" if compiled else f"{problems[0].message} {problems[0].hint}".strip()
            if compiled is not None:
                key = (rule.id, rule.revision)
                self._rules.append(_Compiled(rule, key, compiled, compiled.meets, compiled.by))
        self._free_s = 0.0  # of a rule for a row: not counted
        self._walls: list[float] = []  # of each rule, since costs were counted
        self._seconds = 0.0  # processor time of all, likewise
        self._rows = 0
        self._begin_charge()
        fields = frozenset[str]().union(*(one.of.fields for one in self._rules))
        self._reader = RowReader(schema_from_json(result.get("schema", ())), fields)

    @property
    def rules(self) -> list[LoadedRule]:
        """Those that can be evaluated."""
        return [one.rule for one in self._rules]

    def evaluate(
        self,
        rows: Iterable[Row],
        book: Book,
        now_us: int,
        until: float = float("inf"),
        *,
        missed: bool = False,
    ) -> int:
        """Take rows in, in order.

        Args:
            rows: of the result.
            book: of open alerts.
            now_us: the present.
            until: processor time of this thread, in seconds, after which no further row is taken in.
            missed: the rows are looked at after a pause, so there are more of them than usual.

        Returns:
            How many rows were taken in; at least one.
        """
        self._free_s = MISSED_ROW_CPU_S if missed else 0.0
        taken, began = 0, thread_time()
        at = began
        for row in rows:
            if taken and at > until:
                break
            taken += 1
            if row.value is None:
                self._deleted(row.key, book, now_us)
                continue
            self._take(json.loads(row.value), book, now_us)
            at = thread_time()
        self._charge()
        self._costs.charge_workspace(self.workspace_id, thread_time() - began)
        return taken

    def _take(self, raw: dict[str, Any], book: Book, now_us: int) -> None:
        """Take one row in. The bound of a row is of all rules: one that exceeds it is asked again, alone."""
        rules = self._rules
        values = self._reader.read(raw)
        over, broken, walls, seconds = self._ask(rules, raw, values, book, now_us)
        self._walls = list(map(add, self._walls, map(sub, walls[1:], walls)))
        self._seconds += seconds
        self._rows += 1
        for one in over:
            alone, broken_alone, *_ = (
                self._ask([one], raw, values, book, now_us) if len(rules) > 1 else ([one], [])
            )
            broken += broken_alone
            if alone:
                self._drop(one, TOO_SLOW)
        for one in broken:
            self._drop(one, BROKEN)
        if self._seconds > _CHARGE_AFTER_S:
            self._charge()

    def _ask(
        self,
        rules: Sequence[_Compiled],
        raw: dict[str, Any],
        values: Mapping[str, Any],
        book: Book,
        now_us: int,
    ) -> tuple[list[_Compiled], list[_Compiled], list[float], float]:
        """Ask rules about a row. The loop is what a row costs with a thousand rules, so it calls little.

        Returns:
            Those that exceeded the bound; those that raised another error; when by the wall clock each began,
            and the last one ended; the processor time of all, in seconds.
        """
        groups: dict[tuple[str, ...], _Group] = {}
        over: list[_Compiled] = []
        broken: list[_Compiled] = []
        walls: list[float] = []
        open_keys = book.open_keys
        with bounded(Budget(MAX_WORK, MAX_CPU_S)) as budget:
            began = budget.began
            for one in rules:
                walls.append(perf_counter())
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
                    over.append(one)
                    budget.spent, budget.began = 0, thread_time()
                except Exception:  # noqa: BLE001 - a rule must not keep others from being evaluated
                    _LOG.exception("alert rule %s", one.rule.id)
                    broken.append(one)
            walls.append(perf_counter())
            return over, broken, walls, thread_time() - began

    def _charge(self) -> None:
        """Share out the processor time of the rows since the last time, by the wall clock."""
        wall = sum(self._walls)
        share = min(1.0, self._seconds / wall) if wall else 0.0
        free_s = self._free_s * self._rows
        costs = [(one, taken * share - free_s) for one, taken in zip(self._rules, self._walls, strict=True)]
        self._begin_charge()
        for one, cost in costs:
            if cost > 0 and self._costs.charge(one.key, cost):
                self._drop(one, TOO_SLOW)

    def _begin_charge(self) -> None:
        self._walls, self._seconds, self._rows = [0.0] * len(self._rules), 0.0, 0

    def _drop(self, one: _Compiled, problem: str) -> None:
        """Evaluate a rule no more."""
        if one in self._rules:
            self.problems[one.rule.id] = problem
            self._rules = [other for other in self._rules if other is not one]
            if problem == TOO_SLOW:
                self.slow.append(one.rule)
            self._begin_charge()

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
        book.observe(one.rule, group.values, group.title, seen, now_us, self.job_id, self.generation)

    def open_keys(self, book: Book) -> set[str]:
        """The keys that open alerts are about alone, of those whose values are known in full."""
        found: set[str] = set()
        if not self._is_keyed:
            return found
        names = set(self._identity)
        for one in self._rules:
            if set(one.of.by) == names:
                keys = (whole_key(self._identity, alert.group) for alert in book.of(one.rule.id).values())
                found.update(key for key in keys if key is not None)
        return found

    def forget(self, keys: Iterable[str], book: Book, now_us: int) -> None:
        """These keys were deleted while nobody looked."""
        for key in keys:
            self._deleted(key, book, now_us)

    def _deleted(self, key: str, book: Book, now_us: int) -> None:
        """A key is gone: alerts about it alone are over, of whatever window the key is."""
        if not self._is_keyed:
            return
        parts = dict(zip(self._identity, json.loads(key), strict=False))
        for one in self._rules:
            if set(one.of.by) == parts.keys() and (known := book.of(one.rule.id)):
                group = {name: group_value(parts[name]) for name in one.of.by}
                alert = known.get(digest_of(group))
                if alert is not None:
                    book.end(alert, now_us, RECOVERED)


def _shown(raw: dict[str, Any]) -> dict[str, Any]:
    """The row as an alert keeps it: of a large one the first fields."""
    kept: dict[str, Any] = {}
    left = MAX_ROW_CHARACTERS
    for name, value in raw.items():
        left -= len(name) + len(json.dumps(value))
        if left < 0:
            break
        kept[name] = without_nul(value)
    return kept
