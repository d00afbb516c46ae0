"""Two who change the receiver of a workspace at once."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import close_old_connections, connections, transaction
from pytest_django import Settings

from tests.support.database_locks import until_it_waits
from tests.support.run_factories import job_of, running
from tests.support.users import member
from weir.openlineage.models import LineageEvent, LineageReceiver
from weir.openlineage.services import outbox
from weir.openlineage.services.settings import delete_receiver, set_receiver
from weir.workspaces.models import Event, User, Workspace
from weir.workspaces.roles import Role

pytestmark = [
    pytest.mark.every_database,
    pytest.mark.django_db(databases=["default", "results"], transaction=True),
]


def test_the_second_of_two_changes_what_the_first_set(
    workspace: Workspace, owner: User, settings: Settings
) -> None:
    settings.PRIVATE_WEBHOOKS = True
    bob = member(workspace, "bob", Role.OWNER)

    def as_bob() -> str:
        try:
            return set_receiver(workspace, bob, "http://127.0.0.1:9/bob", "", None, enabled=True).url
        finally:
            close_old_connections()
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            set_receiver(workspace, owner, "http://127.0.0.1:9/ann", "", "k", enabled=True)
            second = pool.submit(as_bob)
            until_it_waits(second)
        assert second.result(60) == "http://127.0.0.1:9/bob"
    assert LineageReceiver.objects.get().url == "http://127.0.0.1:9/bob"
    events = Event.objects.filter(kind="lineage").order_by("id")
    assert [(event.actor, event.action) for event in events] == [("ann", "created"), ("bob", "changed")]


def test_a_receiver_is_deleted_behind_the_event_that_a_run_notes(
    workspace: Workspace, owner: User, settings: Settings
) -> None:
    settings.PRIVATE_WEBHOOKS = True
    run = running(job_of(workspace, owner))
    receiver = set_receiver(workspace, owner, "http://127.0.0.1:9/ann", "", "k", enabled=True)

    def delete() -> str:
        try:
            delete_receiver(receiver, owner)
            return "deleted"
        finally:
            close_old_connections()
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            outbox.note(run, "failed", "x")
            second = pool.submit(delete)
            until_it_waits(second)
        assert second.result(60) == "deleted"
    assert not LineageReceiver.objects.exists()
    assert not LineageEvent.objects.exists()
