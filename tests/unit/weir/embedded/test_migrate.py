"""What a start does to databases that were made in another place."""

from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from weir.embedded import migrate
from weir.runs.models import Engine, EngineHost

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("database_url", ["", "postgresql://db/weir"])
def test_engines_of_a_machine_of_another_name_get_the_queue_of_this_one(
    database_url: str, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody would serve the one that they have. An external database may have other hosts."""
    settings.HOST_QUEUE, settings.CHECKPOINT_URL = "engines.new", tmp_path.as_uri()
    monkeypatch.setenv("WEIR_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setattr(migrate, "environment", lambda _: {})
    monkeypatch.setattr(migrate, "call_command", lambda *_, **__: None)
    EngineHost.objects.create(queue="engines.old", heard_at=timezone.now(), cores=4)
    for name, standby in (("shared-1", False), ("shared-2", True)):
        Engine.objects.create(
            id=name,
            kind="shared",
            host_queue="engines.old",
            slots=4,
            state="ready",
            ready=True,
            standby=standby,
        )
    migrate.main()
    moves = not database_url
    assert set(Engine.objects.values_list("host_queue", flat=True)) == {
        "engines.new" if moves else "engines.old"
    }
    assert EngineHost.objects.exists() != moves
    assert Engine.objects.get(standby=True).ready != moves, "it ended with the others"
