"""A play never raises for what a script asks: what else is to be played goes on."""

from pathlib import Path
from typing import Any

import pytest

from jobs.engine.play import play
from jobs.engine.play.player import plan_play
from jobs.engine.play.warmup import warm_up_script
from jobs.play import PlayJob, PlayResult
from tests.support.plan_helpers import contract, document


def test_a_defect_is_the_problem_of_that_play_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise KeyError("a defect")

    monkeypatch.setattr("jobs.engine.play.player.Player", fails)
    told: list[PlayResult] = []
    session: Any = None
    result = play(session, warm_up_script(), tmp_path / "play", told=told.append)
    assert result.problem is not None
    assert (result.problem.code, result.problem.raw) == ("ENGINE_ERROR", "KeyError: 'a defect'")
    assert told == [result]


def test_a_job_that_copies_a_far_topic_to_one_of_its_name_is_played() -> None:
    """A play knows no clusters: its names would be those of a loop."""
    written = {"live": {"input": "s", "to": "result"}, "copy": {"input": "s", "to": {"topic": "s"}}}
    job = PlayJob(document=document({}, outputs=written), contracts={"s": contract()}, topics={"s": "s"})
    assert plan_play(job).ok
