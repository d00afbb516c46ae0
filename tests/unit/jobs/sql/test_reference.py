"""The page about SQL: its example is a job, and its tables name every clause and function."""

import re
from pathlib import Path

from jobs.plan import PlanningContext, plan_job
from jobs.sql import read_sql
from jobs.sql.functions import FUNCTIONS, WINDOWS
from tests.support.plan_helpers import contract

PAGE = (Path(__file__).parents[4] / "docs/reference/sql.md").read_text(encoding="utf-8")
CATALOG = {"trades": contract({"symbol": "string", "price": "double", "size": "int"})}


def test_the_example_is_a_job() -> None:
    (text,) = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
    found = read_sql(text, CATALOG)
    assert not found.problems
    assert found.document is not None
    plan = plan_job(found.document, CATALOG, PlanningContext(topics={"prices": "prices"}))
    assert plan.ok, plan.problems
    assert [sink.name for sink in plan.sinks] == ["live", "copies"]


def test_every_table_function_is_named() -> None:
    named = set(re.findall(r"`([A-Z]+)\(TABLE ", PAGE))
    assert {*WINDOWS, *(name.upper() for name in FUNCTIONS)} <= named
