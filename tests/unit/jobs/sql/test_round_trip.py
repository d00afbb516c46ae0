"""A document, written as SQL and read back, is planned as before: golden cases, examples, random ones."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from jobs.base.names import is_name
from jobs.document import read_document
from jobs.expressions.dialect import DIALECT
from jobs.formats.contract import StreamContract
from jobs.operators import OPERATORS
from jobs.plan import plan_job
from jobs.sql import read_sql, write_sql
from jobs.sql.functions import FUNCTIONS
from jobs.sql.write_joins import JOINS
from jobs.sql.write_steps import CLAUSES
from tests.oracle.cases import load_cases
from tests.oracle.drawing import drawn
from tests.oracle.random_cases import jobs
from tests.support.plan_helpers import contract
from tests.support.plan_helpers import document as document_of
from tests.support.plan_meaning import meaning

EXAMPLES = Path(__file__).parents[4] / "examples"
MANY = int(os.environ.get("WEIR_RANDOM_SQL", "60"))
AT_LEAST = {"golden": 200, "random_ones": MANY, "examples": 10}
SEED = int(os.environ.get("WEIR_RANDOM_SEED", "11"))

Contracts = Mapping[str, StreamContract]
Given = tuple[str, str, Contracts]  # title, document, contracts


def golden() -> Iterator[Given]:
    for case in load_cases():
        yield case.title, case.document, contracts_of(case.contracts)


def random_ones() -> Iterator[Given]:
    for number, job in enumerate(drawn(MANY, SEED, jobs())):
        yield f"random document {number}", job.document(job.topics), contracts_of(job.contracts)


def examples() -> Iterator[Given]:
    for path in sorted(EXAMPLES.glob("*/document.yaml")):
        streams = yaml.safe_load((path.parent / "streams.yaml").read_text(encoding="utf-8"))
        written = {stream["name"]: stream["contract"] for stream in streams}
        yield path.parent.name, path.read_text(encoding="utf-8"), contracts_of(written)


def contracts_of(written: Mapping[str, Any]) -> Contracts:
    return {name: StreamContract.model_validate(contract) for name, contract in written.items()}


@pytest.mark.thorough
@pytest.mark.parametrize("given", [golden, random_ones, examples])
def test_a_document_keeps_its_meaning(given: Any) -> None:
    count = 0
    for title, document, contracts in given():
        before = plan_job(document, contracts)
        reading = read_document(document)
        assert before.ok, (title, before.problems)
        assert reading.document is not None
        count += 1
        written = write_sql(reading.document, contracts)
        assert not written.refusals, (title, written.refusals)
        found = read_sql(written.text, contracts)
        assert not found.problems, (title, found.problems, written.text)
        assert found.document is not None
        after = plan_job(found.document, contracts)
        assert meaning(after) == meaning(before), (title, written.text)
        rest = reading.document.as_json()
        for part in ("name", "description", "settings", "sources", "outputs"):
            assert json.loads(json.dumps(found.document)).get(part) == rest.get(part), (title, part)
    assert count >= AT_LEAST[given.__name__]


WORDS = sorted(
    {
        word.lower()
        for written in DIALECT.tokenizer_class.KEYWORDS
        for word in written.split()
        if is_name(word.lower())
    }
    | {"changes", "final", "stream", "source", "sink", "proctime", "tumble", "l", "r", "x"}
)


def word_document(word: str) -> dict[str, Any]:
    """A document in which everything that has a name has this one."""
    name, other = f"`{word}`", f"{word}_2"
    large = f"{name}.x > 1"
    return {
        "format": 1,
        "name": word,
        "sources": {word: {"stream": word}, "other": {"stream": "other"}},
        "steps": {
            "a": {
                "op": "select",
                "input": word,
                "fields": {word: name, "k": "k", "n": f"{name} + 1", "xs": f"filter(xs, {name} -> {large})"},
            },
            "b": {"op": "derive", "input": "a", "fields": {other: f"{name} * n"}},
            "c": {
                "op": "join",
                "left": "b",
                "right": "other",
                "on": {word: "w"},
                "where": f"{name} > v and exists(xs, {name} -> {large})",
            },
            "d": {"op": "rename", "input": "c", "fields": {word: other, other: word}},
            "e": {
                "op": "aggregate",
                "input": "d",
                "by": {word: "k"},
                "measures": {"m": f"sum({name}) where {name} > 1"},
            },
            "f": {"op": "drop", "input": "b", "fields": [word]},
            "g": {"op": "branch", "input": "b", "branches": {word: f"{name} > 1"}},
            "h": {"op": "cast", "input": f"g.{word}", "fields": {word: "long"}},
        },
        "outputs": {
            word: {"input": "e", "to": "result"},
            "o": {"input": "h", "to": {"topic": f"of.{word}", "format": "json", "names": {word: word}}},
            "p": {"input": "f", "to": {"topic": "p", "format": "json"}},
        },
    }


PLAIN = "qqq"


def read_back(word: str) -> dict[str, Any]:
    """The document of a word, written as SQL and read."""
    read = {word: "int", "k": "string", "xs": "array<struct<x:int>>"}
    contracts = {word: contract(read), "other": contract({"w": "int", "v": "int"})}
    document = json.dumps(word_document(word))
    reading = read_document(document)
    assert reading.document is not None
    written = write_sql(reading.document, contracts)
    found = read_sql(written.text, contracts)
    assert not found.problems, (found.problems, written.text)
    assert found.document is not None
    if word == PLAIN:
        before = plan_job(document, contracts)
        assert before.ok, before.problems
        assert meaning(plan_job(found.document, contracts)) == meaning(before)
    return found.document


def test_every_word_of_sql_can_be_a_name() -> None:
    """It gives the document that a plain name gives."""
    plain = json.dumps(read_back(PLAIN))
    assert len(WORDS) > 200
    for word in WORDS:
        assert read_back(word) == json.loads(plain.replace(PLAIN, word)), word


def grouped(by: Any, **more: Any) -> dict[str, Any]:
    return {"op": "aggregate", "input": "s", "by": by, "measures": {"n": "count()"}, **more}


@pytest.mark.parametrize(
    "step",
    [
        grouped({"late": "(x > 5)", "over": "price > limit", "both": "((x)) + (x)"}),
        grouped(["k", "window"], window={"tumbling": {"size": "5s"}}),
        grouped({"a": "x", "b": "x", "x": "x", "c": "x + 1", "d": "x + 1"}),
        grouped({"x": "x", "a": "x", "b": "(x)"}),
        grouped({"k": "k", "true": "`true`"}),
    ],
    ids=[
        "parentheses",
        "a field called window",
        "one expression twice",
        "a field and its other name",
        "a field called true",
    ],
)
def test_group_keys_stay_as_they_are(step: dict[str, Any]) -> None:
    require_kept(step)


@pytest.mark.parametrize("text", ["x", "`x`", "(x)"])
def test_a_field_may_be_derived_as_itself(text: str) -> None:
    require_kept({"op": "derive", "input": "s", "fields": {"a": "x + 1", "x": text, "b": "price"}})


@pytest.mark.parametrize(
    "where",
    [
        "v = w",
        "v == w and x < price",
        "x = y",
        "(x) = y",
        "at < seen",
        "seen > at",
        "seen between at and at + interval 1 minute",
        "(seen - interval 1 minute) >= at and (v = w)",
        "seen > at + interval '1' minute - interval -5 seconds or v = w",
        "r_name.x = y and flag = true",
        "`flag` = `true` and x = 1",
    ],
)
def test_conditions_of_a_join_stay_conditions(where: str) -> None:
    """They came back as keys, whose types were refused, and as bounds of the time on one side only."""
    times = {"kind": "field", "on_missing": "malformed"}
    contracts = {
        "s": contract(
            {"k": "string", "x": "int", "v": "double", "at": "timestamp", "flag": "boolean"},
            event_time={**times, "field": "at"},
        ),
        "t": contract(
            {
                "id": "string",
                "y": "int",
                "w": "double",
                "seen": "timestamp",
                "price": "int",
                "true": "boolean",
                "r_name": "struct<x:int>",
            },
            event_time={**times, "field": "seen"},
        ),
    }
    step = {"op": "join", "left": "s", "right": "t", "on": {"k": "id"}, "where": where}
    for between in ({}, {"between": {"before": "0s", "after": "1m"}}):
        before = plan_job(document_of({"step": step | between}, sources=SOURCES), contracts)
        assert before.document is not None
        assert {one.code for one in before.problems} <= {"JOIN_UNBOUNDED"}, before.problems
        written = write_sql(before.document, contracts)
        found = read_sql(written.text, contracts)
        assert not found.problems, (found.problems, written.text)
        assert found.document is not None
        made = found.document["steps"]["step"]
        assert (made["on"], made.get("between")) == ({"k": "id"}, between.get("between")), written.text
        after = plan_job(found.document, contracts)
        assert meaning(after) == meaning(before), written.text


NAMED_LIKE_ALIASES = {
    "k": "string",
    "l": "struct<k:string,id:int>",
    "r": "struct<id:int>",
    "xs": "array<struct<x:int,k:string>>",
}


@pytest.mark.parametrize(
    "where",
    [
        "l.k = 'a'",
        "r.id = 1",
        "l.id > r.id",
        "exists(xs, l -> l.k = 'a')",
        "exists(xs, r -> r.x > y)",
        "exists(xs, l -> l.x > 1) and exists(xs, l_2 -> l_2.x > 1)",
    ],
)
def test_the_aliases_of_a_join_are_no_names_of_its_condition(where: str) -> None:
    step = {"op": "join", "left": "s", "right": "t", "on": {"k": "id"}, "where": where}
    step["between"] = {"after": "1m"}
    require_kept(step, SOURCES, {"s": NAMED_LIKE_ALIASES, "t": {"id": "string", "y": "int"}})


@pytest.mark.parametrize(
    "step",
    [
        {"op": "filter", "where": "exists(xs, s -> s.x > 1)"},
        {"op": "select", "fields": {"a": "transform(xs, s -> s.x)"}},
        {"op": "derive", "fields": {"a": "transform(xs, (s, s_2) -> s.x + s_2)"}},
        {"op": "latest", "by": ["k"], "delete_when": "exists(xs, s -> s.x > 1)"},
        {
            "op": "aggregate",
            "by": {"a": "exists(xs, s -> s.x > 1)"},
            "window": {"tumbling": {"size": "5s"}},
            "measures": {"n": "sum(size(filter(xs, s -> s.x > 1)))"},
        },
    ],
    ids=lambda step: step["op"],
)
def test_a_relation_is_no_variable_of_its_query(step: dict[str, Any]) -> None:
    require_kept({"input": "s", **step}, {"s": SOURCES["s"]}, {"s": NAMED_LIKE_ALIASES})


SOURCES = {"s": {"stream": "s"}, "t": {"stream": "t"}}
FIELDS = {"k": "string", "x": "int", "price": "int", "limit": "int", "window": "int", "true": "int"}


def require_kept(
    step: dict[str, Any],
    sources: Mapping[str, Any] | None = None,
    fields: Mapping[str, Mapping[str, str]] | None = None,
) -> None:
    """Written as SQL and read, it is one step, which means the same.

    Args:
        step: of the document.
        sources: of the document; None: only the stream s.
        fields: of each stream; None: only s has the usual ones.
    """
    contracts = {name: contract(dict(given)) for name, given in (fields or {"s": FIELDS}).items()}
    before = plan_job(document_of({"step": step}, **({"sources": sources} if sources else {})), contracts)
    assert before.ok, before.problems
    assert before.document is not None
    written = write_sql(before.document, contracts)
    found = read_sql(written.text, contracts)
    assert not found.problems, (found.problems, written.text)
    assert found.document is not None
    assert list(found.document["steps"]) == ["step"]
    assert meaning(plan_job(found.document, contracts)) == meaning(before), written.text


def test_every_operator_can_be_said() -> None:
    assert set(CLAUSES) | set(JOINS) | set(FUNCTIONS) == set(OPERATORS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_table_functions_have_every_parameter(name: str) -> None:
    """A new parameter of an operator is missed here, not in a user's document."""
    model = OPERATORS[name].parameters
    known = {field.alias or parameter for parameter, field in model.model_fields.items()}
    assert set(FUNCTIONS[name]) == known - {"op", "input", "inputs", "inputs_"}
