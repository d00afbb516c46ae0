"""Reports are read in flushes, which the change of a state ends."""

from contextlib import closing

import pytest

from tests.integration.live.conftest import Results
from tests.support.processes import wait_until
from tests.support.run_factories import state_report
from weir.relay import reports_reader

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]


@pytest.mark.timeout(240)
def test_a_state_does_not_wait_for_the_end_of_a_flush(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    results.report(state_report(results.run, "starting"))
    with closing(reports_reader.ReportsReader()) as reader:
        wait_until(lambda: reader.assign() or reader.read(), 60, "the first report is read")
        monkeypatch.setattr(reports_reader, "_FLUSH_INTERVAL_S", 3_600.0)
        results.report(state_report(results.run, "running"))
        (found,) = reader.read()
    assert b'"running"' in (found.value() or b"")
