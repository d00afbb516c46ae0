"""Facts of findings."""

from weir.diagnosis.services.finding import instant


def test_a_timestamp_that_no_datetime_can_hold_is_shown_as_the_last_one() -> None:
    """A producer that takes microseconds for milliseconds writes such Kafka timestamps."""
    fact = instant("Newest record", 1_750_000_000_000_000_000)
    assert fact.value == "9999-12-31T23:59:59.999999Z"
