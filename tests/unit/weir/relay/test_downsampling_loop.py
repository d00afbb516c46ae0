"""The loop that makes coarser points of history goes on, whatever happens."""

import threading

import pytest
from django.db import InterfaceError

from weir.relay import downsampling_loop
from weir.relay.downsampling_loop import DownsamplingLoop


def test_an_error_that_nobody_expects_does_not_end_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    stop, asked = threading.Event(), list[object]()

    def downsample(table: object, _: int) -> None:
        asked.append(table)
        if len(asked) == 2:
            stop.set()
        raise InterfaceError("connection already closed")

    monkeypatch.setattr(downsampling_loop, "INTERVAL_S", 0)
    monkeypatch.setattr(downsampling_loop, "downsample", downsample)
    thread = threading.Thread(target=DownsamplingLoop(stop).run)  # it closes the connections of its thread
    thread.start()
    thread.join()
    assert len(asked) == 2
