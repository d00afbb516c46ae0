"""Documents that are well formed and as much work to check as somebody can make them."""

import json
from collections.abc import Callable
from typing import Any


def derived(steps: int, fields: int, text: Callable[[int], str], stream: str = "trades") -> str:
    """A chain of derive steps whose every expression is another."""
    document: dict[str, Any] = {
        "format": 1,
        "name": "hostile",
        "sources": {"in": {"stream": stream}},
        "steps": {},
    }
    above = "in"
    for at in range(steps):
        made = {f"f{field}": text(at * 1_000 + field) for field in range(fields)}
        document["steps"][f"d{at}"] = {"op": "derive", "input": above, "fields": made}
        above = f"d{at}"
    document["outputs"] = {"result": {"input": above, "to": "result"}}
    return json.dumps(document)


def _case(salt: int) -> str:
    return (
        "case "
        + " ".join(
            f"when cast(symbol as int) > {at + salt} then cast(symbol as timestamp)" for at in range(60)
        )
        + " end"
    )


def _ways(pairs: int) -> str:
    """Each union reads the one before twice, once through a filter: the ways to the source double."""
    steps: dict[str, Any] = {}
    above = "in"
    for at in range(pairs):
        steps[f"f{at}"] = {"op": "filter", "input": above, "where": "price > 0"}
        steps[f"u{at}"] = {"op": "union", "inputs": [above, f"f{at}"]}
        above = f"u{at}"
    sources, result = {"in": {"stream": "trades"}}, {"input": above, "to": "result"}
    return json.dumps(
        {"format": 1, "name": "hostile", "sources": sources, "steps": steps, "outputs": {"result": result}}
    )


def _growing(steps: int, members: int) -> str:
    """Each step makes a struct of some of the one before."""
    document = json.loads(derived(steps, 1, str))
    for at, step in enumerate(document["steps"].values()):
        above = "symbol" if at == 0 else "f0"
        parts = ", ".join(f"'m{number}', {above}" for number in range(members))
        step["fields"] = {"f0": f"named_struct({parts})"}
    return json.dumps(document)


DOCUMENTS = {
    "ways": _ways(60),
    "types": _growing(12, 8),
    "deep types": _growing(60, 1),
    "branches": derived(20, 5, _case),
    "casts": derived(
        30, 40, lambda salt: "||".join(["cast(cast(symbol as timestamp) as string)"] * 8) + f"||'{salt}'"
    ),
    "long sums": derived(20, 12, lambda salt: "+".join(["price"] * 600) + f"+{salt}"),
    "mistakes": derived(190, 100, lambda salt: f"price+*{salt}"),
    "unknown fields": derived(190, 24, lambda salt: f"nofield{salt}+other"),
    "patterns": derived(100, 20, lambda salt: f"symbol rlike '(?:a{{1,50}}b?c){{1,3}}{salt}'"),
    "lambdas": derived(
        40,
        40,
        lambda salt: (
            f"size(transform(array(1),x->size(transform(array(x),y->size(transform(array(y),z->z/x/y))))))+{salt}"
        ),
    ),
    "wide": derived(199, 60, lambda salt: f"price+{salt % 1_000}"),
}
