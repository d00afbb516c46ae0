"""Steps of random documents that keep state: aggregates, changes, deduplicate, latest, joins."""

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from tests.oracle.forms import CONDITIONS
from tests.oracle.random_jobs import ABOUT, NEAR, Job, kind_of, of_kinds, texts
from tests.oracle.random_rows import KEYS as TABLE_KEYS
from tests.oracle.random_rows import joinable, tables
from tests.oracle.random_steps import ATOMIC, KEYS, row_steps

ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC")
SPANS = ("1s", "2s", "3s500ms", "10s", "1m", "1h")
NUMBERS = "int long double decimal"
WHOLE = "int decimal"  # doubles overflow in squares, and differences of greatest longs are lost in doubles
APPROXIMATE = "approx_distinct"
DOUBLES = ("avg(", "percentile(", "variance(", "stddev", "var_pop(", "corr(")
BOUNDS = ("window_start", "window_end")
MEASURES = (  # kinds of each argument, and the text
    ("count()",),
    ("count({})", "any"),
    ("first({})", "any"),
    ("last({})", "any"),
    ("collect_list({})", "any"),
    ("collect_list({}, limit = 2)", "any"),
    ("sum({})", NUMBERS),
    ("avg({})", NUMBERS),
    ("min({})", ATOMIC),
    ("max({})", ATOMIC),
    ("min_by({}, {})", "any", ATOMIC),
    ("max_by({}, {})", "any", ATOMIC),
    ("distinct({})", ATOMIC),
    ("distinct({}, limit = 2)", ATOMIC),
    ("collect_set({})", ATOMIC),
    ("approx_distinct({})", ATOMIC),
    ("top_values({}, 2)", ATOMIC),
    ("percentile({}, 0.25)", WHOLE),
    ("percentile({}, [0.0, 0.5, 0.9])", WHOLE),
    ("approx_percentile({}, 0.5)", WHOLE),
    ("variance({})", WHOLE),
    ("stddev({})", WHOLE),
    ("stddev_pop({})", WHOLE),
    ("var_pop({})", WHOLE),
    ("corr({}, {})", WHOLE, WHOLE),
    ("any({})", "boolean"),
    ("all({})", "boolean"),
)
NUMERIC_MEASURES = (("count()",), ("sum({})", NUMBERS), ("avg({})", NUMBERS), ("min({})", NUMBERS), ("max({})", "int decimal"))


@st.composite
def windows(draw: st.DrawFn) -> tuple[Any, dict[str, Any]]:
    """A window and what an aggregate over it may say besides."""
    kind = draw(st.sampled_from(["none", "tumbling", "tumbling", "hopping", "session", "calendar", "sliding"]))
    span = draw(st.sampled_from(SPANS))
    grace = {"grace": draw(st.sampled_from(["1s", "5s", "1m"]))} if draw(st.booleans()) else {}
    emit = {"emit": draw(st.sampled_from(["update", "final", "final"]))}
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
def measures(draw: st.DrawFn, fields: dict[str, str], choices: tuple[tuple[str, ...], ...], at: int) -> dict[str, str]:
    """Some measures by name; one that is only about right has a name that nothing else is made of."""
    fitting = [choice for choice in choices if all(of_kinds(fields, kinds) for kinds in choice[1:])]
    made: dict[str, str] = {}
    for number, (text, *kinds) in enumerate(draw(st.lists(st.sampled_from(fitting), min_size=1, max_size=4, unique=True))):
        arguments = [draw(st.sampled_from(of_kinds(fields, found))) for found in kinds]
        near = text.startswith(DOUBLES) or (text.startswith("sum(") and fields[arguments[0]] == "double")
        name = ABOUT if text.startswith(APPROXIMATE) else NEAR if near else "m"
        made[f"{name}{at}_{number}"] = text.format(*arguments)
    if choices is MEASURES:
        made |= draw(more_measures(fields, at))
    return made


@st.composite
def more_measures(draw: st.DrawFn, fields: dict[str, str], at: int) -> dict[str, str]:
    """Measures with conditions, and ranked rows."""
    condition = draw(texts(fields, CONDITIONS))
    match draw(st.sampled_from(["none", "none", "count_if", "any", "where", "ranked", "ranked"])):
        case "count_if":
            return {f"c{at}": f"count_if({condition})"}
        case "any":
            return {f"c{at}": draw(st.sampled_from([f"any({condition})", f"all({condition})"]))}
        case "where" if found := of_kinds(fields, "int long decimal"):
            return {f"c{at}": f"sum({draw(st.sampled_from(found))}) where {condition}"}
        case "ranked" if found := of_kinds(fields, ATOMIC):
            kept = [name for name in draw(st.permutations(list(fields))) if not name.startswith("_")][:2]
            name, by = draw(st.sampled_from(["top_rows", "bottom_rows"])), draw(st.sampled_from(found))
            return {f"rows{at}": f"{name}({draw(st.sampled_from([1, 3]))}, by {by}, [{', '.join(kept)}])"}
        case _:
            return {}


