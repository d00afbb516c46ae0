"""Which rows have to be evaluated: those just stored and, where some were missed, those in the store.

Rows are missed while the relay is down, while its run is replaying (results run backwards then, so alerts
wait), and when the control database did not answer. How far rows were evaluated is stored with the changes
that they caused; what is in the store beyond it is looked at again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import F

from jobs.run_states import QUEUED, REPLAYING, STARTING, WAITING
from weir.alerts.models import EvaluatedOffset
from weir.alerts.services.book import Book, LoadedRule
from weir.alerts.services.row_evaluation import ResultRules
from weir.alerts.services.rule_document import RowWatch
from weir.alerts.services.store import Offsets, evaluated_offsets
from weir.results.models import ALIAS, ResultOffset, ResultRow
from weir.results.services.queries import consistent_snapshot
from weir.results.services.store import TopicFlush
from weir.runs.models import Generation, Run

MAX_MISSED: Final = 50_000  # rows of one result that are looked at after a pause; the newest

Result = tuple[str, int]  # job id, generation


@dataclass(frozen=True, slots=True)
class _Standing:
    """The run of a result: its epoch, and whether its rows are to be believed now."""

    epoch: int
    settled: bool


class WatchedRows:
    """The results that rules watch, and how far they were evaluated."""

    def __init__(self) -> None:
        self._rules: dict[Result, ResultRules] = {}
        self._runs: dict[Result, _Standing] = {}
        self._at: dict[tuple[str, int, int], tuple[int, int]] = {}
        self._moved: set[tuple[str, int, int]] = set()
        self._behind: set[Result] = set()

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

    def load(self, rules: Iterable[LoadedRule]) -> None:
        """Watch the results of these rules; three queries.

        A result that is watched for the first time is evaluated from here on.
        """
        by_job: dict[str, list[LoadedRule]] = {}
        for rule in rules:
            if isinstance(rule.document.watch, RowWatch):
                by_job.setdefault(rule.document.watch.job, []).append(rule)
        generations = Generation.objects.filter(
            job__in=by_job, number=F("job__generation"), topics_ready=True
        )
        self._rules = {
            (one.job_id, one.number): ResultRules(one.job_id, one.job.name, one.result, by_job[one.job_id])
            for one in generations.select_related("job").only("job_id", "job__name", "number", "result")
        }
        EvaluatedOffset.objects.exclude(job_id__in=by_job).delete()
        self._at = {key: at for key, at in evaluated_offsets().items() if key[:2] in self._rules}
        self._moved = set()
        self._behind = {key[:2] for key in self._at}
        self.follow()

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
        """Evaluate what was just stored."""
        for flush in flushes:
            result = (flush.job_id, flush.generation)
            rules = self._rules.get(result)
            if rules is None or result in self._behind:
                continue
            if not self._is_next(flush) or not self._is_settled(result, flush.fence.epoch):
                self._behind.add(result)
                self._begin(flush)
                continue
            rules.evaluate(sorted(flush.rows, key=_position), book, now_us)
            for partition, (_, now) in flush.advances.items():
                self._move((*result, partition), (flush.pk, now))

    def catch_up(self, book: Book, now_us: int) -> None:
        """Evaluate what was missed, of results whose runs have settled."""
        for result in sorted(self._behind):
            rules, run = self._rules.get(result), self._runs.get(result)
            if rules is None:
                self._behind.discard(result)
            elif run is not None and run.settled:
                rows, offsets = self._missed(result)
                rules.evaluate(rows, book, now_us)
                for key, at in offsets.items():
                    self._move(key, at)
                self._behind.discard(result)

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

    def _begin(self, flush: TopicFlush) -> None:
        """A result whose first rows can't be evaluated yet: note where they begin."""
        for partition, (before, _) in flush.advances.items():
            key = (flush.job_id, flush.generation, partition)
            if key not in self._at:
                self._move(key, (flush.pk, before))

    def _is_next(self, flush: TopicFlush) -> bool:
        """Whether nothing was missed between what was evaluated and this flush."""
        for partition, (before, _) in flush.advances.items():
            known = self._at.get((flush.job_id, flush.generation, partition))
            if known is not None and known != (flush.pk, before):
                return False
        return True

    def _is_settled(self, result: Result, epoch: int) -> bool:
        run = self._runs.get(result)
        return run is not None and run.settled and epoch <= run.epoch

    def _missed(
        self, result: Result
    ) -> tuple[list[ResultRow], Mapping[tuple[str, int, int], tuple[int, int]]]:
        job_id, generation = result
        with consistent_snapshot():
            stored = {
                row.partition: (row.topic_id, row.next_offset)
                for row in ResultOffset.objects.using(ALIAS).filter(
                    topic__job_id=job_id, topic__generation=generation
                )
            }
            behind = {}
            for partition, (topic, offset) in stored.items():
                known = self._at.get((job_id, generation, partition))
                start = 0 if known is None or known[0] != topic else known[1]
                if start < offset:
                    behind[partition] = start
            rows: list[ResultRow] = []
            for partition, start in behind.items():
                found = ResultRow.objects.using(ALIAS).filter(
                    job_id=job_id, generation=generation, partition=partition, offset__gte=start
                )
                rows += list(found.order_by("-offset")[:MAX_MISSED])
        rows.sort(key=_position)
        return rows[-MAX_MISSED:], {(job_id, generation, partition): at for partition, at in stored.items()}


def _position(row: Any) -> tuple[int, int, int]:
    """Rows of several partitions in the order in which they were written, as far as Kafka tells."""
    return (row.timestamp_ms, row.partition, row.offset)


def _settled(observed: str, replay_until: Mapping[str, Any]) -> bool:
    if observed == REPLAYING:
        return False
    return not (observed in (STARTING, QUEUED, WAITING) and any(replay_until.values()))
