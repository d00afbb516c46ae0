"""The page about constructs of SQL is written from one table, and its examples are jobs."""

from pathlib import Path

import pytest

from jobs.plan import PlanningContext, plan_job
from jobs.sql import read_sql
from tests.support.sql_constructs import CATALOG, CONSTRUCTS, Construct, page

PAGE = Path(__file__).parents[4] / "docs/reference/sql-constructs.md"


@pytest.mark.parametrize("one", [pytest.param(one, id=one.title) for one in CONSTRUCTS if one.example])
def test_an_example_is_a_job(one: Construct) -> None:
    found = read_sql(one.example, CATALOG)
    assert not found.problems
    assert found.document is not None
    plan = plan_job(
        {"name": "example", **found.document}, CATALOG, PlanningContext(topics={"prices": "prices"})
    )
    assert plan.ok, plan.problems


def test_what_is_not_there_says_what_to_use_instead() -> None:
    assert all(one.instead for one in CONSTRUCTS if not one.example)


def test_the_page_is_as_the_table_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
