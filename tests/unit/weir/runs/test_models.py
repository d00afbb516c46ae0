"""The database's choices are the states of `jobs.run_states`."""

from typing import get_args

from jobs.run_states import STATES, DesiredState
from weir.runs.models import Desired, Observed


def test_observed_states_are_those_of_a_run() -> None:
    assert tuple(Observed.values) == STATES


def test_a_run_is_desired_running_or_stopped_and_a_job_also_deleted() -> None:
    assert set(Desired.values) == {*get_args(DesiredState), Desired.DELETED}
