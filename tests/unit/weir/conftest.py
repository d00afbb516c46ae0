"""Tests of the web service without brokers: commands go to a queue in memory."""

import pytest
from django.core.cache import cache, caches
from pytest_django import Settings

from tests.support.users import create_user, workspace_of
from weir.clusters.services import system_topics
from weir.schemas.services import schema_publisher
from weir.workspaces.models import User, Workspace

MEMORY = "django.core.cache.backends.locmem.LocMemCache"


@pytest.fixture(autouse=True)
def _in_one_process(queue_in_memory: None, quick_passwords: None) -> None:
    """As all tests here need."""


@pytest.fixture(autouse=True)
def _nothing_remembered(settings: Settings) -> None:
    settings.CACHES = {
        name: {**one, "BACKEND": MEMORY, "LOCATION": name, "OPTIONS": {}}
        for name, one in settings.CACHES.items()
    }
    for one in caches.all(initialized_only=True):
        one.clear()
    cache.clear()
    caches["shared"].clear()


@pytest.fixture(autouse=True)
def _no_broker_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_topics, "_FLUSH_S", 0.0)


@pytest.fixture(autouse=True)
def told_schemas(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes | None]:
    """What engines were told of schemas, by key; no broker hears it."""
    told: dict[str, bytes | None] = {}
    monkeypatch.setattr(schema_publisher, "publish", lambda topic, values: told.update(values))
    monkeypatch.setattr(schema_publisher, "_topic", schema_publisher._Topic())
    return told


@pytest.fixture
def owner(db: None) -> User:
    return create_user("ann")


@pytest.fixture
def workspace(owner: User) -> Workspace:
    return workspace_of(owner)
