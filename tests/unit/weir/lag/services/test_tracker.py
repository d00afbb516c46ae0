from jobs.kafka_messages import PartitionProgress, PositionsReport, ProgressReport, SourceRead, StepState
from weir.lag.services.tracker import LagTracker, known_seconds, stored_positions

S = 1_000_000
TOPICS = {"trades": ("home", "trades")}


def positions(at_s: int, epoch: int = 1, **cells: PartitionProgress) -> PositionsReport:
    sources = {"trades": {int(name[1:]): cell for name, cell in cells.items()}}
    return PositionsReport(
        at_us=at_s * S,
        engine_id="e",
        incarnation="i",
        run_id="r",
        epoch=epoch,
        sources=sources,
        rows_per_second=5.0,
    )


def cell(
    committed: int | None = None, fetched: int | None = None, end: int | None = None
) -> PartitionProgress:
    return PartitionProgress(committed=committed, fetched=fetched, end=end)


def tracker() -> LagTracker:
    found = LagTracker()
    found.follow("r", "job", 1, TOPICS)
    return found


def test_lag_counts_from_the_furthest_position_and_shows_both() -> None:
    found = tracker()
    found.apply(positions(10, p0=cell(50, 90, 90), p1=cell(5, 5, 5)))
    found.apply(positions(20, p0=cell(50, 95, 100), p1=cell(5, 5, 5)))
    body = found.payload("r", 20 * S)
    assert body is not None
    source = body["sources"]["trades"]
    assert source["partitions"][0] == {
        "partition": 0,
        "committed": 50,
        "fetched": 95,
        "end": 100,
        "records": 5,
        "seconds": 5.0,
    }
    assert (source["records"], source["seconds"]) == (5, 5.0)
    assert body["rows_per_second"] == 0.5  # what was passed in ten seconds, not what the engine took it for


def test_unknown_is_null_and_not_zero() -> None:
    found = tracker()
    found.apply(positions(10, p0=cell(50)))
    body = found.payload("r", 10 * S)
    assert body is not None
    assert body["sources"]["trades"]["records"] is None
    assert found.totals("r", 10 * S).records is None
    assert found.payload("other", 10 * S) is None


def test_a_partition_that_is_not_known_leaves_the_total_unknown() -> None:
    found = tracker()
    found.apply(positions(10, p0=cell(50, end=70), p1=cell(50)))
    assert (found.totals("r", 10 * S).records, found.totals("r", 10 * S).seconds) == (None, None)
    body = found.payload("r", 10 * S)
    assert body is not None
    source = body["sources"]["trades"]
    assert (source["records"], source["partitions"][0]["records"]) == (None, 20)
    found.observe_end(("home", "trades"), 1, 11 * S, 80)
    assert found.totals("r", 11 * S).records == 50


def test_a_stored_table_that_is_broadcast_now_does_not_hide_the_lag() -> None:
    found = tracker()
    stored = {"trades": {"0": {"committed": 5, "end": 5}}, "countries": {"0": {"end": 3}}}
    found.runs["r"].positions = stored_positions(stored)
    found.apply(positions(10, p0=cell(5, 5, 7)))
    assert found.totals("r", 10 * S).records == 2
    body = found.payload("r", 10 * S)
    assert body is not None
    assert body["sources"].keys() == {"trades"}


def test_a_lag_in_time_that_is_a_lower_bound_is_no_total() -> None:
    """Of a run that began at the earliest offset, or that was behind when the process that measures began."""
    found = tracker()
    found.apply(positions(10, p0=cell(5, end=9_000_000), p1=cell(7, end=7)))
    totals = found.totals("r", 12 * S)
    assert (totals.records, totals.seconds) == (8_999_995, None)
    body = found.payload("r", 12 * S)
    assert body is not None
    source = body["sources"]["trades"]
    assert (source["records"], source["seconds"]) == (8_999_995, None)
    behind, at_the_end = source["partitions"]
    assert (behind["seconds"], behind["lower_bound"]) == (2.0, True)
    assert (known_seconds(behind), known_seconds(at_the_end)) == (None, 0.0)
    found.apply(positions(20, p0=cell(9_000_000, end=9_000_100), p1=cell(7, end=7)))
    assert found.totals("r", 20 * S).seconds == 10.0  # the newest of what was there at the beginning is read


def test_the_end_of_a_cluster_that_is_silent_is_not_that_of_the_present() -> None:
    found = tracker()
    found.apply(positions(10, p0=cell(70, end=70)))
    assert found.totals("r", 40 * S).records == 0
    assert (found.totals("r", 41 * S).records, found.totals("r", 41 * S).seconds) == (None, None)
    body = found.payload("r", 41 * S)
    assert body is not None
    assert body["sources"]["trades"]["partitions"][0]["end"] is None, "it is not silent"
    found.observe_end(("home", "trades"), 0, 42 * S, 90)
    assert found.totals("r", 42 * S).records == 20


