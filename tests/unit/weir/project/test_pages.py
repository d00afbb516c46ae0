"""Health, the frontend's page, headers, and errors as problem details."""

from pathlib import Path

import pytest
from django.db import connection
from pytest_django import Settings

from tests.support.users import client_of, create_user
from weir.clusters.models import Cluster

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def test_health(db: None) -> None:
    assert client_of().get("/healthz").json() == {"status": "ok"}
    ready = client_of().get("/readyz")
    assert (ready.status_code, ready.json()["checks"]["default"], ready.json()["checks"]["results"]) == (
        200,
        True,
        True,
    )


@pytest.mark.django_db(databases=["default", "results"], transaction=True)
def test_databases_without_tables_are_not_ready() -> None:
    table = Cluster._meta.db_table
    with connection.schema_editor() as editor:
        editor.alter_db_table(Cluster, table, f"{table}_away")
    try:
        answer = client_of().get("/readyz")
    finally:
        with connection.schema_editor() as editor:
            editor.alter_db_table(Cluster, f"{table}_away", table)
    assert (answer.status_code, answer.json()["checks"]) == (
        503,
        {"default": False, "results": True, "broker": None},
    )


@pytest.mark.parametrize("path", ["/", "/jobs", "/jobs/1/live?tab=lag", "/sign-in"])
def test_the_frontend_gets_every_other_address(settings: Settings, tmp_path: Path, path: str) -> None:
    (tmp_path / "index.html").write_text("<!doctype html>")
    settings.FRONTEND_DIST = tmp_path
    answer = client_of().get(path)
    assert (answer.status_code, answer.content) == (200, b"<!doctype html>")
    assert "csrftoken" in answer.cookies


def test_a_frontend_that_is_not_built_says_how(settings: Settings, tmp_path: Path) -> None:
    settings.FRONTEND_DIST = tmp_path
    answer = client_of().get("/")
    assert answer.status_code == 503
    assert b"npm" in answer.content


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api", "/ws/x", "/static/missing.js"])
def test_addresses_of_the_system_are_never_the_frontend(path: str) -> None:
    assert client_of().get(path).status_code == 404


def test_headers(db: None) -> None:
    answer = client_of().get("/api/v1/session")
    assert "script-src 'self'" in answer["Content-Security-Policy"]
    assert "unsafe-eval" not in answer["Content-Security-Policy"]
    assert (answer["X-Frame-Options"], answer["X-Content-Type-Options"], answer["Cache-Control"]) == (
        "DENY",
        "nosniff",
        "no-store",
    )


@pytest.mark.parametrize(
    ("host", "secure", "socket"),
    [("localhost:8400", False, "ws://localhost:8400"), ("localhost", True, "wss://localhost")],
)
def test_a_page_connects_to_its_own_address_alone(db: None, host: str, secure: bool, socket: str) -> None:
    policy = client_of().get("/api/v1/session", HTTP_HOST=host, secure=secure)["Content-Security-Policy"]
    (connect,) = [part.strip() for part in policy.split(";") if "connect-src" in part]
    assert connect == f"connect-src 'self' {socket}"


@pytest.mark.parametrize("host", ["evil.example", "localhost;script-src *", "localhost, evil.example", "a b"])
def test_a_foreign_host_writes_nothing_into_the_policy(db: None, host: str) -> None:
    answer = client_of().get("/api/v1/session", HTTP_HOST=host)
    assert answer.status_code == 400
    assert "connect-src 'self'" in answer["Content-Security-Policy"].split("; ")


def test_a_foreign_host_is_refused(db: None) -> None:
    for path in ("/", "/api/v1/session", "/healthz/"):
        assert client_of().get(path, SERVER_NAME="evil.example").status_code == 400


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_probes_and_prometheus_may_come_to_any_address(db: None, path: str) -> None:
    assert client_of().get(path, HTTP_HOST="10.1.2.3:8400").status_code == 200


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        ("{", "application/json", 400),
        ("x=1", "application/x-www-form-urlencoded", 415),
        ('{"username": 1}', "application/json", 400),
    ],
)
def test_bad_bodies_are_problems(db: None, body: str, kind: str, status: int) -> None:
    answer = client_of(create_user("ann")).post("/api/v1/tokens", body, content_type=kind)
    assert (answer.status_code, answer["Content-Type"], answer.json()["status"]) == (
        status,
        "application/problem+json",
        status,
    )


def test_answers_with_data_are_kept_nowhere(db: None) -> None:
    assert {
        client_of().get(path)["Cache-Control"] for path in ("/api/v1/session", "/registry/ops/subjects")
    } == {"no-store"}
