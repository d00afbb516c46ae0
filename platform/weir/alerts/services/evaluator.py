"""Evaluates all rules, in the relay, where results and reports pass. Of several relays one evaluates.

Rows are evaluated as they are stored, metrics every two seconds from one look at what is stored, and what
depends on time by the same tick. An error of the control database never holds up results: what was missed is
looked at later.
"""

import logging
import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from django.db import DatabaseError
from django.db.models import Count, Max, Sum

from jobs.base.instants import instant_of
from weir.alerts.models import AlertRule
from weir.alerts.services.alert_states import CHANGED, GONE, TURNED_OFF, OpenAlert, unstored_us
from weir.alerts.services.book import MAX_OPEN, Book, LoadedRule
from weir.alerts.services.look import Look
from weir.alerts.services.metric_rules import observe_metrics
from weir.alerts.services.outbox import find_loaded, tell_owed
from weir.alerts.services.rows import WatchedRows
from weir.alerts.services.rule_document import UNREADABLE
from weir.alerts.services.rules import turn_off_slow_rule
from weir.alerts.services.store import (
    LostLeaseError,
    StaleAlertError,
    hold_lease,
    open_alerts,
    release_lease,
    write,
)
from weir.measurements import read_snapshot
from weir.results.services.store import TopicFlush

_LOG: Final = logging.getLogger(__name__)

Deliver = Callable[[], None]
GAP_US: Final = 10_000_000
"""Rows are looked at, or that there are none, every two seconds. Where that took longer, nobody looked: this
process could not store any, its host slept, or another one was killed."""
TOO_MANY: Final = f"More than {MAX_OPEN} groups meet the condition at once; the others are left out."