def test_an_old_epoch_is_not_heard_and_a_new_one_forgets_what_was_fetched() -> None:
    found = tracker()
    found.apply(positions(10, p0=cell(50, 90, 100)))
    found.follow("r", "job", 2, TOPICS)
    assert found.apply(positions(11, p0=cell(99, 99, 100))) is None
    assert found.totals("r", 11 * S).records == 50


def test_the_last_batch_of_an_epoch_is_counted_though_it_is_told_when_the_next_has_begun() -> None:
    found = tracker()
    found.apply(positions(10, p0=cell(50, 90, 100)))
    found.follow("r", "job", 2, TOPICS)
    last = ProgressReport(
        at_us=11 * S, engine_id="e", incarnation="i", run_id="r", epoch=1, batch=4, began_us=10 * S,
        duration_ms=5, rows_in=9, rows_out=3, late=2, malformed={"trades": 1},
        sources={"trades": {0: cell(99, 99, 100)}},
    )  # fmt: skip
    for _ in range(2):
        assert found.apply(last) is None
    run = found.runs["r"]
    assert (run.counts.batches, run.counts.rows_in, run.counts.late) == (1, 9, 2)
    assert (run.late, run.malformed) == (2, 1)
    assert found.totals("r", 11 * S).records == 50


def test_how_fast_an_epoch_reads_is_unknown_until_five_seconds_of_it_are_known() -> None:
    found = tracker()
    found.apply(positions(10, p0=cell(0, 0, 100)))
    assert _rate(found, 10) is None
    found.apply(positions(20, p0=cell(50, 90, 100)))
    assert _rate(found, 20) == 9.0
    found.follow("r", "job", 2, TOPICS)
    assert _rate(found, 80) is None
    found.apply(positions(80, epoch=2, p0=cell(50, 90, 100)))
    found.apply(positions(84, epoch=2, p0=cell(50, 98, 100)))
    assert _rate(found, 84) is None
    assert _rate(found, 88) == 1.0


def _rate(found: LagTracker, at_s: int) -> float | None:
    body = found.payload("r", at_s * S)
    assert body is not None
    rate: float | None = body["rows_per_second"]
    return rate


def test_ends_that_no_report_told_are_asked_for() -> None:
    found = tracker()
    found.apply(positions(10, p0=cell(50), p1=cell(60, end=70)))
    assert found.stale_partitions(["r"], 11 * S) == {("home", "trades", 0)}
    found.observe_end(("home", "trades"), 0, 11 * S, 80)
    assert found.stale_partitions(["r"], 12 * S) == set()
    assert found.stale_partitions(["r"], 20 * S) == {("home", "trades", 0), ("home", "trades", 1)}
    assert found.totals("r", 12 * S).records == 40


def test_batches_add_up() -> None:
    found = tracker()
    for batch in range(2):
        found.apply(
            ProgressReport(
                at_us=S, engine_id="e", incarnation="i", run_id="r", epoch=1, batch=batch, began_us=0,
                duration_ms=2_000, rows_in=100,
                rows_out=10, sources={}, malformed={"trades": 3}, late=2, state_rows=7, watermark_us=5,
                expression_nulls={"a": 1, "b": 2}, limit_reached={"a": 5},
            )
        )  # fmt: skip
    run = found.runs["r"]
    assert (
        run.malformed,
        run.late,
        run.state_rows,
        run.watermark_us,
    ) == (
        6,
        4,
        7,
        5,
    )
    assert (run.counts.batches, run.counts.rows_in, run.counts.rows_out, run.counts.late) == (2, 200, 20, 4)
    assert run.counted == {"malformed": 6, "late": 4, "expression_nulls": 6, "limit_reached": 10}


def test_the_watermark_of_a_source_never_falls() -> None:
    found = tracker()
    for batch, marks in enumerate([{"trades": 7 * S}, {"trades": 5 * S}, {}]):
        found.apply(
            ProgressReport(
                at_us=S, engine_id="e", incarnation="i", run_id="r", epoch=1, batch=batch, began_us=0,
                duration_ms=100, rows_in=1, rows_out=1,
                sources={"trades": {0: PartitionProgress(committed=1)}}, source_watermarks_us=marks,
            )
        )  # fmt: skip
    payload = found.payload("r", 2 * S)
    assert payload is not None
    assert payload["sources"]["trades"]["watermark_us"] == 7 * S


