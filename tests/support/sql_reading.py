"""SQL texts over a small catalog: the document they become, or the problem they have."""

from typing import Any

from jobs.formats.contract import StreamContract
from jobs.plan import plan_job
from jobs.sql import read_sql
from tests.support.plan_helpers import contract

CATALOG: dict[str, StreamContract] = {
    "trades": contract(
        {"symbol": "string", "price": "double", "size": "int", "at": "timestamp"},
        event_time={"kind": "field", "field": "at"},
    ),
    "searches": contract({"id": "string", "word": "string", "user": "string"}),
    "clicks": contract({"search": "string", "url": "string", "user": "string", "n": "int"}),
    "orders": contract({"id": "string", "currency": "string", "amount": "double", "orders": "struct<n:int>"}),
    "device": contract(
        {"device": "struct<id:string,kind:string>", "hour": "int", "at": "timestamp", "seen": "timestamp"}
    ),
    "rates": contract({"code": "string", "rate": "double"}, kind="table", key=["code"]),
}


def read(text: str) -> dict[str, Any]:
    """The document of a text without problems."""
    found = read_sql(text, CATALOG)
    assert not found.problems, found.problems
    assert found.document is not None
    return {"name": "test", **found.document}


def steps(text: str) -> dict[str, Any]:
    """The steps of a text that can be planned."""
    document = read(text)
    plan = plan_job(document, CATALOG)
    assert plan.ok, plan.problems
    found: dict[str, Any] = document["steps"]
    return found


def step(text: str) -> dict[str, Any]:
    """The only step of a text."""
    (found,) = steps(text).values()
    return dict(found)


def refused(text: str) -> tuple[str, str, str]:
    """Message, hint and the part of the text that the first problem names."""
    found = read_sql(text, CATALOG).problems[0]
    assert found.code == "SQL_INVALID"
    assert found.span is not None
    return found.message, found.hint, text[slice(*found.span)]
