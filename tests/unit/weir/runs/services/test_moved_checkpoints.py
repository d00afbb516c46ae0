"""Jobs find their checkpoints after these were moved, with their data folder or to another store."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from tests.support.run_factories import job_of, running, trades
from weir.runs.models import Generation, Run
from weir.runs.services.moved_checkpoints import find_moved, move_from
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(owner: User, workspace: Workspace) -> Run:
    trades(workspace)
    return running(job_of(workspace, owner))


def checkpoint(run: Run, url: str | None = None) -> str:
    """The address of the run's checkpoint; first another one, where it is given."""
    if url is not None:
        Generation.objects.filter(pk=run.generation_id).update(checkpoint=url)
    return Generation.objects.get(pk=run.generation_id).checkpoint


def test_a_data_folder_that_was_moved(run: Run, settings: Settings, tmp_path: Path) -> None:
    settings.CHECKPOINT_URL = f"file://{tmp_path}/new/checkpoints"
    (tmp_path / "new/checkpoints/ops/4f2c/1").mkdir(parents=True)
    checkpoint(run, f"file://{tmp_path}/old/checkpoints/ops/4f2c/1")
    assert find_moved() == 1
    assert checkpoint(run) == f"file://{tmp_path}/new/checkpoints/ops/4f2c/1"
    assert find_moved() == 0


def test_a_copy_leaves_the_original_alone(run: Run, settings: Settings, tmp_path: Path) -> None:
    settings.CHECKPOINT_URL = f"file://{tmp_path}/copy/checkpoints/"
    for place in ("original", "copy"):
        (tmp_path / place / "checkpoints/ops/4f2c/1").mkdir(parents=True)
    checkpoint(run, f"file://{tmp_path}/original/checkpoints/ops/4f2c/1")
    assert find_moved() == 1
    assert checkpoint(run) == f"file://{tmp_path}/copy/checkpoints/ops/4f2c/1"


def test_a_folder_of_another_case_is_another_one(run: Run, settings: Settings, tmp_path: Path) -> None:
    """SQLite, asked for texts that begin so, takes them for one."""
    settings.CHECKPOINT_URL = f"file://{tmp_path}/weir/checkpoints"
    for place in ("Weir", "weir"):
        (tmp_path / place / "checkpoints/ops/4f2c/1").mkdir(parents=True, exist_ok=True)
    original = f"file://{tmp_path}/Weir/checkpoints"
    checkpoint(run, f"{original}/ops/4f2c/1")
    assert move_from(original.replace("Weir", "WEIR")) == 0
    assert find_moved() == 1
    assert checkpoint(run) == f"file://{tmp_path}/weir/checkpoints/ops/4f2c/1"


@pytest.mark.parametrize("url", ["s3a://bucket/checkpoints/ops/4f2c/1", "file:///elsewhere/ops/4f2c/1"])
def test_what_is_not_in_the_folder_stays_where_it_is(
    run: Run, settings: Settings, tmp_path: Path, url: str
) -> None:
    settings.CHECKPOINT_URL = f"file://{tmp_path}/checkpoints"
    checkpoint(run, url)
    assert find_moved() == 0
    assert checkpoint(run) == url


@pytest.mark.parametrize("old", ["file:///old/checkpoints", "file:///old/checkpoints/"])
def test_another_store(run: Run, settings: Settings, old: str) -> None:
    settings.CHECKPOINT_URL = "s3a://bucket/checkpoints"
    checkpoint(run, "file:///old/checkpoints/ops/4f2c/1")
    said = StringIO()
    call_command("move_checkpoints", "--from", old, stdout=said)
    assert checkpoint(run) == "s3a://bucket/checkpoints/ops/4f2c/1"
    assert said.getvalue() == "1 generation has its checkpoint below s3a://bucket/checkpoints now.\n"


def test_only_what_was_there_is_moved(run: Run, settings: Settings) -> None:
    settings.CHECKPOINT_URL = "s3a://bucket/checkpoints"
    checkpoint(run, "file:///old/checkpoints-2/ops/4f2c/1")
    said = StringIO()
    call_command("move_checkpoints", "--from", "file:///old/checkpoints", stdout=said)
    assert checkpoint(run) == "file:///old/checkpoints-2/ops/4f2c/1"
    assert said.getvalue().startswith("0 generations have their checkpoints")
