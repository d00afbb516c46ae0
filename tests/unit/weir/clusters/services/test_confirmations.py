"""What failed of a request's records, and why."""

from confluent_kafka import KafkaError

from tests.support.fake_topic import Record
from weir.clusters.services.confirmations import Confirmations

OF_ANOTHER = KafkaError(KafkaError._INVALID_DIFFERENT_RECORD)
REFUSED = KafkaError(KafkaError.INVALID_RECORD)


def test_failures_are_of_their_records() -> None:
    found = Confirmations(3)
    found.callback(2)(REFUSED, None)
    found.callback(0)(None, Record(1, 7, None, None))
    assert (found.coordinates, found.failures) == ([(1, 7), None, None], {2: REFUSED})


def test_the_cause_is_the_record_that_was_refused_and_not_one_that_was_in_its_batch() -> None:
    found = Confirmations(3)
    assert found.cause is None
    found.callback(0)(OF_ANOTHER, None)
    assert found.cause == OF_ANOTHER
    found.callback(1)(REFUSED, None)
    assert found.cause == REFUSED
