"""What a database must do for Weir, whichever it is; and what is said when it is away."""

import importlib
import json
import os
import socket
from pathlib import Path

import pytest
from django.db import OperationalError, connection, connections

from tests.support.run_factories import job_of
from tests.support.users import client_of
from weir.project import settings
from weir.runs.models import Engine, JobVersion
from weir.runs.services import queries
from weir.workspaces.models import User, Workspace

BRANCHES = """\
format: 1
name: routes
sources:
  trades: {stream: trades}
steps:
  sorted:
    op: branch
    input: trades
    branches: {expensive: price > 100, b: price > 10, aa: symbol = 'A'}
outputs:
  live: {input: sorted.expensive, to: result}
"""
ON_POSTGRESQL = pytest.mark.skipif(
    connections["default"].vendor != "postgresql", reason="what only PostgreSQL could do otherwise"
)

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]


def test_a_document_keeps_its_order(owner: User, workspace: Workspace) -> None:
    """The first branch that matches takes a row: another order is another job."""
    job = job_of(workspace, owner, BRANCHES)
    stored = JobVersion.objects.get(job=job).document["steps"]["sorted"]["branches"]
    assert list(stored) == ["expensive", "b", "aa"]


def test_options_of_an_address_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `sslmode` a certificate would not be looked at, and nobody would be told."""
    query = "sslmode=verify-full&sslrootcert=/ca.pem&connect_timeout=9&options=-c%20search_path%3Dweir"
    monkeypatch.setenv("SOME_URL", f"postgresql://u:p@db/weir?{query}")
    options = settings._database("SOME_URL", "some.sqlite3")["OPTIONS"]
    assert (options["sslmode"], options["sslrootcert"]) == ("verify-full", "/ca.pem")
    assert int(options["connect_timeout"]) == 9
    assert "statement_timeout=30000" in options["options"]
    assert options["options"].endswith("-c search_path=weir")
    assert options["pool"]["min_size"] == 0


def test_a_server_whose_packets_are_lost_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_URL", "postgresql://u:p@db/weir?keepalives_idle=60")
    options = settings._database("SOME_URL", "some.sqlite3")["OPTIONS"]
    assert options["tcp_user_timeout"] == 30_000
    assert (int(options["keepalives_idle"]), options["keepalives_interval"]) == (60, 5)


@ON_POSTGRESQL
def test_the_connections_that_are_made_give_such_a_server_up() -> None:
    connection.ensure_connection()
    made = connection.connection.pgconn
    with socket.socket(fileno=os.dup(made.socket)) as same:
        assert same.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 30_000
        assert same.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 5


@pytest.mark.parametrize("folder", ["c#/weir", "a?b=c", "c++", "50%25", "with space", "é"])
def test_sqlite_files_are_in_the_data_folder_whatever_its_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder: str
) -> None:
    """With `#` taken for the end of the path, both databases would be one file outside of it."""
    monkeypatch.delenv("UNSET_URL", raising=False)
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path / folder)
    assert settings._database("UNSET_URL", "x.sqlite3")["NAME"] == str(tmp_path / folder / "x.sqlite3")


def test_json_keeps_every_character() -> None:
    """Of a failure's message, for example, that quotes a record."""
    Engine.objects.create(id="e", failure={"message": "not a number: \0\u20ac"})
    assert Engine.objects.get().failure == {"message": "not a number: \0\u20ac"}


def test_json_is_compared_by_value() -> None:
    for number in range(3):
        Engine.objects.create(id=f"e-{number}", versions={"at": {"n": number, "of": [1, 2]}})
    found = Engine.objects.filter(versions__at__n=2).values_list("pk", flat=True)
    assert list(found) == ["e-2"]
    assert Engine.objects.filter(versions={"at": {"n": 1, "of": [1, 2]}}).get().pk == "e-1"
    Engine.objects.filter(pk="e-1").update(versions={})
    assert Engine.objects.get(pk="e-1").versions == {}


def test_a_database_that_does_not_answer_is_said(
    owner: User, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(queries, "jobs_of", refuse)
    answer = client_of(owner).get("/api/v1/workspaces/ops/engines")
    assert (answer.status_code, answer.json()["code"]) == (503, "DATABASE_AWAY")
    assert int(answer.headers["Retry-After"]) > 0
    assert "connection refused" not in json.dumps(answer.json())


@ON_POSTGRESQL
def test_columns_of_an_earlier_version_keep_order_from_now_on() -> None:
    with connection.cursor() as cursor:
        cursor.execute("""CREATE TABLE earlier (said jsonb); INSERT INTO earlier VALUES ('{"a": 1}')""")
        migration = importlib.import_module("weir.workspaces.migrations.0004_json_keeps_order")
        cursor.execute(migration.AS_JSON)
        cursor.execute("""INSERT INTO earlier VALUES ('{"bb": 1, "a": 2}')""")
        cursor.execute("SELECT said::text, pg_typeof(said)::text FROM earlier")
        assert cursor.fetchall() == [('{"a": 1}', "json"), ('{"bb": 1, "a": 2}', "json")]


@ON_POSTGRESQL
def test_changes_of_tables_may_take_longer_than_queries() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("30s",)
    with connection.schema_editor() as editor, editor.connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("0",)


@ON_POSTGRESQL
@pytest.mark.django_db(databases=["default", "results"], transaction=True)
def test_connections_that_died_in_the_pool_are_not_used(owner: User) -> None:
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
    connection.close()  # both wait in the pool
    other.close()
    with connections["results"].cursor() as cursor:  # of another database of the same server
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
            [connection.settings_dict["NAME"]],
        )
    assert User.objects.get().pk == owner.pk
