"""The hub's housekeeping goes on whatever a part of it does."""

import asyncio
from typing import Any, cast

import pytest

from weir.live import hub as module
from weir.live.control_topics import ControlTopics
from weir.live.hub import Hub
from weir.live.logs_channel import LogsChannel

pytestmark = pytest.mark.django_db(databases=["default", "results"], transaction=True)


class Checked:
    """A connection that is looked after."""

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails
        self.checks = 0
        self.again = asyncio.Event()

    def check(self) -> bool:
        self.checks += 1
        if self.checks > 2:
            self.again.set()
        assert not self.fails
        return True

    def release(self) -> None:
        """It ends with the hub."""


async def test_a_defect_in_one_connection_or_in_the_logs_is_none_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def nothing(_: ControlTopics) -> None:
        """No broker is asked."""

    def fail(_: LogsChannel) -> None:
        raise KeyError("run")

    monkeypatch.setattr(module, "TICK_INTERVAL_S", 0.01)
    monkeypatch.setattr(ControlTopics, "tick", nothing)
    monkeypatch.setattr(LogsChannel, "tick", fail)
    hub = Hub()
    broken, sound = Checked(fails=True), Checked()
    hub.connections |= cast("Any", {broken, sound})
    async with asyncio.timeout(20):
        await broken.again.wait()
        await sound.again.wait()
    await hub.close()
