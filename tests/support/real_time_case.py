"""An oracle case in real-time mode on a broker.

Batches are cut by time, so only final contents are compared.
"""

import json
from collections import Counter
from typing import Final

from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQuery

from jobs.engine.backlog import in_batches
from jobs.engine.listener import ProgressListener
from jobs.engine.progress import BatchProgress, read_progress
from jobs.engine.query import plan_of, start_query
from jobs.engine.state_snapshots import upload_snapshots
from jobs.formats.contract import StreamContract
from jobs.kafka_messages import DesiredRun
from jobs.plan import plan_job
from tests.oracle.answers import Batch, Oracle
from tests.oracle.cases import Case, Contents, all_differences
from tests.support.processes import wait_until
from tests.support.record_texts import headers_of, key_and_value
from tests.support.spark_case import count_differences
from tests.support.spark_engine import Bench, Results

SECONDS = 240.0  # the first batch of a cold session takes a minute on busy cores
COMMIT_INTERVALS_MS: Final = (4_000, 16_000, 64_000)


def real_time_allows(case: Case) -> bool:
    """Real-time mode cuts batches by time: scripts about lateness say nothing there."""
    contracts = {name: StreamContract.model_validate(written) for name, written in case.contracts.items()}
    document = json.loads(case.document)
    plan = plan_job({**document, "settings": {**document.get("settings", {}), "mode": "realtime"}}, contracts)
    return plan.ok and not case.late


class RealTimeCase:
    """The query of a case. A broadcast table holds what the first batch says.

    Args:
        spark: a session; the query gets one of its own.
        bench: with the broker.
        case: whose document real-time mode allows.
        commit_interval_ms: after which a batch ends.
    """

    def __init__(
        self, spark: SparkSession, bench: Bench, case: Case, commit_interval_ms: int = COMMIT_INTERVALS_MS[0]
    ) -> None:
        self._spark, self._bench, self._case = spark, bench, case
        document = json.loads(case.document)
        self._topics = {
            name: (
                bench.topic("in"),
                StreamContract.model_validate(case.contracts[ref.get("stream") or ref["table"]]),
            )
            for name, ref in document["sources"].items()
        }
        written = {name: bench.topic("out") for name in case.outputs}
        first, *others = written
        topics = {name: written[name] for name in others}
        self.run = bench.run(
            document,
            self._topics,
            "realtime",
            result_topic=written[first],
            topics=topics,
            commit_interval_ms=commit_interval_ms,
        )
        self.plan = plan_of(self.run)
        self._results = {name: Results(bench.reader(topic)) for name, topic in written.items()}
        self._heard: list[BatchProgress] = []
        self._attempt = 0
        self._sent = 0
        self._sends = 0
        self._query: StreamingQuery | None = None

    def send(self, batches: list[Batch]) -> None:
        """Put the records of these batches into their topics."""
        before = self._sent
        for name, (topic, contract) in self._topics.items():
            records = [record for batch in batches for record in batch.get(name, [])]
            if records:
                sent = [(at, *key_and_value(contract.key, values)) for at, values in records]
                self._bench.produce(
                    topic,
                    [(at, value) for at, _, value in sent],
                    headers=[headers_of(values) for _, values in records],
                    keys=[key for _, key, _ in sent],
                )
            self._sent += len(records) if name in self.plan.streaming else 0
        self._sends += self._sent > before

    @property
    def changing_tables(self) -> frozenset[str]:
        """Its sources that are tables and read as they grow."""
        return frozenset(
            name
            for name, (_, contract) in self._topics.items()
            if contract.kind == "table" and name in self.plan.streaming
        )

    def play(self, batch: Batch) -> None:
        """One batch while the query runs, until it is committed."""
        self.send_in_order(batch)
        self.settle()

    def send_in_order(self, batch: Batch) -> None:
        """Send a batch while the query runs: its rows once the entries of its tables are committed, so that
        they find them.
        """
        entries = {name: records for name, records in batch.items() if name in self.changing_tables}
        if entries:
            self.send([entries])
            self.settle()
        self.send([{name: records for name, records in batch.items() if name not in entries}])

    def start(self) -> None:
        """Start the query, or start it again on its checkpoint."""
        self._start(self.run, drains=False)

    def drain(self) -> None:
        """Read what was sent in micro-batches, as a run with a backlog does, until all is committed."""
        self._start(in_batches(self.run), drains=True)
        query = self._running()
        wait_until(lambda: not query.isActive, SECONDS, f"{self.run.run_id} has drained its backlog")
        self._running()  # without an error
        upload_snapshots(query)  # as an engine does
        self._query = None

    def _start(self, run: DesiredRun, *, drains: bool) -> None:
        listener = ProgressListener(
            lambda text: self._heard.append(read_progress(text, self.run)), lambda: None
        )
        self._query = start_query(
            self._spark, run, self.plan, self._bench.home, listener, self._attempt, drains=drains
        )
        self._attempt += 1

    def settle(self) -> None:
        """Wait until all that was sent is committed."""

        def settled() -> bool:
            progress = self._running().lastProgress
            if progress is None:
                return False
            ends = [json.loads(source.endOffset or "{}") for source in progress.sources]
            return (
                sum(offset for end in ends for partitions in end.values() for offset in partitions.values())
                >= self._sent
            )

        wait_until(settled, SECONDS, f"{self.run.run_id} has read {self._sent} records")

    def wait_for(self, found: Contents) -> None:
        """Wait until the results hold these rows, committed or not."""

        def there() -> bool:
            self._running()
            contents = self.contents()
            return all(
                contents[name].get(key) == row for name, rows in found.items() for key, row in rows.items()
            )

        wait_until(there, SECONDS, f"{self.run.run_id} has written {sum(map(len, found.values()))} results")

    def stop(self) -> None:
        """Break the query off, wherever it is."""
        if self._query is not None:
            self._query.stop()
            self._query = None

    def close(self) -> None:
        self.stop()
        for found in self._results.values():
            found.close()

    def contents(self) -> Contents:
        """By output the content that its topic holds."""
        return {name: found.read() for name, found in self._results.items()}

    def counts(self) -> tuple[dict[str, int], dict[str, int]]:
        """Errors by step and malformed records by node, as the engine counts them over all batches."""
        self._hear()
        errors, malformed = Counter[str](), Counter[str]()
        for batch in list(self._heard):
            errors.update(batch.expression_nulls)
            malformed.update(batch.malformed)
        return dict(+errors), dict(+malformed)

    @property
    def is_cut(self) -> bool:
        """A batch ended when it had read a part of what was sent together. What came first may have made the
        rest late, which no batch of the case says.
        """
        self._hear()
        return sum(heard.rows_in > 0 for heard in self._heard) > self._sends

    def _hear(self) -> None:
        last = self._running().lastProgress
        assert last is not None
        wait_until(
            lambda: bool(self._heard) and self._heard[-1].batch >= last["batchId"],
            SECONDS,
            "the listener has heard every batch",
        )

    def _running(self) -> StreamingQuery:
        assert self._query is not None
        error = self._query.exception()
        if error is not None:
            raise AssertionError(str(error)[:3000])
        return self._query


