"""Which rows have to be evaluated: those just stored and, where some were missed, those in the store.

Rows are missed while the relay is down, while its run is replaying (results run backwards then, so alerts
wait), when the control database did not answer, and when rules had their part of a round of the relay. Where
evaluation of a result begins is stored when its rules are loaded, and how far it has come with the changes
that its rows caused; what is in the store beyond it is looked at again, a part in each round.
"""

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import monotonic, thread_time
from typing import Any, Final

from django.db import DatabaseError
from django.db.models import Exists, F, OuterRef

from jobs.run_states import QUEUED, REPLAYING, STARTING, WAITING
from weir.alerts.models import EvaluatedOffset
from weir.alerts.services.book import Book, LoadedRule
from weir.alerts.services.missed_rows import MissedRows, Offset, absent_keys, read_missed, stored_ends
from weir.alerts.services.row_evaluation import ResultRules, Row
from weir.alerts.services.row_rules import Compiled, compile_row_rule
from weir.alerts.services.rule_costs import RuleCosts
from weir.alerts.services.rule_document import RowWatch
from weir.alerts.services.store import Offsets, evaluated_offsets
from weir.results.services.store import TopicFlush
from weir.runs.models import Desired, Generation, Job, Run

_LOG: Final = logging.getLogger(__name__)
CATCH_UP_CPU_S: Final = 0.25  # processor time of all rules over missed rows, each time that runs are followed
_MAX_LISTED: Final = 4  # results whose missed rows are listed in memory
_NO_TOPIC: Final = 0  # no stored topic has this id

Result = tuple[str, int]  # job id, generation
_CompiledKey = tuple[str, Result, str]  # what a rule watches, and what the result's rows are, as JSON


@dataclass(frozen=True, slots=True)
class _Standing:
    """The run of a result: its epoch, and whether its rows are to be believed now."""

    epoch: int
    settled: bool


