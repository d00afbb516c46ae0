import pytest

from weir.lag.models import CurrentLag, LagPoint
from weir.lag.services.history import delete_lag, purge_expired, record
from weir.retention import LAG_HISTORY_RETENTION_US

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]


def test_a_tick_is_a_point_and_the_present() -> None:
    for at in (1, 2):
        record([LagPoint(job_id="j", at_us=at, lag_records=at)], {"j": {"sources": {"n": at}}}, at)
    assert list(LagPoint.objects.order_by("at_us").values_list("lag_records", flat=True)) == [1, 2]
    now = CurrentLag.objects.get()
    assert (now.at_us, now.payload) == (2, {"sources": {"n": 2}})


def test_an_hour_is_kept() -> None:
    record(
        [LagPoint(job_id="j", at_us=at) for at in (0, 1, LAG_HISTORY_RETENTION_US)],
        {},
        LAG_HISTORY_RETENTION_US,
    )
    assert purge_expired(LAG_HISTORY_RETENTION_US + 1) == 1
    assert list(LagPoint.objects.order_by("at_us").values_list("at_us", flat=True)) == [
        1,
        LAG_HISTORY_RETENTION_US,
    ]
    delete_lag("j")
    assert not LagPoint.objects.exists()
