"""Random documents over random rows, for hypothesis: disorder, lateness, repeats, nulls, NaN, extreme numbers, times around clock changes.

Every text that a document may hold has its meaning in `meanings.py`; the strategies only put them together.
"""

import json
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.oracle.cases import Case
from tests.oracle.script import Batch, scripted
from tests.oracle.values import as_json

FIELDS = {"k": "string", "x": "int", "big": "long", "y": "double", "price": "decimal(10,2)"}
CONTRACT = {"fields": [{"name": name, "type": type_, "nullable": True} for name, type_ in FIELDS.items()]}

# Around these instants zones change their clocks, months and weeks begin, and nothing special happens.
STARTS = (
    1_767_261_600_000_000,  # 2026-01-01T10:00:00Z
    1_774_745_940_000_000,  # 2026-03-29T00:59:00Z: one minute before Berlin skips an hour
    1_792_889_940_000_000,  # 2026-10-25T00:59:00Z: one minute before Berlin repeats one
    1_775_005_140_000_000,  # 2026-04-01T00:59:00Z
)
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC")
EXTREMES = {
    "x": [0, 1, -1, 7, 2**31 - 1, -(2**31)],
    "big": [0, 3, 2**62, -(2**62), 2**63 - 1, -(2**63)],
    "y": [0.0, -0.0, 0.1, 1.5, -2.25, 1e300, 5e-324, "NaN", "Infinity", "-Infinity"],
    "price": ["0.00", "1.50", "-0.01", "99999999.99", "-99999999.99"],
}
MEASURES = (
    "count()",
    "count(x)",
    "count_if(x > 0)",
    "sum(x)",
    "sum(price)",
    "avg(x)",
    "avg(price)",
    "min(y)",
    "max(y)",
    "min(k)",
    "max(big)",
    "first(x)",
    "last(k)",
    "min_by(k, y)",
    "max_by(k, x)",
    "sum(x) where x > 0",
    "distinct(k)",
    "collect_list(x)",
    "collect_set(k)",
    "any(x > 0)",
    "all(x > 0)",
    "percentile(x, 0.25)",
    "variance(x)",
)
CONDITIONS = ("x > 0", "not (x > 0)", "x is null", "x > 0 and k = 'a'", "x > 0 or k = 'a'", "price > 1.5")
EXPRESSIONS = ("x + 1", "x * 2", "10 / x", "x div 3", "x % 3", "upper(k)", "coalesce(k, 'none')", "price * 2", "_time")
SPANS = ("1s", "2s", "3s500ms", "10s", "1m", "1h")


@dataclass(frozen=True)
class Built:
    """Steps so far and the name of the last."""

    steps: dict[str, Any]
    last: str

    def then(self, **step: Any) -> "Built":
        name = f"step{len(self.steps)}"
        return Built({**self.steps, name: step if "left" in step else {"input": self.last, **step}}, name)


