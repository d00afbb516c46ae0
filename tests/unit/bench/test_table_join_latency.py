"""The job runs in real-time mode; a row without its entry, or with another's, is counted."""

import json

from bench.latency_of_weir import REAL_TIME
from bench.table_join_latency import CONTRACT, Joined, document, entry
from bench.weir_job import CONTRACT as EVENTS
from jobs.formats.contract import StreamContract
from jobs.plan import plan_job


def test_the_job_can_run_in_real_time_mode() -> None:
    made = document("steady", "events", "rates", dict(REAL_TIME))
    catalog = {
        name: StreamContract.model_validate(it) for name, it in (("events", EVENTS), ("rates", CONTRACT))
    }
    plan = plan_job(json.dumps(made), catalog)
    assert plan.ok, plan.problems


def test_rows_without_their_entry() -> None:
    joined = Joined()
    assert joined.row({"k": "k3", "g": 13, **entry(3)}) == 13
    assert joined.without_entry == 0
    joined.row({"k": "k3", "g": 23, "name": None})
    joined.row({"k": "k3", "g": 33, **entry(4)})
    assert (joined.rows, joined.without_entry) == (3, 2)
