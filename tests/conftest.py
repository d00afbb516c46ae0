"""Fixtures of every test: real servers, started once per session when first asked for."""

from collections.abc import Iterator

import pytest
from django.conf import settings as project_settings
from django.contrib.contenttypes.management import create_contenttypes
from django.db import connection, connections
from django.db.models.signals import post_migrate
from hypothesis import HealthCheck
from hypothesis import settings as examples
from pytest_django import DjangoDbBlocker, Settings
from xdist.scheduler import LoadFileScheduling

from jobs.base.garbage import keep_loaded
from tests.support.cds_archive import share_class_data
from tests.support.file_sharing import FileSharing
from tests.support.java_options import QUICK_ENGINES
from tests.support.kafka_node import KafkaServer
from tests.support.patience import PATIENCE
from tests.support.system import System
from tests.support.valkey_node import ValkeyServer
from weir.embedded.install import frontend
from weir.project.celery import app


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadFileScheduling | None:
    """For ``--dist loadfile``; other ways to share tests out are xdist's own."""
    return FileSharing(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A test may take as much longer as its waits may."""
    for item in items:
        own = item.get_closest_marker("timeout")
        limit_s = float(own.args[0] if own else config.getini("timeout"))
        item.add_marker(pytest.mark.timeout(limit_s * PATIENCE), append=False)


# How long an example takes says something of the machine, and nothing of what is tested.
examples.register_profile("weir", deadline=None, suppress_health_check=[HealthCheck.too_slow])
examples.load_profile("weir")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The tests' databases. After a test with transactions they are emptied, and Django would make rows for
    permissions and content types again, which nothing in Weir reads and takes longer than most such tests.

    On PostgreSQL a table goes that django-rest-knox makes for the model that Weir's own replaces: Django does
    not know of it, and so can't empty what it refers to. At the end connections of threads that a test left,
    as asyncio's, are closed: a database that is in use can't be deleted.
    """
    post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")
    post_migrate.disconnect(create_contenttypes)
    if connection.vendor != "postgresql":
        yield
        return
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute("DROP TABLE knox_authtoken")
    yield
    with django_db_blocker.unblock():
        for each in connections.all():
            with each.cursor() as cursor:
                cursor.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )


@pytest.fixture
def queue_in_memory() -> Iterator[None]:
    """Commands wait in this process. Celery keeps its first connection, so one test that sent a command to a
    queue that is not there would make each command of all later ones wait for it for five seconds.
    """
    before = app.conf.broker_url
    app.conf.broker_url = "memory://"
    yield
    app.conf.broker_url = before


@pytest.fixture
def quick_passwords(settings: Settings) -> None:
    """Each person that a test makes would take a fifth of a second of processor time."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaServer]:
    """A real one-node Kafka; a test that kills it starts it again before it ends."""
    server = KafkaServer(tmp_path_factory.mktemp("kafka"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ValkeyServer]:
    """A real Valkey."""
    server = ValkeyServer(tmp_path_factory.mktemp("valkey"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """The system with every process; a test that kills one waits until it is back."""
    # Built first: the web process lists its static files once, at its start.
    frontend()
    settings = {"WEIR_PRIVATE_WEBHOOKS": "true"}  # tests' own receivers are on this machine
    running = System(tmp_path_factory.mktemp("system"), QUICK_ENGINES | settings)
    share_class_data(running.layout.data)
    try:
        running.start()
        yield running
    finally:
        running.stop()


def pytest_configure() -> None:
    """Static files are looked for when they are asked for: else each test's client would list them all, which
    takes longer than most requests.
    """
    project_settings.WHITENOISE_AUTOREFRESH = True


def pytest_collection_finish() -> None:
    """Leave what was collected out of garbage collection: it stays until the end."""
    keep_loaded()
