"""A producer whose transaction stays open, as that of a program that hangs."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from confluent_kafka import Producer


@contextmanager
def open_transaction(bootstrap: str) -> Iterator[Producer]:
    """What it writes is not committed; it is aborted at the end."""
    made = Producer({"bootstrap.servers": bootstrap, "transactional.id": uuid.uuid4().hex, "log_level": 0})
    made.init_transactions(60)
    made.begin_transaction()
    yield made
    made.abort_transaction(60)
