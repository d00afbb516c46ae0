import pytest

from weir.lag.models import CurrentLag, LagPoint
from weir.lag.services.history import delete_lag, record

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]


def test_a_look_is_the_point_of_its_time_and_the_present() -> None:
    for at_us, lag in ((1, 1), (1, 2), (10_000_001, 3)):
        point = LagPoint(job_id="j", resolution_s=10, at_us=at_us, lag_records=lag)
        record([point], {"j": {"sources": {"n": lag}}}, at_us)
    assert list(LagPoint.objects.order_by("at_us").values_list("lag_records", flat=True)) == [2, 3]
    now = CurrentLag.objects.get()
    assert (now.at_us, now.payload) == (10_000_001, {"sources": {"n": 3}})
    delete_lag("j")
    assert not LagPoint.objects.exists()
