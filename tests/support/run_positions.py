"""Positions of a run for tests, as once its only query is planned."""

from jobs.engine.positions import RunPositions
from jobs.kafka_messages import DesiredRun


def run_positions(run: DesiredRun) -> RunPositions:
    """The positions of a run whose only query reads all sources as streams."""
    positions = RunPositions(run)
    positions.read_by({None: frozenset(run.sources)})
    return positions
