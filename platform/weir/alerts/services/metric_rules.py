"""Rules over metrics: each is compared with the readings of its workspace."""

from collections.abc import Iterable
from typing import Any

from weir.alerts.services.alert_states import GONE, RECOVERED, Observation
from weir.alerts.services.book import Book, LoadedRule, digest_of
from weir.alerts.services.metrics import BY_NAME
from weir.alerts.services.readings import Subject, Taken
from weir.alerts.services.rule_document import MetricWatch


def observe_metrics(rules: Iterable[LoadedRule], taken: Taken, book: Book, now_us: int) -> None:
    """Take readings in. A subject without a value changes nothing; one that is gone ends its alerts."""
    by_workspace = {name: _by_workspace(found.items()) for name, found in taken.values.items()}
    present = _present(taken.subjects)
    for rule in rules:
        watch = rule.metric
        if watch is None:
            continue
        found = by_workspace.get(watch.metric, {})
        for subject, value in [*found.get(rule.workspace_id, ()), *found.get(None, ())]:
            group: dict[str, Any] = dict(subject.group)
            if watch.job in (None, subject.job_id) and watch.group in (None, group.get("group")):
                book.observe(rule, group, subject.title, observation(watch, value), now_us, subject.job_id)
        if book.of(rule.id):
            _end_over(book, rule, taken.over.get(watch.metric, ()), now_us)
        scope = BY_NAME[watch.metric].scope
        for alert in list(book.of(rule.id).values()):
            if (rule.workspace_id, scope, alert.digest) not in present and (
                None,
                scope,
                alert.digest,
            ) not in present:
                book.end(alert, now_us, GONE)


def _end_over(book: Book, rule: LoadedRule, over: Iterable[Subject], now_us: int) -> None:
    """End the alerts of subjects of which it is known that there is nothing to measure any more."""
    digests = {digest_of(dict(one.group)) for one in over if one.workspace_id in (None, rule.workspace_id)}
    for alert in [one for one in book.of(rule.id).values() if one.digest in digests]:
        book.end(alert, now_us, RECOVERED)


def observation(watch: MetricWatch, value: float) -> Observation:
    """What a value says of a rule."""
    if watch.above is not None:
        met = value > watch.above
        over = value <= (watch.above if watch.recovers_at is None else watch.recovers_at)
    else:
        below = watch.below if watch.below is not None else 0.0
        met = value < below
        over = value >= (below if watch.recovers_at is None else watch.recovers_at)
    return Observation(met, over, value=value)


def _by_workspace(
    found: Iterable[tuple[Subject, float]],
) -> dict[int | None, list[tuple[Subject, float]]]:
    by: dict[int | None, list[tuple[Subject, float]]] = {}
    for subject, value in found:
        by.setdefault(subject.workspace_id, []).append((subject, value))
    return by


def _present(subjects: Iterable[Subject]) -> set[tuple[int | None, str, str]]:
    return {(one.workspace_id, one.scope, digest_of(dict(one.group))) for one in subjects}
