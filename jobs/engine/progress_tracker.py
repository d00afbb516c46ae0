"""Receives the progress of a run's queries, updates the run's positions, and sends reports."""

from collections.abc import Callable
from dataclasses import replace

from jobs.engine.catching_up import CatchUp
from jobs.engine.exchange import ExchangeTracker
from jobs.engine.exchange_rows import exchanged_sources
from jobs.engine.positions import Reader, RunPositions
from jobs.engine.progress import BatchProgress, read_progress
from jobs.engine.reporter import Reporter
from jobs.engine.run_progress import RunProgress
from jobs.engine.run_reports import RunReports
from jobs.engine.step_progress import StepProgress
from jobs.kafka_messages import SourceRead, ValidatedRange
from jobs.plan import Plan, QueryName


class ProgressTracker:
    """Tracks the progress of one epoch of a run.

    Args:
        reporter: sends the reports.
        reports: builds them.
        positions: of the run; updated here.
        on_positions: called after positions were updated.
    """

    def __init__(
        self,
        reporter: Reporter,
        reports: RunReports,
        positions: RunPositions,
        on_positions: Callable[[], None],
    ) -> None:
        self._reporter = reporter
        self._reports = reports
        self._positions = positions
        self._on_positions = on_positions
        self._merged: RunProgress | None = None  # of a run with two queries
        self._exchange: ExchangeTracker | None = None  # of a run with an exchange
        self.catch_up: CatchUp | None = None
        """Of a run that drains a backlog."""
        self.boundaries = 0
        """How often a query was seen between two batches."""

    def follow(self, plan: Plan, exchange: ExchangeTracker | None) -> None:
        """Prepare the start of two queries. exchange: tracks the topic between them; None: no exchange."""
        if exchange is not None and self._exchange is not None:
            exchange.goes_on(self._exchange)
        self._exchange = exchange
        readers: dict[Reader, frozenset[str]] = {query.name: query.streaming for query in plan.queries}
        if plan.has_exchange:
            readers["exchange"] = exchanged_sources(plan)
        self._positions.read_by(readers)
        self._merged = RunProgress(plan)

    def tick(self) -> None:
        """Update the exchange; called about once a second while the queries run."""
        if self._exchange is not None:
            self._exchange.tick()
            self._track_exchange(self._exchange)

    def close(self) -> None:
        """Close the exchange after the queries have stopped."""
        if self._exchange is not None:
            self._exchange.close()

    def on_progress(self, query: QueryName | None, steps: StepProgress | None, text: str) -> None:
        """Handle the progress of a batch; called by Spark's listener.

        Args:
            query: the batch's query; None: the run has only one.
            steps: reads what is known of the query's steps; None: a validator's.
            text: Spark's JSON.
        """
        batch = read_progress(text, self._reports.run, steps)
        self._positions.committed(batch, query)
        if self._exchange is not None:
            self._on_exchange_progress(self._exchange, query, batch)
        if query is not None and self._merged is not None:
            batch = replace(self._merged.merge(query, batch), sources=self._positions.now())
        if self.catch_up is not None:
            self.catch_up.batch(batch.rows_in)
        self._reporter.send(self._reports.progress(batch, query))
        self.boundaries += 1
        self._on_positions()

    def on_idle(self, query: QueryName | None) -> None:
        """Handle that a query has read all available input; called by Spark's listener."""
        self._positions.idle(query)
        if self._exchange is not None and query == "append":
            self._exchange.upstream_idle()
            self._track_exchange(self._exchange)
        self.boundaries += 1
        self._on_positions()

    def on_static_read(self, read: dict[str, SourceRead]) -> None:
        """Report the static inputs that a query read at its start."""
        self._reporter.send(self._reports.static_read(read))

    def on_counts(self, batch: int, ranges: tuple[ValidatedRange, ...]) -> None:
        """Report the counts of a validator's batch; called before the batch is committed.

        Raises:
            KafkaException: the broker did not store the report; the batch must not be committed then.
        """
        self._reporter.deliver(self._reports.validation(batch, ranges))

    def _on_exchange_progress(
        self, exchange: ExchangeTracker, query: QueryName | None, batch: BatchProgress
    ) -> None:
        if query == "append":
            exchange.upstream_committed(batch.watermark_us or 0, batch.committed)
        elif batch.exchange_offset is not None:
            exchange.downstream_committed(batch.exchange_offset)
        self._track_exchange(exchange)

    def _track_exchange(self, exchange: ExchangeTracker) -> None:
        """Update positions with the inputs that both queries have processed."""
        processed = exchange.take_processed()
        if processed:
            self._positions.processed(processed)
        if exchange.is_idle:
            self._positions.idle("exchange")
