"""Where nothing makes a demo, an administrator makes the first workspace and the accounts by commands."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings
from rest_framework.test import APIClient

from tests.support.users import HOST
from weir.workspaces.models import Membership, User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def printed(*command: str, **options: object) -> str:
    out = StringIO()
    call_command(*command, stdout=out, **options)
    return out.getvalue().strip()


def signed_in(link: str) -> APIClient:
    client = APIClient(SERVER_NAME=HOST)
    assert client.get(link.removeprefix("https://weir.example"))["Location"] == "/"
    return client


@pytest.fixture(autouse=True)
def _address(settings: Settings) -> None:
    settings.PUBLIC_URL = "https://weir.example"


def test_the_first_owner_of_the_first_workspace_gets_in() -> None:
    link = printed("create_workspace", "ops", owner="ann")
    assert link.startswith("https://weir.example/sign-in/")
    (found,) = signed_in(link).get("/api/v1/session").json()["workspaces"]
    assert (found["slug"], found["name"], found["role"]) == ("ops", "ops", "owner")
    assert not User.objects.get(username="ann").has_usable_password()


def test_an_owner_may_have_an_account_already(owner: User) -> None:
    printed("create_workspace", "labs", owner=owner.username, name="The labs")
    assert User.objects.get() == owner
    assert owner.check_password("a long passphrase")
    assert Membership.objects.get(user=owner).workspace.name == "The labs"


@pytest.mark.parametrize(
    ("slug", "username", "text"),
    [
        ("ops", "eve", "'ops' is taken"),
        ("Big Data", "eve", "lowercase letters"),
        ("x" * 64, "eve", "lowercase letters"),
        ("labs", "e v e", "valid username"),
        ("labs", "", "blank"),
        ("labs", "gone", "Unknown username 'gone'"),
    ],
)
def test_nothing_is_made_by_half(workspace: Workspace, slug: str, username: str, text: str) -> None:
    User.objects.create_user(username="gone", is_active=False)
    before = User.objects.count()
    with pytest.raises(CommandError, match=text):
        printed("create_workspace", slug, owner=username)
    assert (User.objects.count(), Workspace.objects.get()) == (before, workspace)


def test_who_was_invited_gets_an_account_by_a_link() -> None:
    with pytest.raises(CommandError, match="--create"):
        printed("sign_in_link", "bob")
    assert not User.objects.exists()
    link = printed("sign_in_link", "bob", create=True)
    assert signed_in(link).get("/api/v1/session").json()["user"]["username"] == "bob"
    printed("sign_in_link", "bob", create=True)
    assert User.objects.count() == 1