class WatchedRows:
    """The results that rules watch, and how far they were evaluated."""

    def __init__(self) -> None:
        self._costs = RuleCosts()
        self._compiled: dict[_CompiledKey, Compiled] = {}
        self._missed: dict[Result, MissedRows] = {}
        self._rules: dict[Result, ResultRules] = {}
        self._runs: dict[Result, _Standing] = {}
        self._loaded_epochs: dict[Result, int] = {}
        self._at: dict[tuple[str, int, int], tuple[int, int]] = {}
        self._moved: set[tuple[str, int, int]] = set()
        self._behind: set[Result] = set()
        self._not_before: dict[Result, float] = {}  # when missed rows may be asked for again, monotonic s

    @property
    def results(self) -> set[Result]:
        """Those that are watched."""
        return set(self._rules)

    @property
    def problems(self) -> dict[str, str]:
        """What keeps rules from being evaluated, by rule id; empty where nothing does."""
        return {rule: text for rules in self._rules.values() for rule, text in rules.problems.items()}

    @property
    def rules(self) -> list[LoadedRule]:
        """The rules that are evaluated."""
        return [rule for rules in self._rules.values() for rule in rules.rules]

    @property
    def waiting_rules(self) -> list[LoadedRule]:
        """The others of `rules`: time does not pass for them."""
        passes = {rule.id for rule in self.up_to_date_rules}
        return [rule for rule in self.rules if rule.id not in passes]

    @property
    def up_to_date_rules(self) -> list[LoadedRule]:
        """Those for which time passes: of results whose stored rows have all been evaluated, and whose runs
        are not replaying. Of the others, rows that nobody has looked at may meet the condition.
        """
        return [
            rule
            for result, rules in self._rules.items()
            if result not in self._behind and (run := self._runs.get(result)) is not None and run.settled
            for rule in rules.rules
        ]

    def take_slow(self) -> list[LoadedRule]:
        """The rules that took too long since this was last asked."""
        found: list[LoadedRule] = []
        for rules in self._rules.values():
            found += rules.slow
            rules.slow = []
        return found

    def load(self, rules: Iterable[LoadedRule], saved: Mapping[str, datetime], *, afresh: bool) -> None:
        """Watch the results of these rules; six queries.

        A result that is watched for the first time is evaluated from here on, and from its start where its
        generation began after one of its rules was saved. Store `offsets` before any row is taken.

        Args:
            rules: those that are on.
            saved: when they were saved last, by rule id.
            afresh: rows may have been missed of every result; False: only of those of which they were.
        """
        up_to_date = set() if afresh else set(self._rules) - self._behind
        missed = {} if afresh else self._missed
        by_job: dict[str, list[LoadedRule]] = {}
        for rule in rules:
            if isinstance(rule.document.watch, RowWatch):
                by_job.setdefault(rule.document.watch.job, []).append(rule)
        generations = Generation.objects.filter(
            job__in=by_job, number=F("job__generation"), topics_ready=True
        ).exclude(job__desired=Desired.DELETED)
        columns = ("job_id", "job__name", "number", "result", "result_partitions", "created_at")
        found = list(generations.select_related("job").only(*columns))
        before, self._compiled = self._compiled, {}
        self._rules = {
            (one.job_id, one.number): ResultRules(
                one.job_id,
                one.number,
                one.job.name,
                one.result,
                by_job[one.job_id],
                self._costs,
                self._compiler(before, (one.job_id, one.number), one.result),
            )
            for one in found
        }
        EvaluatedOffset.objects.exclude(job_id__in=by_job).delete()
        newer = Job.objects.filter(pk=OuterRef("job_id"), generation__gt=OuterRef("generation"))
        EvaluatedOffset.objects.filter(Exists(newer)).delete()
        self._at = {key: at for key, at in evaluated_offsets().items() if key[:2] in self._rules}
        self._moved = set()
        self._behind = {key[:2] for key in self._at} - up_to_date
        self._missed = {result: rows for result, rows in missed.items() if result in self._behind}
        ends = stored_ends(self._rules)
        for one in found:
            began_after = any(saved[rule.id] < one.created_at for rule in by_job[one.job_id])
            self._begin(one, ends.get((one.job_id, one.number)), from_start=began_after)
        self.follow()
        self._loaded_epochs = {result: run.epoch for result, run in self._runs.items()}

    def _begin(self, one: Generation, stored: Mapping[int, Offset] | None, *, from_start: bool) -> None:
        """Note where evaluation begins in partitions of which that is not known.

        Args:
            one: the generation of a result.
            stored: partition → how far its rows are stored; None: its topic isn't, so each of them is new.
            from_start: all rows of the generation are evaluated; False: those that are not stored yet.
        """
        result = (one.job_id, one.number)
        ends = stored or dict.fromkeys(range(one.result_partitions), (_NO_TOPIC, 0))
        for partition, (topic, end) in ends.items():
            if (*result, partition) in self._at:
                continue
            begin = 0 if from_start else end
            self._move((*result, partition), (topic, begin))
            if begin < end:
                self._behind.add(result)

    def _compiler(
        self, before: Mapping[_CompiledKey, Compiled], result: Result, described: Mapping[str, Any]
    ) -> Callable[[LoadedRule], Compiled]:
        """Compiles rules for a result, unless they were before: a rule may take 50 ms, all are loaded after
        each change of one, and results wait for it.
        """

        form = json.dumps(described)

        def compile_rule(rule: LoadedRule) -> Compiled:
            watch = rule.document.watch
            assert isinstance(watch, RowWatch)
            key = (watch.model_dump_json(), result, form)
            found = self._compiled.get(key) or before.get(key) or compile_row_rule(watch, described)
            self._compiled[key] = found
            return found

        return compile_rule

    @property
    def are_outdated(self) -> bool:
        """True when a job started again since the rules were loaded: its rows may have other fields."""
        return any(
            self._loaded_epochs.get(result, run.epoch) != run.epoch for result, run in self._runs.items()
        )

    def follow(self) -> None:
        """Read the states of the runs; one query."""
        jobs = {job_id for job_id, _ in self._rules}
        if not jobs:
            return
        rows = Run.objects.filter(
            generation__job__in=jobs, generation__number=F("generation__job__generation")
        )
        columns = ("generation__job_id", "generation__number", "epoch", "observed", "replay_until")
        self._runs = {
            (job, number): _Standing(epoch, _settled(observed, replay_until))
            for job, number, epoch, observed, replay_until in rows.values_list(*columns)
        }

    def take(self, flushes: Sequence[TopicFlush], book: Book, now_us: int) -> None:
        """Evaluate what was just stored, first of workspaces whose rules took the least. What there is no
        time for is evaluated later, from the store.
        """
        self._costs.begin_interval()
        began = thread_time()
        until = began + self._costs.begin_round()
        watched = [flush for flush in flushes if (flush.job_id, flush.generation) in self._rules]
        for flush in sorted(watched, key=lambda flush: self._spent((flush.job_id, flush.generation))):
            result = (flush.job_id, flush.generation)
            if result in self._behind:
                continue
            if (
                thread_time() > until
                or not self._is_next(flush)
                or not self._is_settled(result, flush.fence.epoch)
            ):
                self._behind.add(result)
                continue
            rows = sorted(flush.rows, key=_position)
            left = rows[self._rules[result].evaluate(rows, book, now_us, until) :]
            for partition, (_, now) in flush.advances.items():
                first = min((row.offset for row in left if row.partition == partition), default=now)
                self._move((*result, partition), (flush.pk, first))
            if left:
                self._behind.add(result)
        self._costs.end_round(thread_time() - began)

    def catch_up(self, book: Book, now_us: int) -> None:
        """Evaluate what was missed, of results whose runs have settled; a part of it where it is much."""
        self._costs.begin_interval()
        until = thread_time() + CATCH_UP_CPU_S
        for result in sorted(self._behind, key=lambda result: (self._spent(result), result)):
            rules, run = self._rules.get(result), self._runs.get(result)
            if rules is None:
                self._behind.discard(result)
            elif run is None or not run.settled:
                self._missed.pop(result, None)  # its rows run backwards: they are read again afterwards
            elif monotonic() < self._not_before.get(result, 0.0):
                continue
            elif thread_time() < until and (result in self._missed or len(self._missed) < _MAX_LISTED):
                self._catch_up(result, rules, book, now_us, until)

    def _catch_up(self, result: Result, rules: ResultRules, book: Book, now_us: int, until: float) -> None:
        missed = self._missed.get(result)
        if missed is None:
            missed = self._read_missed(result)
        if missed is None:
            return
        while rows := missed.next_rows():
            taken = rules.evaluate(rows, book, now_us, until, missed=True)
            missed.advance(rows[:taken])
            if thread_time() > until:
                break
        for partition, at in missed.offsets().items():
            self._move((*result, partition), at)
        if missed.done:
            del self._missed[result]
            # What was stored since these were listed was not taken: it is listed next.
            ends = stored_ends({result}).get(result, {})
            if all(self._at.get((*result, partition)) == end for partition, end in ends.items()):
                self._behind.discard(result)
            rules.forget(absent_keys(*result, rules.open_keys(book)), book, now_us)

    def _read_missed(self, result: Result) -> MissedRows | None:
        """The missed rows of a result; None where the database does not manage that, as within a statement's
        time: that keeps no other rule from being evaluated, and it is tried again after ten times as long.
        """
        began = monotonic()
        known = {key[2]: at for key, at in self._at.items() if key[:2] == result}
        try:
            missed = self._missed[result] = read_missed(*result, known)
        except DatabaseError as error:
            _LOG.warning("missed rows of %s.%s: the database: %s", *result, error)
            self._not_before[result] = monotonic() + 10 * (monotonic() - began)
            return None
        return missed

    def _spent(self, result: Result) -> float:
        rules = self._rules.get(result)
        return self._costs.of_workspace(rules.workspace_id) if rules is not None else 0.0

    def offsets(self) -> Offsets:
        """Those that moved since `stored`."""
        return {key: self._at[key] for key in self._moved}

    def stored(self) -> None:
        """The offsets are in the database."""
        self._moved = set()

    def _move(self, key: tuple[str, int, int], at: tuple[int, int]) -> None:
        if self._at.get(key) != at:
            self._at[key] = at
            self._moved.add(key)

    def _is_next(self, flush: TopicFlush) -> bool:
        """Whether nothing was missed between what was evaluated and this flush."""
        return all(
            self._at.get((flush.job_id, flush.generation, partition)) == (flush.pk, before)
            for partition, (before, _) in flush.advances.items()
        )

    def _is_settled(self, result: Result, epoch: int) -> bool:
        run = self._runs.get(result)
        return run is not None and run.settled and epoch <= run.epoch


def _position(row: Row) -> tuple[int, int, int]:
    """Rows of several partitions in the order in which they were written, as far as Kafka tells."""
    return (row.timestamp_ms, row.partition, row.offset)


def _settled(observed: str, replay_until: Mapping[str, Any]) -> bool:
    if observed == REPLAYING:
        return False
    return not (observed in (STARTING, QUEUED, WAITING) and any(replay_until.values()))