def play_in_real_time(spark: SparkSession, bench: Bench, case: Case) -> list[str]:
    """Differences in final contents and in the engine's counts; a broadcast table holds the first batch.

    What is counted below a changelog is left out: real-time mode gives a change for each row. Where a busy
    machine ended batches before they had read what belongs to them, longer ones decide.
    """
    differences: list[str] = []
    for interval_ms in COMMIT_INTERVALS_MS:
        played = RealTimeCase(spark, bench, case, interval_ms)
        try:
            _play_all(played, case)
            differences = _differences(played, case)
            if not differences or not played.is_cut:
                break
        finally:
            played.close()
    return differences


def _play_all(played: RealTimeCase, case: Case) -> None:
    first, *rest = case.batches
    loaded = {name: first[name] for name in first if name in played.plan.static}
    never_read = played.plan.static - played.plan.streaming
    later = [{name: batch[name] for name in batch if name not in never_read} for batch in rest]
    played.send([loaded])
    first = {name: first[name] for name in first if name not in loaded}
    if played.changing_tables:
        played.start()
        if played.changing_tables & loaded.keys():  # a broadcast table that is read as it grows, too
            played.settle()
        for batch in (first, *later):
            played.play(batch)
    else:
        played.send([first, *later])
        played.start()
    played.settle()


def _differences(played: RealTimeCase, case: Case) -> list[str]:
    below = Oracle(case.document, case.contracts).below_changelogs
    return all_differences(case.expected_after[-1], played.contents(), case.approximate) + count_differences(
        case, *played.counts(), left_out=below
    )
