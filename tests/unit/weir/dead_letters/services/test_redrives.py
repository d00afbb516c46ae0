"""Which dead letters a redrive takes when others come and go meanwhile."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from tests.support.validator_factories import create_validator
from weir.dead_letters.models import DeadLetter, Redrive, Validator
from weir.dead_letters.services import redrives
from weir.dead_letters.services.redrives import start_redrive
from weir.dead_letters.services.selection import Selection
from weir.streams.services.record_input import NewRecord
from weir.workspaces.errors import NotFoundError
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]
VALUE = b'{"symbol":"A","price":1.0,"at":1750000000000}'


@dataclass(frozen=True)
class Kept:
    """A record of the dead-letter topic, without what its validator said."""

    def headers(self) -> list[tuple[str, bytes]]:
        return []


@pytest.fixture
def validator(workspace: Workspace) -> Validator:
    return create_validator(workspace)


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """What happens while the topic is read."""
    found: list[Callable[[], object]] = []

    def fetch(_: object, row: DeadLetter) -> Any:
        for each in found:
            each()
        return Kept()

    monkeypatch.setattr(redrives, "dead_letter_topic_of", lambda _: None)
    monkeypatch.setattr(redrives, "fetch_message", fetch)
    return found


def letter(validator: Validator, offset: int) -> DeadLetter:
    return DeadLetter.objects.create(
        validator=validator,
        topic_id="id-1",
        partition=0,
        offset=offset,
        dead_partition=0,
        dead_offset=offset,
        timestamp=timezone.now(),
        reason="NOT_JSON",
        size=1,
    )


@pytest.mark.parametrize("replacement", [{"value": VALUE}, {"record": NewRecord(VALUE, b"a")}])
@pytest.mark.parametrize("selection", [Selection(reason="NOT_JSON"), Selection(everything=True)])
def test_a_replacement_goes_to_the_letter_that_was_looked_at(
    validator: Validator,
    owner: User,
    meanwhile: list[Callable[[], object]],
    selection: Selection,
    replacement: dict[str, Any],
) -> None:
    first = letter(validator, 1)
    meanwhile.append(lambda: letter(validator, 2))
    redrive = start_redrive(validator, owner, selection, target=validator.stream, rate=1, **replacement)
    assert redrive.total == 1
    queued = DeadLetter.objects.filter(state=DeadLetter.State.QUEUED)
    assert list(queued.values_list("pk", flat=True)) == [first.pk]


def test_a_replacement_of_a_letter_that_is_gone_makes_no_redrive(
    validator: Validator, owner: User, meanwhile: list[Callable[[], object]]
) -> None:
    first = letter(validator, 1)
    others = DeadLetter.objects.filter(pk=first.pk)
    meanwhile.append(lambda: others.update(state=DeadLetter.State.DISCARDED))
    with pytest.raises(NotFoundError, match="None are waiting"):
        start_redrive(
            validator, owner, Selection(ids=(first.pk,)), target=validator.stream, rate=1, value=VALUE
        )
    assert not Redrive.objects.exists()


@pytest.mark.django_db(databases=["default", "results"], transaction=True)
def test_nobody_waits_for_the_database_while_kafka_is_asked(
    validator: Validator, owner: User, meanwhile: list[Callable[[], object]]
) -> None:
    first, within = letter(validator, 1), list[bool]()
    meanwhile.append(lambda: within.append(connection.in_atomic_block))
    start_redrive(validator, owner, Selection(ids=(first.pk,)), target=validator.stream, rate=1, value=VALUE)
    assert within == [False]