@st.composite
def keys(draw: st.DrawFn, fields: dict[str, str], least: int = 0) -> list[str]:
    """Fields that may be a key: mostly `k` among them."""
    found = [name for name in of_kinds(fields, KEYS) if not name.startswith("_")]
    if len(found) < least:
        return []
    named = ["k"] if "k" in found and draw(st.integers(0, 3)) else []
    others = draw(st.lists(st.sampled_from(found), min_size=0 if named else least, max_size=2, unique=True)) if found else []
    return list(dict.fromkeys([*named, *(others if not named or draw(st.integers(0, 3)) == 0 else [])]))


@st.composite
def aggregates(draw: st.DrawFn, job: Job) -> Job:
    """An aggregate over any window; its late rows may go to a topic."""
    window, more = draw(windows())
    fields = job.fields if window == "none" else {name: type_ for name, type_ in job.fields.items() if name not in BOUNDS}
    by: Any = draw(keys(fields))
    if by and kind_of(fields[by[0]]) == "string" and draw(st.integers(0, 5)) == 0:
        by = {"group": f"upper({by[0]})"} | {name: name for name in by[1:]}
    step = {"op": "aggregate", "window": window, "by": by, "measures": draw(measures(job.readable, MEASURES, len(job.steps))), **more}
    if window != "none" and draw(st.integers(0, 5)) == 0:
        topics = {**job.topics, f"late{len(job.steps)}": f"step{len(job.steps)}.late"}
        made = replace(job, topics=topics).then(**step, late="dead_letter")
        if made.last != job.last:
            return replace(made, finer=True)
    made = job.then(**step)
    return job if made is job else replace(made, finer=True)


@st.composite
def changes(draw: st.DrawFn, job: Job) -> Job:
    """The changes of an aggregate whose windows follow each other."""
    zone = draw(st.sampled_from(ZONES))
    window = draw(st.sampled_from([*({"tumbling": {"size": span}} for span in SPANS), {"calendar": {"unit": "day", "zone": zone}}]))
    fields = {name: type_ for name, type_ in job.fields.items() if name not in BOUNDS}
    by = draw(keys(fields))
    named = draw(measures(fields, NUMERIC_MEASURES, len(job.steps)))
    emit = draw(st.sampled_from(["update", "final"]))
    below = job.then(op="aggregate", window=window, by=by, measures=named, emit=emit)
    if below is job:
        return job
    of = draw(st.sampled_from([[next(iter(named))], list(named)]))
    return replace(below.then(op="change", of=of, missing=draw(st.sampled_from(["null", "zero"]))), finer=True)


@st.composite
def deduplicates(draw: st.DrawFn, job: Job) -> Job:
    """Repeats of a key, at one time or within some."""
    by = draw(keys(job.fields, least=1))
    if not by:
        return job
    return job.then(op="deduplicate", by=by, within=draw(st.sampled_from(["exact", "1s", "10s", "1m", "1h"])))


@st.composite
def latests(draw: st.DrawFn, job: Job) -> Job:
    """The newest row of each key."""
    fields = job.fields
    by = draw(keys(fields, least=1))
    if not by:
        return job
    gone = draw(st.sampled_from([{}, {"delete_when": draw(texts(fields, CONDITIONS))}]))
    ttl = draw(st.sampled_from([{}, {}, {"ttl": "1s"}, {"ttl": "1m"}]))
    # Offsets order the records of one source: a row that was taken apart is several of one offset.
    whole = not any(step["op"] in ("explode", "split", "union", "table_join", "join") for step in job.steps.values())
    order = draw(st.sampled_from([{}, {"order": "offset"}])) if whole else {}
    return job.then(op="latest", by=by, **gone, **ttl, **order)