def first_batch(at_s: int, began_s: int, records: int, committed: int) -> ProgressReport:
    return ProgressReport(
        at_us=at_s * S, engine_id="e", incarnation="i", run_id="r", epoch=1, batch=0,
        began_us=began_s * S, duration_ms=(at_s - began_s) * 1_000, rows_in=records, rows_out=records // 2,
        sources={"trades": {0: cell(committed)}}, read={"trades": SourceRead(records=records)},
        given={"trades": records},
    )  # fmt: skip


def test_the_first_minute_has_one_rate() -> None:
    """What a first batch reads before anybody knows a position counts for the header and the edges alike."""
    found = tracker()
    found.apply(first_batch(20, 10, 5_000, 5_000))
    body = found.payload("r", 20 * S)
    assert body is not None
    assert (body["rows_per_second"], body["given"], body["rows_out_per_second"]) == (
        500,
        {"trades": 500},
        250,
    )


def test_the_first_batch_after_stored_positions_has_the_rate_of_the_batch() -> None:
    """Nobody knows of when they are, so the time since they were stored is no time to divide by."""
    found = tracker()
    found.runs["r"].positions = stored_positions({"trades": {"0": {"committed": 1_000}}})
    found.apply(first_batch(20, 10, 5_000, 6_000))
    body = found.payload("r", 20 * S)
    assert body is not None
    assert (body["rows_per_second"], body["given"]) == (500, {"trades": 500})


def test_what_positions_told_of_the_first_batch_counts_once() -> None:
    found = tracker()
    found.apply(positions(12, p0=cell(None, 4_000)))
    found.apply(positions(15, p0=cell(None, 4_600)))
    found.apply(first_batch(20, 10, 5_000, 5_000))
    found.apply(first_batch(30, 20, 1_000, 6_000))
    body = found.payload("r", 30 * S)
    assert body is not None
    assert (body["rows_per_second"], body["given"]) == (300, {"trades": 300})


def test_unfollowing_a_run_drops_its_end_offsets() -> None:
    found = tracker()
    found.apply(positions(10, p0=cell(50, end=60)))
    found.unfollow("r")
    assert not found.runs
    assert not found.ends


def test_a_short_batch_is_not_a_high_rate() -> None:
    """Ten records a second, handled twenty at a time in 10 ms."""
    found = tracker()
    for second in range(0, 62, 2):
        sources = {"trades": {0: cell(second * 10, second * 10, second * 10)}}
        found.apply(
            ProgressReport(
                at_us=second * S, engine_id="e", incarnation="i", run_id="r", epoch=1, batch=second,
                began_us=0, duration_ms=10, rows_in=20, rows_out=0, sources=sources,
            )
        )  # fmt: skip
    body = found.payload("r", 60 * S)
    assert body is not None
    assert body["rows_per_second"] == 10.0


def test_a_topic_that_was_made_anew_has_the_end_it_has_now() -> None:
    """Its job is started again, and the process that measures goes on."""
    found = tracker()
    found.apply(positions(10, p0=cell(1_000_000, end=1_000_000)))
    found.follow("next", "job", 1, TOPICS)
    found.unfollow("r")
    for at_s in range(12, 30, 2):
        found.observe_end(TOPICS["trades"], 0, at_s * S, 10)
    began = positions(30, p0=cell(4, end=10)).model_copy(update={"run_id": "next"})
    found.apply(began)
    assert found.totals("next", 30 * S).records == 6
    assert found.stale_partitions(["next"], 31 * S) == set()


def test_an_end_that_an_engine_has_read_a_moment_ago_is_left_out() -> None:
    found = tracker()
    found.apply(positions(10, p0=cell(90, end=100)))
    found.apply(positions(12, p0=cell(95, end=98)))
    found.observe_end(TOPICS["trades"], 0, 14 * S, 100)
    for at_s in range(15, 40, 2):
        found.apply(positions(at_s, p0=cell(95, end=98)))
        found.observe_end(TOPICS["trades"], 0, (at_s + 1) * S, 100)
    assert found.totals("r", 40 * S).records == 5


def test_the_next_epoch_has_its_own_steps_and_sources() -> None:
    """They may have been renamed: state of the old name would be counted twice."""
    found = tracker()
    kept = {"stats": StepState(rows=5, bytes=100, late=0)}
    marks = {"trades": 7}
    first = first_batch(10, 5, 1, 1)
    found.apply(first.model_copy(update={"steps": kept, "source_watermarks_us": marks}))
    body = found.payload("r", 10 * S)
    assert body is not None
    assert list(body["steps"]) == ["stats"]
    run = found.follow("r", "job", 2, {"orders": ("home", "trades")})
    assert run.source_watermarks_us == {}
    renamed = {"totals": StepState(rows=5, bytes=100, late=0)}
    found.apply(first_batch(20, 15, 1, 1).model_copy(update={"epoch": 2, "steps": renamed}))
    body = found.payload("r", 20 * S)
    assert body is not None
    assert list(body["steps"]) == ["totals"]