@st.composite
def records(draw: st.DrawFn, start: int, spread_ms: int) -> list[tuple[int, dict[str, Any]]]:
    """Rows of one batch: times in whole ms, in no order, some of them equal."""
    step_ms = draw(st.sampled_from([1, 500, 1_000]))
    times = st.integers(0, spread_ms // step_ms).map(lambda steps: start + steps * step_ms * 1_000)
    values = st.fixed_dictionaries(
        {"k": st.sampled_from(["a", "b", "A ", "é", None]), **{name: st.sampled_from([*given, None]) for name, given in EXTREMES.items()}}
    )
    found = draw(st.lists(st.tuples(times, values), max_size=5))
    return found + found[: draw(st.integers(0, 1))]


@st.composite
def windows(draw: st.DrawFn) -> tuple[Any, dict[str, Any]]:
    """A window and what an aggregate over it may say besides."""
    kind = draw(st.sampled_from(["none", "tumbling", "hopping", "session", "calendar", "sliding"]))
    span = draw(st.sampled_from(SPANS))
    grace = {"grace": draw(st.sampled_from(["1s", "5s", "1m"]))} if draw(st.booleans()) else {}
    emit = {"emit": draw(st.sampled_from(["update", "final"]))}
    match kind:
        case "none":
            return "none", {}
        case "tumbling":
            return {"tumbling": {"size": span, **draw(st.sampled_from([{}, {"offset": "300ms"}]))}}, {**grace, **emit}
        case "hopping":
            size, advance = draw(st.sampled_from([("5s", "1s"), ("10s", "4s"), ("1m", "20s"), ("3s", "3s"), ("1h", "15m")]))
            return {"hopping": {"size": size, "advance": advance}}, {**grace, **emit}
        case "session":
            return {"session": {"gap": span}}, grace
        case "sliding":
            return {"sliding": {"size": span}}, grace
        case _:
            zone, day_start = draw(st.sampled_from(ZONES)), draw(st.sampled_from(["00:00", "02:30", "23:15"]))
            unit = draw(st.sampled_from(["day", "week", "month"]))
            return {"calendar": {"unit": unit, "zone": zone, "day_start": day_start}}, {**grace, **emit}


@st.composite
def row_steps(draw: st.DrawFn, built: Built) -> Built:
    """Up to three steps that keep the fields of the stream."""
    for _ in range(draw(st.integers(0, 3))):
        match draw(st.sampled_from(["filter", "derive", "sample", "rename", "deduplicate"])):
            case "filter":
                built = built.then(op="filter", where=draw(st.sampled_from(CONDITIONS)))
            case "derive":
                built = built.then(op="derive", fields={f"more{len(built.steps)}": draw(st.sampled_from(EXPRESSIONS))})
            case "sample":
                built = built.then(op="sample", fraction=draw(st.sampled_from([0.25, 0.5, 1.0])))
            case "rename":
                built = built.then(op="rename", fields={"y": "y2"}).then(op="rename", fields={"y2": "y"})
            case _:
                if not any(step["op"] == "deduplicate" for step in built.steps.values()):
                    built = built.then(op="deduplicate", by=["k", "x"], within="exact")
    return built


@st.composite
def row_jobs(draw: st.DrawFn) -> tuple[Built, dict[str, Any]]:
    """Row steps, then an aggregate, or none."""
    built = draw(row_steps(Built({}, "s")))
    window, more = draw(windows())
    if draw(st.integers(0, 5)) and not (built.steps and more.get("emit", "update") == "update" and _stateful(built)):
        measures = draw(st.lists(st.sampled_from(MEASURES), min_size=1, max_size=4, unique=True))
        named = {f"m{at}": text for at, text in enumerate(measures)}
        built = built.then(op="aggregate", window=window, by=draw(st.sampled_from([[], ["k"], ["k", "x"]])), measures=named, **more)
    return built, {"s": {"stream": "s"}}


def _stateful(built: Built) -> bool:
    return any(step["op"] == "deduplicate" for step in built.steps.values())


@st.composite
def join_jobs(draw: st.DrawFn) -> tuple[Built, dict[str, Any]]:
    """Two streams joined."""
    before, after = draw(st.sampled_from([("0s", "2s"), ("3s", "1s"), ("2s", "-1s"), ("0s", "0s"), ("1m", "1m")]))
    built = Built({}, "s").then(
        op="join",
        left="s",
        right="r",
        type=draw(st.sampled_from(["inner", "left", "right", "full", "semi", "anti"])),
        on={"k": "k"} | draw(st.sampled_from([{}, {"x": "x"}])),
        between={"before": before, "after": after},
        prefix="r_",
    )
    return built, {"s": {"stream": "s"}, "r": {"stream": "r"}}


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A case whose expected contents are the oracle's."""
    built, sources = draw(st.one_of(row_jobs(), row_jobs(), join_jobs()))
    start = draw(st.sampled_from(STARTS))
    spread = draw(st.sampled_from([5_000, 60_000, 7_200_000]))
    delay = draw(st.sampled_from(["0s", "1s", "10s"]))
    batches: list[Batch] = []
    for number in range(draw(st.integers(1, 4))):
        shift = number * draw(st.sampled_from([0, 2_000_000, 60_000_000, 3_600_000_000]))
        batches.append({name: given for name in sources if (given := draw(records(start + shift, spread)))})
    contracts = {name: {**CONTRACT, "delay": delay} for name in sources}
    document = json.dumps(
        {
            "format": 1,
            "name": "random",
            "sources": sources,
            "steps": built.steps,
            "outputs": {"out": {"input": built.last, "to": "result"}},
        }
    )
    contents, late = scripted(document, contracts, batches)
    after = [{name: {key: as_json(row) for key, row in content.items()} for name, content in one.items()} for one in contents]
    return Case("random", document, contracts, batches, after, late, None, exact_batches=True)
