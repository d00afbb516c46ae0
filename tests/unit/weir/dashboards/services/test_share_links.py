"""Links: what opens them, what ends them, and what they show at any moment."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.support.dashboard_documents import document_of, line_panel, number_panel
from tests.support.run_factories import job_of
from tests.support.users import create_user, workspace_of
from weir.dashboards.models import Dashboard, ShareLink, ShareTicket
from weir.dashboards.services import share_links as module
from weir.dashboards.services.dashboards import change_dashboard, create_dashboard, delete_dashboard
from weir.dashboards.services.purge import purge
from weir.dashboards.services.share_links import (
    create_link,
    create_share_ticket,
    links_of,
    open_link,
    redeem_share_ticket,
    revoke_link,
)
from weir.dashboards.services.shared_outputs import shared_outputs
from weir.runs.models import Job
from weir.runs.services.deletion import delete_job
from weir.workspaces.errors import NotFoundError, ServiceError
from weir.workspaces.models import Event, User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


@pytest.fixture
def job(workspace: Workspace, owner: User) -> Job:
    return job_of(workspace, owner)


@pytest.fixture
def dashboard(workspace: Workspace, owner: User, job: Job) -> Dashboard:
    return create_dashboard(workspace, owner, "floor", document_of(number_panel(job.pk)))


@pytest.fixture
def made(dashboard: Dashboard, owner: User) -> tuple[ShareLink, str]:
    return create_link(dashboard, owner, " lobby ", 7)


def end(link: ShareLink, how: str, owner: User) -> None:
    """End a link in this way."""
    if how == "expired":
        ShareLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif how == "revoked":
        revoke_link(link.dashboard, link.pk, owner)
    else:
        delete_dashboard(link.dashboard, owner)


ENDS = ["expired", "revoked", "dashboard deleted"]


def test_a_token_opens_its_dashboard_and_is_not_stored(
    made: tuple[ShareLink, str], dashboard: Dashboard
) -> None:
    _, token = made
    assert open_link(token).dashboard == dashboard
    stored = ShareLink.objects.values().get()
    assert stored["last_used_at"] is not None
    assert stored["note"] == "lobby"
    assert token not in str(stored)
    assert len(token) > 40
    assert Event.objects.filter(text="Link to dashboard floor created, expires in 7 d").exists()


@pytest.mark.parametrize("how", ENDS)
def test_what_ended_opens_nothing(made: tuple[ShareLink, str], owner: User, how: str) -> None:
    link, token = made
    ticket = create_share_ticket(link)
    end(link, how, owner)
    with pytest.raises(NotFoundError) as ended:
        open_link(token)
    with pytest.raises(NotFoundError) as unknown:
        open_link("x" * 43)
    assert ended.value.detail == unknown.value.detail
    assert redeem_share_ticket(ticket) is None
    assert shared_outputs([link.pk]) == {}


def test_a_ticket_works_once_and_not_for_long(made: tuple[ShareLink, str]) -> None:
    link, _ = made
    ticket = create_share_ticket(link)
    assert redeem_share_ticket(ticket) == link.pk
    assert redeem_share_ticket(ticket) is None
    late = create_share_ticket(link)
    ShareTicket.objects.update(expires_at=timezone.now())
    assert redeem_share_ticket(late) is None


@pytest.mark.parametrize("days", [0, 91])
def test_a_link_has_an_end_within_ninety_days(dashboard: Dashboard, owner: User, days: int) -> None:
    with pytest.raises(ServiceError, match="1 to 90 days"):
        create_link(dashboard, owner, "", days)


def test_there_are_so_many_links(dashboard: Dashboard, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LINKS", 1)
    link, _ = create_link(dashboard, owner, "", 1)
    with pytest.raises(ServiceError) as caught:
        create_link(dashboard, owner, "", 1)
    assert caught.value.code == "LINK_LIMIT"
    revoke_link(dashboard, link.pk, owner)
    assert create_link(dashboard, owner, "", 1)


def test_revoking_leaves_one_line_and_the_link_in_the_list(
    made: tuple[ShareLink, str], dashboard: Dashboard, owner: User
) -> None:
    link, _ = made
    for _ in range(2):
        revoke_link(dashboard, link.pk, owner)
    assert Event.objects.filter(text="Link to dashboard floor revoked").count() == 1
    assert not links_of(dashboard).get().is_live
    other = create_dashboard(dashboard.workspace, owner, "other", {})
    with pytest.raises(NotFoundError):
        revoke_link(other, link.pk, owner)


def test_a_link_shows_what_the_dashboard_shows_now(
    made: tuple[ShareLink, str], dashboard: Dashboard, owner: User, job: Job
) -> None:
    link, _ = made
    assert shared_outputs([link.pk])[link.pk].jobs == {job.pk}
    change_dashboard(dashboard, owner, "floor", document_of(), 1)
    assert shared_outputs([link.pk])[link.pk].jobs == frozenset()
    change_dashboard(dashboard, owner, "floor", document_of(line_panel(job.pk)), 2)
    assert shared_outputs([link.pk])[link.pk].jobs == {job.pk}
    delete_job(job, owner)
    assert shared_outputs([link.pk])[link.pk].jobs == frozenset()


def test_a_job_of_another_workspace_is_never_shown(
    made: tuple[ShareLink, str], dashboard: Dashboard, job: Job
) -> None:
    # No service stores such a document; should one ever be stored, the link still shows nothing of it.
    eve = create_user("eve")
    foreign = job_of(workspace_of(eve, "labs"), eve)
    Dashboard.objects.update(document=document_of(number_panel(job.pk), number_panel(foreign.pk, "f")))
    assert shared_outputs([made[0].pk])[made[0].pk].jobs == {job.pk}


def test_links_that_ended_are_deleted_later(made: tuple[ShareLink, str], owner: User) -> None:
    link, _ = made
    create_share_ticket(link)
    ShareTicket.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    revoke_link(link.dashboard, link.pk, owner)
    purge()
    assert ShareLink.objects.exists()
    assert not ShareTicket.objects.exists()
    ShareLink.objects.update(revoked_at=timezone.now() - timedelta(days=31))
    purge()
    assert not ShareLink.objects.exists()
