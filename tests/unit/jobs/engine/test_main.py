"""How the engine's process begins."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from jobs.connections import ClusterProfile
from jobs.engine import main, submit
from jobs.engine.session import open_session
from tests.support.desired_runs import engine_settings

FOLDER = Path(submit.__file__).parent


def test_no_module_beside_it_hides_one_of_python() -> None:
    """Spark runs entry.py as a script, so its folder comes first where Python looks for modules."""
    beside = {path.stem for path in FOLDER.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert not beside & sys.stdlib_module_names


def test_an_engine_that_cannot_warm_up_serves_nevertheless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_warm_up(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(main, "warm_up", no_warm_up)
    home = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:1")
    engine = main.Engine(engine_settings(home, tmp_path), open_session)
    engine._asks = cast(Any, SimpleNamespace(warm_up=no_warm_up, wait_unasked=lambda _: True))
    engine._prepare(cast(Any, None))
    assert engine._heartbeat.ready
