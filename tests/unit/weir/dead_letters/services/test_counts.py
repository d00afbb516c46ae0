"""Counts are exact however often a report is read."""

from datetime import timedelta

import pytest

from jobs.base.durations import parse_duration
from jobs.base.instants import Instant, datetime_of
from jobs.kafka_messages import ValidatedRange
from tests.support.users import client_of
from tests.support.validator_factories import create_validator, report, run_of
from weir.dead_letters.models import CountedRange, Validator
from weir.dead_letters.services.counts import compact_counts, counted_ends, record_counts
from weir.relay.reports import apply
from weir.retention import HOURLY_COUNTS_RETENTION
from weir.runs.models import Run
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
HOUR_US = parse_duration("1h").us
NOON = 1_750_000_000_000_000 // HOUR_US * HOUR_US


@pytest.fixture
def run(workspace: Workspace) -> Run:
    return run_of(create_validator(workspace))


def part(first: int, last: int, partition: int = 0, **malformed: int) -> ValidatedRange:
    return ValidatedRange(
        partition=partition,
        first=first,
        last=last,
        valid=last - first + 1 - sum(malformed.values()),
        malformed=malformed,
    )


def test_ranges_of_an_hour_are_one_row_and_a_new_hour_is_another(run: Run) -> None:
    record_counts(report(run, part(0, 9, NOT_JSON=2), part(5, 6, partition=1), at_us=NOON + 5))
    record_counts(report(run, part(10, 19, NOT_JSON=1, FIELD_TYPE=1), at_us=NOON + HOUR_US - 1))
    record_counts(report(run, part(25, 29), at_us=NOON + HOUR_US))
    rows = CountedRange.objects.filter(partition=0).order_by("first")
    assert [(row.first, row.last, row.valid, row.malformed) for row in rows] == [
        (0, 19, 16, 4),
        (25, 29, 5, 0),
    ]
    assert rows[0].reasons == {"NOT_JSON": 3, "FIELD_TYPE": 1}
    validator = Validator.objects.get()
    assert counted_ends(validator, "id-1") == {0: 30, 1: 7}
    assert counted_ends(validator, "another") == {}


def test_a_batch_done_again_and_a_report_read_again_change_nothing(run: Run) -> None:
    reports = [report(run, part(0, 9, NOT_JSON=2)), report(run, part(10, 19))]
    for again in (reports, reports[1:], reports):
        apply(list(again))
    row = CountedRange.objects.get()
    assert (row.last, row.valid, row.malformed) == (19, 18, 2)


def test_counts_of_a_run_that_nobody_knows_are_left(run: Run) -> None:
    record_counts(report(run, part(0, 9)).model_copy(update={"run_id": "nobody.1"}))
    assert not CountedRange.objects.exists()


def test_the_api_sums_them(run: Run, owner: User) -> None:
    record_counts(report(run, part(0, 9, NOT_JSON=2), part(0, 4, partition=1, FIELD_TYPE=1)))
    record_counts(report(run, part(0, 1), topic_id="recreated"))
    body = client_of(owner).get("/api/v1/workspaces/ops/streams/trades/validation").json()
    assert body["counts"] == {
        "records": 17,
        "valid": 14,
        "malformed": 3,
        "skipped": 0,
        "by_reason": [{"reason": "NOT_JSON", "records": 2}, {"reason": "FIELD_TYPE", "records": 1}],
    }
    assert (body["on"], body["observed"], body["dead_letter_topic"], body["index_pending"]) == (
        True,
        "running",
        f"weir.dead.{run.generation.job_id}",
        True,
    )
    assert sum(hour["records"] for hour in body["history"]) == 17


def test_what_was_counted_long_ago_becomes_one_row(run: Run, owner: User) -> None:
    """Sums, reasons and ends stay, and a report that is read again still changes nothing."""
    reports = [
        report(
            run,
            part(10 * n, 10 * n + 9, NOT_JSON=1),
            part(5 * n, 5 * n + 4, 1, FIELD_TYPE=n % 2),
            at_us=NOON + n * HOUR_US,
        )
        for n in range(60)
    ]
    for each in reports:
        record_counts(each)
    record_counts(report(run, part(0, 4), topic_id="before", at_us=NOON - HOUR_US))
    validator, client = Validator.objects.get(), client_of(owner)

    def counts() -> object:
        return client.get("/api/v1/workspaces/ops/streams/trades/validation").json()["counts"]

    before, ends = counts(), counted_ends(validator, "id-1")
    last = datetime_of(Instant(NOON + 59 * HOUR_US))
    assert compact_counts(last + HOURLY_COUNTS_RETENTION - timedelta(hours=24)) == 2 * 34
    assert CountedRange.objects.count() == 121 - 68
    assert (counts(), counted_ends(validator, "id-1")) == (before, ends)
    assert compact_counts(last + HOURLY_COUNTS_RETENTION - timedelta(hours=24)) == 0
    assert compact_counts(last + HOURLY_COUNTS_RETENTION + timedelta(hours=1)) == 121 - 68 - 3
    for each in (reports[-1], reports[0]):
        record_counts(each)
    assert (counts(), counted_ends(validator, "id-1"), CountedRange.objects.count()) == (before, ends, 3)
    record_counts(report(run, part(600, 609), at_us=NOON + 60 * HOUR_US))
    assert counted_ends(validator, "id-1")[0] == 610
