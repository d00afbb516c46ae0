"""One person's work takes turns; nobody waits for another person."""

import asyncio
import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections, transaction

from tests.support.processes import wait_until
from weir.workspaces.errors import BusyError
from weir.workspaces.services import turns as turns_module
from weir.workspaces.services.turns import ThreadTurns, Turns


async def test_a_person_has_so_many_turns_at_a_time() -> None:
    turns, running, most = Turns(2), 0, 0

    async def work() -> None:
        nonlocal running, most
        async with turns.of(1):
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            running -= 1

    await asyncio.gather(*(work() for _ in range(10)))
    assert most == 2


async def test_others_do_not_wait() -> None:
    turns = Turns(1)
    async with turns.of(1), asyncio.timeout(5), turns.of(2):
        pass


async def test_a_person_whose_work_is_done_is_forgotten() -> None:
    turns = Turns(1)
    async with turns.of(1):
        pass
    gc.collect()
    assert not turns._of_person


def test_threads_of_a_person_take_turns_and_others_do_not_wait() -> None:
    turns, lock, running, most = ThreadTurns(2, waiting=20), threading.Lock(), 0, 0
    others = threading.Event()

    def work(_: int) -> None:
        nonlocal running, most
        with turns.of(1):
            with lock:
                running += 1
                most = max(most, running)
            assert others.wait(20)
            with lock:
                running -= 1

    with ThreadPoolExecutor(10) as pool:
        found = pool.map(work, range(10))
        wait_until(lambda: running == 2, 20, "the first two have their turns")
        with turns.of(2):
            others.set()
        assert list(found) == [None] * 10
    assert most == 2


def test_whoever_exceeds_the_places_is_told_at_once() -> None:
    turns = ThreadTurns(1, waiting=0)
    with turns.of(1), pytest.raises(BusyError, match="Too many requests"), turns.of(1):
        pass
    with turns.of(1):
        pass


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_who_waits_holds_no_connection_to_the_database() -> None:
    """On PostgreSQL a process has a few: one person's waiting requests took those of all others."""
    turns, held, used_again = ThreadTurns(1, waiting=1), [], []

    def request() -> None:
        connection.ensure_connection()
        held.append(connections["default"])
        with turns.of(1):
            used_again.append(_one())
        connection.close()

    thread = threading.Thread(target=request)
    with turns.of(1):
        thread.start()
        wait_until(lambda: bool(held) and held[0].connection is None, 20, "its connection is closed")
    thread.join(20)
    assert used_again == [1]


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_a_turn_that_is_free_costs_no_connection() -> None:
    connection.ensure_connection()
    before = connection.connection
    with ThreadTurns(1, waiting=1).of(1):
        assert connection.connection is before


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_who_waits_within_a_transaction_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns_module, "WAIT_S", 0.01)
    turns = ThreadTurns(1, waiting=1)
    with turns.of(1), transaction.atomic():
        with pytest.raises(BusyError), turns.of(1):
            pass
        assert _one() == 1


def _one() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return int(cursor.fetchone()[0])


def test_waiting_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns_module, "WAIT_S", 0.01)
    turns = ThreadTurns(1, waiting=1)
    with turns.of(1), pytest.raises(BusyError), turns.of(1):
        pass
    with turns.of(1):
        pass
