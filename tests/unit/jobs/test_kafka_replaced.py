"""How long a client that was replaced is kept."""

import weakref

import pytest

from jobs import kafka_replaced
from tests.support.processes import wait_until


class Client:
    """Whatever can be referred to weakly."""


def test_it_is_kept_for_a_while_and_then_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka_replaced, "KEPT_S", 2.0)
    client = Client()
    known = weakref.ref(client)
    kafka_replaced.keep_for_answers(client)
    del client
    assert known() is not None
    wait_until(lambda: known() is None, 10, "it is let go")
