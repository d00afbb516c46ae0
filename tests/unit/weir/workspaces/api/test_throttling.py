"""Rates of requests: by address for who is nobody yet, by person for the others, never by
what a header says.
"""

from types import SimpleNamespace
from typing import Any

import pytest
from django.core.cache import caches
from pytest_django import Settings
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from tests.support.users import client_of, create_user
from tests.unit.weir.project.test_strangers import all_views
from weir.workspaces.api import throttling
from weir.workspaces.api.throttling import SharedThrottle
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _small(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three a minute, and no other minute begins."""
    settings.RATES_PER_MINUTE = dict.fromkeys(settings.RATES_PER_MINUTE, 3)
    monkeypatch.setattr(throttling, "time", SimpleNamespace(time=lambda: 1_800_000_030.0))


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", "/api/v1/session", {"username": "x", "password": "y"}),
        ("get", "/sign-in/nothing/", {}),
        ("post", "/api/v1/tokens", {"name": "ci"}),
        ("post", "/api/v1/workspaces/ops/live-ticket", {}),
    ],
)
def test_a_route_is_bounded(
    owner: User, workspace: Workspace, method: str, path: str, body: dict[str, Any]
) -> None:
    client = client_of(None if "session" in path or "sign-in" in path else owner)
    answers = [
        getattr(client, method)(path, body, HTTP_X_FORWARDED_FOR=f"198.51.100.{at}") for at in range(5)
    ]
    assert [answer.status_code == 429 for answer in answers] == [False] * 3 + [True] * 2
    assert 0 < int(answers[-1]["Retry-After"]) <= 60
    if "sign-in" not in path:
        assert answers[-1].json()["code"] == "THROTTLED"
    other = client_of(create_user("bob")) if "sign-in" not in path and "session" not in path else client_of()
    assert getattr(other, method)(path, body, REMOTE_ADDR="192.0.2.77").status_code != 429


def test_without_its_cache_nothing_is_refused_and_nothing_breaks(settings: Settings, owner: User) -> None:
    settings.CACHES = {
        **settings.CACHES,
        "shared": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:1/0",
        },
    }
    with pytest.raises(Exception, match="onnect"):
        caches["shared"].get("x")
    client = client_of(owner)
    assert [client.post("/api/v1/tokens", {"name": "ci"}).status_code for _ in range(5)] == [201] * 5


def test_no_view_counts_in_one_process_alone() -> None:
    throttles = {throttle for view in all_views() for throttle in view.throttle_classes}
    assert throttles == {SharedThrottle}


@pytest.mark.parametrize("view", all_views(), ids=lambda view: view.__name__)
def test_a_scope_has_a_rate(settings: Settings, view: type[APIView]) -> None:
    assert "get_throttles" not in vars(view) or issubclass(view, BaseThrottle)
    scope = getattr(view, "throttle_scope", None)
    assert scope is None or scope in settings.RATES_PER_MINUTE
