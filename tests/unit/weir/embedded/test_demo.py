"""What a start of the system waits for, and goes on without."""

from pathlib import Path

import pytest
from pytest_django import Settings

from tests.support.run_factories import job_of
from weir.embedded import demo
from weir.runs.models import Engine
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def test_no_engine_is_waited_for_where_none_is_wanted(settings: Settings) -> None:
    settings.WARM_ENGINE = False
    demo.wait_for_engine(0)
    Engine.objects.create(id="shared-1", kind="shared", should_run=True)
    with pytest.raises(demo.SeedError):
        demo.wait_for_engine(0)


def test_a_later_start_goes_on_without_an_engine_and_says_so(owner: User, workspace: Workspace) -> None:
    Engine.objects.create(id="shared-1", kind="shared", should_run=True, state="failed")
    assert "the engine didn't start" in demo._wait_for_all([], 1)
    with pytest.raises(demo.SeedError):
        demo._wait_for_all([job_of(workspace, owner)], 1)


def test_a_later_start_waits_for_no_broker(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no topics to make; a broker that still loads, or is away for a while, stops nothing else."""
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(demo, "reachable", lambda _: "It is away.")
    monkeypatch.setattr(demo, "START_TIMEOUT_S", 0)
    with pytest.raises(demo.SeedError, match="It is away"):
        demo.seed()
    demo._marker().touch()
    assert demo.seed() == []
    assert demo.demo_user().username == "demo"
