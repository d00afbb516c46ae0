"""Makes samples, so that what is not known has none."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from weir.monitoring.services.metrics import Metric, Sample

Labels = tuple[str, ...]


def state_samples(metric: Metric, labels: Labels, states: Iterable[str], current: str) -> Iterator[Sample]:
    """One sample for each possible state: 1 for the current one, 0 for the others."""
    for state in states:
        yield Sample(metric, (*labels, state), float(state == current))


def known(metric: Metric, labels: Labels, value: float | None) -> Iterator[Sample]:
    """The sample of a value; none where it is not known."""
    if value is not None:
        yield Sample(metric, labels, float(value))


def known_time(metric: Metric, labels: Labels, at: datetime | None) -> Iterator[Sample]:
    """The sample of an instant in Unix seconds; none where it is not known."""
    yield from known(metric, labels, None if at is None else at.timestamp())