class Evaluator:
    """One relay's evaluator.

    Args:
        deliver: asks a worker to deliver what the outbox holds.
    """

    def __init__(self, deliver: Deliver) -> None:
        self._deliver = deliver
        self._holder = secrets.token_hex(8)
        self._holds = False
        self._loaded: Any = None  # what the rules were when they were loaded
        self._enabled: set[str] = set()  # ids of rules
        self._rules: dict[str, LoadedRule] = {}
        self._metric_rules: list[LoadedRule] = []
        self._book = Book()
        self._rows = WatchedRows()
        self._look = Look()
        self._ticked_us: int | None = None
        self._looked_us: int | None = None  # when rows were looked at, or that there are none

    def rows(self, flushes: Sequence[TopicFlush], now_us: int) -> None:
        """Evaluate rows that were just stored. Never raises for the control database."""
        if not self._holds or self._loaded is None:
            return
        self._guarded(lambda: self._take(flushes, now_us))

    def follow(self, generations: frozenset[tuple[str, int]], now_us: int) -> None:
        """Look whether this relay evaluates, whether rules or results have changed, and at states of runs.

        Args:
            generations: job and current generation of every result that the relay follows.
            now_us: the present.
        """
        self._guarded(lambda: self._follow(generations, now_us))

    def tick(self) -> None:
        """Evaluate metrics, and what depends on time."""
        if self._holds and self._loaded is not None:
            self._guarded(self._tick)

    def close(self) -> None:
        """Store how far rows were evaluated, and let another relay evaluate."""
        if self._holds and self._loaded is not None:
            self._guarded(self._write)
            self._guarded(lambda: release_lease(self._holder))

    def _take(self, flushes: Sequence[TopicFlush], now_us: int) -> None:
        self._leave_out_gap(now_us)
        self._rows.take(flushes, self._book, now_us)
        if self._book.changed:
            self._write()
        self._turn_off_slow()

    def _leave_out_gap(self, now_us: int) -> None:
        """Time in which nobody looked at any rows counts for none of them."""
        gap_us = 0 if self._looked_us is None else now_us - self._looked_us
        self._looked_us = now_us
        if gap_us > GAP_US:
            self._wait(self._rows.rules, gap_us)
            self._ticked_us = now_us

    def _wait(self, rules: Iterable[LoadedRule], us: int) -> None:
        for rule in rules:
            self._book.wait(rule, us)

    def _turn_off_slow(self) -> None:
        """Turn off rules that took too long; the next `follow` ends their alerts."""
        for rule in self._rows.take_slow():
            _LOG.warning("alert rule %s takes too long and is turned off", rule.id)
            turn_off_slow_rule(rule)

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except LostLeaseError:
            _LOG.warning("another relay evaluates alerts now")
            self._holds, self._loaded = False, None
        except StaleAlertError:
            _LOG.info("alerts were changed elsewhere; they are loaded again")
            self._loaded = None
        except DatabaseError as error:
            _LOG.warning("alerts are evaluated later: %s", error)
            self._loaded = None
        except Exception:  # noqa: BLE001 - results are stored whatever happens here
            _LOG.exception("alerts")
            self._loaded = None

    def _follow(self, generations: frozenset[tuple[str, int]], now_us: int) -> None:
        away_us = hold_lease(self._holder)
        self._holds = away_us is not None
        if away_us is None:
            # What it remembers goes on elsewhere.
            self._loaded, self._look, self._looked_us = None, Look(), None
            return
        version = (_version(), generations)
        if version != self._loaded:
            afresh = self._loaded is None
            if not afresh:
                self._write()
            self._load(now_us, away_us if afresh else None)
            self._loaded = version
        self._rows.follow()
        if self._rows.are_outdated:
            self._write()
            self._load(now_us, None)
        self._rows.catch_up(self._book, now_us)
        if self._book.changed:
            self._write()
        self._turn_off_slow()

    def _load(self, now_us: int, away_us: int | None) -> None:
        """Load rules and open alerts.

        Args:
            now_us: the present.
            away_us: for how long nobody may have evaluated; None: this process goes on.
        """
        afresh = away_us is not None
        stored = {rule.pk: rule for rule in AlertRule.objects.all()}
        self._rules = {key: one for key, rule in stored.items() if (one := find_loaded(rule)) is not None}
        unreadable = [rule for key, rule in stored.items() if key not in self._rules]
        for rule in (one for one in unreadable if one.problem != UNREADABLE):
            AlertRule.objects.filter(pk=rule.pk, revision=rule.revision).update(problem=UNREADABLE)
        enabled = [rule for key, rule in self._rules.items() if stored[key].enabled]
        self._metric_rules = [rule for rule in enabled if rule.metric is not None]
        # Whether those of a rule that can't be read are over is not known: they stay as they are.
        readable = [alert for alert in open_alerts() if alert.rule_id in self._rules]
        if away_us is not None:
            self._ticked_us = None
        self._book = Book(readable, None if afresh else self._book)
        self._rows.load(enabled, {key: rule.changed_at for key, rule in stored.items()}, afresh=afresh)
        self._enabled = {rule.id for rule in enabled}
        if away_us is not None:
            # It may have had the right to look all the time, and not the database to look at.
            unseen_us = 0 if self._looked_us is None else now_us - self._looked_us
            self._wait(self._rows.rules, max(away_us, unseen_us))
            self._looked_us = now_us
            self._allow_for_unstored(readable, now_us)
        results = self._rows.results
        for rule_id in self._book.rules:
            for alert in list(self._book.of(rule_id).values()):
                if rule_id not in self._enabled:
                    self._book.end(alert, now_us, TURNED_OFF)
                elif alert.watch not in ("", self._rules[rule_id].watch):
                    self._book.end(alert, now_us, CHANGED)
                elif alert.generation is not None and (alert.job_id, alert.generation) not in results:
                    # The rows of another generation tell nothing of it: their keys and windows may be others.
                    self._book.end(alert, now_us, GONE)
        self._end_of_gone_results(now_us)
        self._write()  # before any row is taken: a kill must not forget where evaluation begins

    def _allow_for_unstored(self, alerts: Iterable[OpenAlert], now_us: int) -> None:
        """Rows may have met these since the stored ones, before a process was killed: none ends too early."""
        for alert in alerts:
            quiet_us = self._rules[alert.rule_id].quiet_us
            if quiet_us is not None:
                latest_us = max(alert.last_met_us, now_us)
                alert.last_met_us = min(alert.last_met_us + unstored_us(quiet_us), latest_us)

    def _end_of_gone_results(self, now_us: int) -> None:
        """A rule over the rows of a job that has no result any more: its alerts can't end otherwise."""
        watched = {rule.id for rule in self._rows.rules} | {rule.id for rule in self._metric_rules}
        for rule_id in self._book.rules - watched:
            for alert in list(self._book.of(rule_id).values()):
                self._book.end(alert, now_us, GONE)

    def _tick(self) -> None:
        snapshot = read_snapshot(None)
        now_us = instant_of(snapshot.now)
        taken = self._look.take(snapshot, self._metric_rules)
        observe_metrics(self._metric_rules, taken, self._book, now_us)
        self._leave_out_gap(now_us)
        waited_us = 0 if self._ticked_us is None else max(0, now_us - self._ticked_us)
        self._ticked_us = now_us
        self._wait(self._rows.waiting_rules, waited_us)
        for rule in self._rows.up_to_date_rules:
            self._book.elapse(rule, now_us)
        self._write()
        self._note_problems()
        if tell_owed():
            self._deliver()

    def _write(self) -> None:
        changed, offsets = list(self._book.changed.values()), self._rows.offsets()
        moved = self._book.moved(self._rules)
        if not changed and not offsets and not moved:
            return
        told = write(self._holder, self._rules, changed, offsets, moved)
        self._book.stored(moved)
        self._rows.stored()
        if told:
            self._deliver()

    def _note_problems(self) -> None:
        """Say on each rule that is on what keeps it from being evaluated."""
        found = self._rows.problems
        for rule in (self._rules[rule_id] for rule_id in self._enabled):
            text = found.get(rule.id, "")
            # A rule over rows gets some now and then: what was left out stays so until there is room again.
            is_full = len(self._book.of(rule.id)) >= MAX_OPEN
            if rule.refused or (is_full and rule.problem == TOO_MANY):
                text, rule.refused = TOO_MANY, 0
            if text[:300] != rule.problem:
                rule.problem = text[:300]
                AlertRule.objects.filter(pk=rule.id, enabled=True).update(problem=rule.problem)


def _version() -> Any:
    """Another value after each change of a rule, whatever the clocks of the hosts say that made it."""
    found = AlertRule.objects.aggregate(Max("changed_at"), Count("pk"), Sum("revision"))
    return tuple(found.values())
