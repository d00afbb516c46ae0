"""When a start may leave out migrating."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from weir.embedded.layout import Layout, read_layout
from weir.embedded.migrations_stamp import is_migrated, remember


@pytest.fixture
def layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    for name in ("DATABASE_URL", "RESULTS_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in ("weir.sqlite3", "results.sqlite3"):
        database(tmp_path / name, "0001_initial", "0002_more")
    return read_layout({"WEIR_DATA_DIR": str(tmp_path)})


def database(file: Path, *migrations: str) -> None:
    file.unlink(missing_ok=True)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE django_migrations (app TEXT, name TEXT)")
        connection.executemany(
            "INSERT INTO django_migrations VALUES ('runs', ?)", [(one,) for one in migrations]
        )


def test_databases_that_were_migrated_are_not_again(layout: Layout) -> None:
    assert not is_migrated(layout)
    remember(layout)
    assert is_migrated(layout)


@pytest.mark.parametrize("name", ["weir.sqlite3", "results.sqlite3"])
def test_one_from_before_an_upgrade_is_migrated(layout: Layout, name: str) -> None:
    remember(layout)
    database(layout.data / name, "0001_initial")
    assert not is_migrated(layout)
    (layout.data / name).unlink()
    assert not is_migrated(layout)


def test_what_another_server_has_is_not_known(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://db/weir")
    remember(layout)
    assert not is_migrated(layout)


def test_under_another_queue_of_the_host_they_are_prepared_again(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their engines get it."""
    monkeypatch.setenv("WEIR_HOST_QUEUE", "engines.old")
    remember(layout)
    assert is_migrated(layout)
    monkeypatch.setenv("WEIR_HOST_QUEUE", "engines.new")
    assert not is_migrated(layout)
