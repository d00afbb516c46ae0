"""What moves an alert through its states."""

from weir.alerts.services.alert_states import FIRING, PENDING, Observation, OpenAlert

S = 1_000_000
MET = Observation(met=True, over=False)


def test_an_alert_fires_after_its_hold_also_when_the_clock_was_set_back() -> None:
    """By an hour; it fired an hour late."""
    at = 3_600 * S
    alert = OpenAlert("a", "r", "d", {}, "t", since_us=at, last_met_us=at)
    assert not alert.observe(MET, at, hold_us=60 * S)
    assert not alert.observe(MET, 0, hold_us=60 * S)
    assert not alert.observe(MET, 59 * S, hold_us=60 * S)
    assert alert.state == PENDING
    assert alert.observe(MET, 60 * S, hold_us=60 * S)
    assert alert.state == FIRING
