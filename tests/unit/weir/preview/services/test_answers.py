"""The reader of answers, where it ends."""

import threading
from typing import Any

import pytest

from weir.preview.services import answers
from weir.preview.services.answers import Answers
from weir.workspaces.errors import UnreachableError


class _Broken:
    """A client whose first read fails as nobody expected."""

    def __init__(self, ended: threading.Event) -> None:
        self._ended = ended

    def assign(self, partitions: Any) -> None:
        pass

    def poll(self, timeout: float) -> None:
        raise MemoryError

    def close(self) -> None:
        self._ended.set()


def test_after_a_reader_that_failed_the_next_ask_starts_another(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[threading.Event] = []

    def consumer(profile: Any, **options: Any) -> _Broken:
        made.append(threading.Event())
        return _Broken(made[-1])

    monkeypatch.setattr(answers, "consumer", consumer)
    monkeypatch.setattr(answers, "watermarks", lambda profile, topics: {("weir.answers", 0): (0, 5)})
    waited = Answers()
    for number in (1, 2):
        with waited.waiting(f"ask-{number}") as one:
            assert len(made) == number
            assert made[-1].wait(30)
            with pytest.raises(UnreachableError, match="can't be read from Kafka"):
                one.wait(30)  # at once, and no engine is called silent