@st.composite
def joins(draw: st.DrawFn, job: Job) -> Job:
    """The rows joined with those of another stream, or with the stream that they come from."""
    fields = job.fields
    if fields.get("k") not in TABLE_KEYS:
        return job
    own = draw(st.integers(0, 4)) == 0 and job.last != "s"
    other = "s" if own else f"q{len(job.steps)}"
    given = job.contracts if own else {**job.contracts, other: draw(joinable({"fields": [{"name": "k", "type": fields["k"]}]}))}
    (right_key,) = (f["type"] for f in given[other]["fields"] if f["name"] == "k")
    if fields["k"] != right_key and {fields["k"], right_key} != {"int", "long"}:
        return job
    # In times finer than a millisecond the engine does not say when a row has no partner.
    types = ["inner", "semi"] if job.finer else ["inner", "left", "right", "full", "semi", "anti"]
    step: dict[str, Any] = {"op": "join", "left": job.last, "right": other, "type": draw(st.sampled_from(types)), "on": {"k": "k"}}
    before, after = draw(st.sampled_from([("0s", "2s"), ("3s", "1s"), ("2s", "-1s"), ("0s", "0s"), ("1m", "1m"), ("1h", "1h")]))
    if step["type"] != "inner" or draw(st.integers(0, 4)):
        step["between"] = {"before": before, "after": after}
        times = {"inner": ["later", "left", "right"], "semi": ["later", "left"], "anti": ["later", "left"]}.get(step["type"], ["later"])
        step["time"] = draw(st.sampled_from(times))
    prefix = f"q{len(job.steps)}_"
    clash = {f"{prefix}{f['name']}" if f["name"] in job.fields else f["name"]: f["type"] for f in given[other]["fields"]}
    if draw(st.booleans()):
        step["where"] = draw(texts(fields | clash, CONDITIONS))
    made = replace(job, contracts=given).then(**step, prefix=prefix)
    return job if made.last == job.last else made


@st.composite
def table_joins(draw: st.DrawFn, job: Job) -> Job:
    """Rows of a stream beside a table as it is, as it was, or as it was at the start."""
    fields = job.fields
    if fields.get("k") not in TABLE_KEYS:
        return job
    name = f"t{sum(1 for contract in job.contracts.values() if contract.get('kind') == 'table')}"
    version = draw(st.sampled_from(["current", "as_of", "copy", "copy by part"]))
    contract = draw(tables({"fields": [{"name": "k", "type": fields["k"]}]}))
    contract |= draw(st.sampled_from([{}, {"version_by": "event_time"}]))
    if version in ("current", "as_of"):
        contract |= draw(st.sampled_from([{}, {}, {"delay": "1s"}]))
    step: dict[str, Any] = {"op": "table_join", "table": name, "type": draw(st.sampled_from(["inner", "left"])), "on": {"k": "k"}}
    step["prefix"] = f"t{len(job.steps)}_"
    ints = of_kinds(fields, "int")
    if version == "copy by part" and ints and any(f["name"] == "v" for f in contract["fields"]):
        step["on"] = {draw(st.sampled_from(ints)): "v"}
    if version == "as_of":
        step |= {"version": "as_of", "retention": draw(st.sampled_from(["1s", "1h", "1d"]))}
    else:
        step |= {"version": "current"} | ({"broadcast": {}} if version != "current" else {})
    made = replace(job, contracts={**job.contracts, name: contract}).then(**step)
    return job if made.last == job.last else made


STATES = {
    "aggregate": aggregates,
    "change": changes,
    "deduplicate": deduplicates,
    "latest": latests,
    "join": joins,
    "table_join": table_joins,
}
WEIGHTED = ("aggregate",) * 5 + ("join",) * 3 + ("table_join",) * 3 + ("deduplicate",) * 2 + ("change", "latest")


@st.composite
def chains(draw: st.DrawFn, job: Job) -> Job:
    """Up to three steps with state, with row steps between; what the check refuses behind the others is left out."""
    for _ in range(draw(st.sampled_from([0, 1, 1, 1, 2, 2, 2, 3]))):
        job = draw(STATES[draw(st.sampled_from(WEIGHTED))](job))
        job = draw(row_steps(job, most=1))
    return job


@st.composite
def beside(draw: st.DrawFn, job: Job, root: str) -> Job:
    """Another aggregate over the same rows, whose results go to a topic: final ones beside updates make two stages."""
    other = draw(aggregates(replace(job, last=root, topics={})))
    both = replace(job, steps=other.steps, topics={**job.topics, **other.topics, "beside": other.last})
    if other.last == root or not both.accepted:
        return job
    # Each stage has the watermark of the sources that it reads; the oracle has one.
    stages = both.plan(both.topics).stages
    return both if len({stage.flowing.intersection(both.contracts) for stage in stages}) == 1 else job
