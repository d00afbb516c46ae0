"""Signing in: passwords, CSRF, throttle, tokens."""

from datetime import timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from tests.support.users import HOST, client_of
from weir.workspaces.models import ApiToken, User, Workspace
from weir.workspaces.roles import Right
from weir.workspaces.services import tokens
from weir.workspaces.services.tokens import create_token

pytestmark = pytest.mark.django_db
SESSION = "/api/v1/session"


def _browser() -> APIClient:
    client = APIClient(enforce_csrf_checks=True, SERVER_NAME=HOST)
    assert client.get(SESSION).status_code == 204
    client.credentials(HTTP_X_CSRFTOKEN=client.cookies["csrftoken"].value)
    return client


def test_a_password_signs_in_and_out(workspace: Workspace) -> None:
    client = _browser()
    answer = client.post(SESSION, {"username": "ann", "password": "a long passphrase"})
    assert answer.json() == {
        "user": {"id": workspace.memberships.get().user_id, "username": "ann", "display_name": "ann"},
        "workspaces": [{"slug": "ops", "name": "Ops", "role": "owner", "rights": list(Right)}],
        "invitations": [],
    }
    assert client.get(SESSION).status_code == 200
    client.credentials(HTTP_X_CSRFTOKEN=client.cookies["csrftoken"].value)
    assert client.delete(SESSION).status_code == 204
    assert client.get(SESSION).status_code == 204


def test_a_wrong_password_is_told_as_a_problem(owner: User) -> None:
    answer = _browser().post(SESSION, {"username": owner.username, "password": "wrong"})
    assert answer.status_code == 401
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["detail"] == "Incorrect username or password."


def test_a_forged_sign_in_is_refused(owner: User) -> None:
    client = APIClient(enforce_csrf_checks=True, SERVER_NAME=HOST)
    answer = client.post(SESSION, {"username": owner.username, "password": "a long passphrase"})
    assert (answer.status_code, answer.json()["code"]) == (403, "CSRF")


def test_guessing_is_throttled(owner: User) -> None:
    client = _browser()
    codes = [
        client.post(SESSION, {"username": owner.username, "password": "wrong"}).status_code for _ in range(22)
    ]
    assert codes[0] == 401
    assert codes[-1] == 429


def test_a_token_speaks_for_its_person(owner: User, workspace: Workspace) -> None:
    _, text = create_token(owner, "ci", timedelta(days=1))
    assert text.startswith("weir_")
    client = client_of()
    for scheme in ("Bearer", "Token", "bearer"):
        client.credentials(HTTP_AUTHORIZATION=f"{scheme} {text}")
        assert client.get(f"/api/v1/workspaces/{workspace.slug}/jobs").status_code == 200
        assert client.get(f"/registry/{workspace.slug}/subjects").status_code == 200
    assert text not in str(list(ApiToken.objects.values()))


def test_an_expired_or_revoked_token_is_nobody(owner: User) -> None:
    row, text = create_token(owner, "ci", timedelta(days=1))
    client = client_of()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    ApiToken.objects.filter(pk=row.pk).update(expiry=timezone.now() - timedelta(seconds=1))
    assert client.get("/api/v1/tokens").status_code == 401


def test_an_expired_token_is_listed_after_it_was_refused(owner: User) -> None:
    """Its person sees then why a program is refused."""
    row, text = create_token(owner, "nightly", timedelta(days=1))
    _, other = create_token(owner, "ci", timedelta(days=1))
    ApiToken.objects.filter(pk=row.pk).update(expiry=timezone.now() - timedelta(seconds=1))
    client = client_of()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    assert client.get("/api/v1/tokens").status_code == 401
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {other}")
    listed = client.get("/api/v1/tokens").json()["results"]
    assert [each["name"] for each in listed] == ["nightly", "ci"]


def test_a_person_has_so_many_tokens(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MAX_TOKENS", 2)
    row, _ = create_token(owner, "old", timedelta(days=1))
    create_token(owner, "ci", None)
    client = client_of(owner)
    assert client.post("/api/v1/tokens", {"name": "more"}).json()["code"] == "TOKEN_LIMIT"
    ApiToken.objects.filter(pk=row.pk).update(expiry=timezone.now() - timedelta(seconds=1))
    assert client.post("/api/v1/tokens", {"name": "more"}).status_code == 201


@pytest.mark.parametrize(
    "header",
    [
        "Token",
        "Token a b",
        "Token weir_é",
        "Token weir_0",
        "Bearer",
        "Bearer x",
        "Bearer weir_é",
        "Basic eDp5",
        "",
    ],
)
def test_a_wrong_header_is_nobody(db: None, header: str) -> None:
    client = client_of()
    client.credentials(HTTP_AUTHORIZATION=header)
    answer = client.get("/api/v1/tokens")
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")


def test_the_registry_asks_for_a_token_too(workspace: Workspace) -> None:
    answer = client_of().get("/registry/ops/subjects")
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer, Basic")


def test_tokens_are_made_listed_and_revoked_by_their_owner(owner: User) -> None:
    client = client_of(owner)
    made = client.post("/api/v1/tokens", {"name": "ci", "days": None})
    assert made.status_code == 201
    listed = client.get("/api/v1/tokens").json()["results"]
    assert [row["name"] for row in listed] == ["ci"]
    assert "token" not in listed[0]
    stranger = client_of(User.objects.create_user("eve"))
    assert stranger.delete(f"/api/v1/tokens/{listed[0]['id']}").status_code == 404
    assert client.delete(f"/api/v1/tokens/{listed[0]['id']}").status_code == 204


@pytest.mark.parametrize(("days", "status"), [(1, 201), (9, 201), (11, 422), (None, 422)])
def test_a_token_makes_none_that_outlives_it(owner: User, days: int | None, status: int) -> None:
    _, text = create_token(owner, "ci", timedelta(days=10))
    client = client_of()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    answer = client.post("/api/v1/tokens", {"name": "child", "days": days})
    assert answer.status_code == status
    if status == 422:
        assert answer.json()["code"] == "TOKEN_OUTLIVES"
        assert ApiToken.objects.count() == 1


def test_what_a_token_made_is_revoked_with_it(owner: User) -> None:
    row, text = create_token(owner, "ci", None)
    client = client_of()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    child = client.post("/api/v1/tokens", {"name": "child", "days": 1}).json()["token"]
    client_of(owner).delete(f"/api/v1/tokens/{row.token_key}")
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {child}")
    assert client.get("/api/v1/tokens").status_code == 401
