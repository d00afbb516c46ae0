"""The open alerts of all rules in memory, and what has changed since they were stored."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any, Final

from jobs.base.durations import parse_duration
from weir.alerts.services.alert_states import Observation, OpenAlert
from weir.alerts.services.rule_document import MetricWatch, RowWatch, RuleDocument
from weir.runs.models import new_id

MAX_TITLE: Final = 300  # characters, as the database has it
MAX_OPEN: Final = 500  # alerts of one rule; more are not opened, and the rule says so
MAX_ENDED: Final = 1_000  # groups of one rule of which it is known up to which window their last alert went
MAX_MOVED: Final = 1_000  # alerts whose last row is stored with one write, beside those that changed


@dataclass(slots=True)
class LoadedRule:
    """A rule as the evaluator holds it."""

    id: str
    workspace_id: int
    name: str
    document: RuleDocument
    hold_us: int
    quiet_us: int | None
    problem: str = ""  # as stored
    revision: int = 0  # as stored
    watch: str = ""  # digest of what it watches
    refused: int = 0  # groups that were not opened because the rule has `MAX_OPEN`

    @classmethod
    def of(
        cls,
        id: str,
        workspace_id: int,
        name: str,
        document: RuleDocument,
        problem: str = "",
        revision: int = 0,
    ) -> "LoadedRule":
        """The rule with its durations in µs."""
        watch = document.watch
        quiet = watch.quiet if isinstance(watch, RowWatch) else None
        return cls(
            id,
            workspace_id,
            name,
            document,
            document.hold_us,
            None if quiet is None else parse_duration(quiet).us,
            problem,
            revision,
            # A later version of Weir may add a member with a default: that is no change of the rule.
            digest_of(watch.model_dump(mode="json", exclude_defaults=True)),
        )

    @property
    def metric(self) -> MetricWatch | None:
        """What it watches, if that is a metric."""
        return self.document.watch if isinstance(self.document.watch, MetricWatch) else None


def digest_of(group: dict[str, Any]) -> str:
    """The digest of a group's values, or of what a rule watches."""
    text = json.dumps(group, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def key_of(group: dict[str, Any]) -> str:
    """A group's values as a text that is quick to make: the same for the same values, also when a database
    has put the members of a struct in another order, or written a large number without its exponent.
    """
    return repr([(name, _plain(group[name])) for name in sorted(group)])


def _plain(value: Any) -> Any:
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict():
            return [(name, _plain(value[name])) for name in sorted(value)]
        case list():
            return [_plain(part) for part in value]
        case _:
            return value


_Group = tuple[str, int | None]  # digest, and the generation of the job


class Book:
    """Open alerts by rule and group.

    Args:
        found: those that are stored as pending or firing.
        before: what this process knew of them; None: nothing.
    """

    def __init__(self, found: Iterable[OpenAlert] = (), before: "Book | None" = None) -> None:
        self._open: dict[str, dict[str, OpenAlert]] = {}
        self._keys: dict[str, set[str]] = {}  # of the groups with an open alert, by rule
        self.changed: dict[str, OpenAlert] = {}  # by id, in the order of their first change
        self._met: dict[str, OpenAlert] = {}  # by id: they may have been met since they were stored
        self._ended: dict[str, dict[_Group, str]] = {} if before is None else before._ended
        for alert in found:
            known = None if before is None else before.of(alert.rule_id).get(alert.digest)
            if known is not None and known.id == alert.id:
                alert.goes_on(known)
                self._met[alert.id] = alert
            self._open.setdefault(alert.rule_id, {})[alert.digest] = alert
            self._keys.setdefault(alert.rule_id, set()).add(key_of(alert.group))

    def of(self, rule_id: str) -> dict[str, OpenAlert]:
        """The open alerts of a rule by digest."""
        return self._open.get(rule_id, {})

    @property
    def open_keys(self) -> Mapping[str, Set[str]]:
        """`key_of` the groups with an open alert, by rule: asked for each row, so it makes no digest."""
        return self._keys

    @property
    def rules(self) -> set[str]:
        """Ids of rules with open alerts."""
        return {rule_id for rule_id, found in self._open.items() if found}

    def observe(
        self,
        rule: LoadedRule,
        group: dict[str, Any],
        title: str,
        seen: Observation,
        now_us: int,
        job_id: str | None = None,
        generation: int | None = None,
    ) -> None:
        """Take in what was seen of one group of a rule.

        Args:
            rule: of an alert.
            group: values that tell its alerts apart.
            title: of an alert that begins.
            seen: what was seen.
            now_us: the present.
            job_id: of the job that it is about; None: it is about none, or several.
            generation: of the job, where a result row was seen.
        """
        digest = digest_of(group)
        known = self._open.setdefault(rule.id, {})
        alert = known.get(digest)
        if alert is None:
            if not seen.met or seen.order < self._ended.get(rule.id, {}).get((digest, generation), ""):
                return  # an older window than that of the row that ended the last alert begins none
            if len(known) >= MAX_OPEN:
                rule.refused += 1
                return
            about = (job_id, generation, rule.watch)
            alert = OpenAlert(new_id(), rule.id, digest, group, title, now_us, now_us, *about)
            known[digest] = self.changed[alert.id] = alert
            self._keys.setdefault(rule.id, set()).add(key_of(group))
        if seen.met:
            self._met[alert.id] = alert
            if rule.metric is not None:
                alert.leave_out_unseen(now_us)
        if alert.observe(seen, now_us, rule.hold_us):
            self._note(alert)

    def moved(self, rules: Mapping[str, LoadedRule]) -> list[OpenAlert]:
        """Unchanged alerts of which it should be stored when they were last met, those first that were stored
        longest ago; at most `MAX_MOVED`.

        Args:
            rules: by id.
        """
        behind = [
            alert
            for alert in self._met.values()
            if alert.id not in self.changed
            and alert.is_open
            and (rule := rules.get(alert.rule_id)) is not None
            and alert.is_behind(rule.quiet_us, of_metric=rule.metric is not None)
        ]
        return sorted(behind, key=lambda alert: alert.stored_met_us)[:MAX_MOVED]

    def wait(self, rule: LoadedRule, us: int) -> None:
        """Let time pass in which nobody looked at the rows of a rule: it counts for nothing."""
        if us:
            for alert in self.of(rule.id).values():
                alert.wait(us)
                self._met[alert.id] = alert

    def elapse(self, rule: LoadedRule, now_us: int) -> None:
        """Let time pass for the alerts of a rule over rows; those of metrics are observed again and again."""
        for alert in list(self.of(rule.id).values()):
            if alert.elapse(now_us, rule.hold_us, rule.quiet_us):
                self._note(alert)

    def end(self, alert: OpenAlert, now_us: int, because: str) -> None:
        """End an alert whatever its condition says."""
        if alert.end(now_us, because):
            self._note(alert)

    def stored(self, moved: Iterable[OpenAlert] = ()) -> None:
        """The changes are in the database, and the last rows of these."""
        for alert in self.changed.values():
            alert.stored_state, alert.path = alert.state, []
        for alert in (*self.changed.values(), *moved):
            alert.stored_met_us, alert.stored_order = alert.last_met_us, alert.order
            alert.stored_since_us = alert.since_us
            self._met.pop(alert.id, None)
        self.changed = {}

    def _note(self, alert: OpenAlert) -> None:
        self.changed[alert.id] = alert
        if not alert.is_open:
            self._open[alert.rule_id].pop(alert.digest, None)
            self._keys[alert.rule_id].discard(key_of(alert.group))
            if alert.order:
                self._keep_end(alert)

    def _keep_end(self, alert: OpenAlert) -> None:
        ended, group = self._ended.setdefault(alert.rule_id, {}), (alert.digest, alert.generation)
        ended.pop(group, None)
        ended[group] = alert.order
        if len(ended) > MAX_ENDED:
            del ended[next(iter(ended))]
