"""Steps of random documents that keep state: aggregates, changes, deduplicate, latest, throttle, joins."""

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from tests.oracle.cases import NEAR
from tests.oracle.expression_templates import CONDITIONS
from tests.oracle.random_jobs import ABOUT, TAKEN, Job, kind_of, of_kinds, texts
from tests.oracle.random_names import written
from tests.oracle.random_rows import KEYS as FEW
from tests.oracle.random_rows import joinable, tables
from tests.oracle.random_steps import ATOMIC, KEYS, fitting, key_names, new_names, row_step, row_steps

ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "UTC")
DAY_STARTS = ("00:00", "02:30", "23:15")
RETENTIONS = ("1s", "1h", "1d", "30d")
SPANS = ("1s", "2s", "3s500ms", "10s", "1m", "1h")
NUMBERS = "int long double decimal"
SHORT_NUMBERS = "int long double short_decimal"
APPROXIMATE = "approx_distinct"
DOUBLES = ("avg(", "percentile(", "variance(", "stddev", "var_pop(", "corr(")
BOUNDS = ("window_start", "window_end")
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
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
    ("approx_distinct({}, error = 0.01)", ATOMIC),
    ("top_values({}, 2)", ATOMIC),
    ("top_values({}, 3, items = 100)", ATOMIC),
    ("percentile({}, 0.25)", NUMBERS),
    ("percentile({}, [0.0, 0.5, 0.9])", NUMBERS),
    ("approx_percentile({}, 0.5)", SHORT_NUMBERS),
    ("approx_percentile({}, 0.9, accuracy = 100)", SHORT_NUMBERS),
    ("variance({})", NUMBERS),
    ("stddev({})", NUMBERS),
    ("stddev_pop({})", NUMBERS),
    ("var_pop({})", NUMBERS),
    ("corr({}, {})", NUMBERS, NUMBERS),
    ("any({})", "boolean"),
    ("all({})", "boolean"),
)
NUMERIC_MEASURES = (
    ("count()",),
    ("sum({})", NUMBERS),
    ("avg({})", NUMBERS),
    ("min({})", NUMBERS),
    ("max({})", "int decimal"),
)


@st.composite
def windows(draw: st.DrawFn) -> tuple[Any, dict[str, Any]]:
    """A window and what an aggregate over it may say besides."""
    kind = draw(
        st.sampled_from(["none", "tumbling", "tumbling", "hopping", "session", "calendar", "sliding"])
    )
    span = draw(st.sampled_from(SPANS))
    grace = {"grace": draw(st.sampled_from(["1s", "5s", "1m"]))} if draw(st.booleans()) else {}
    emit = {"emit": draw(st.sampled_from(["update", "final", "final"]))}
    match kind:
        case "none":
            return "none", {}
        case "tumbling":
            return {"tumbling": {"size": span, **draw(st.sampled_from([{}, {"offset": "300ms"}]))}}, {
                **grace,
                **emit,
            }
        case "hopping":
            size, advance = draw(
                st.sampled_from([("5s", "1s"), ("10s", "4s"), ("1m", "20s"), ("3s", "3s"), ("1h", "15m")])
            )
            offset = draw(st.sampled_from([{}, {"offset": "300ms"}, {"offset": "1ms"}]))
            return {"hopping": {"size": size, "advance": advance, **offset}}, {**grace, **emit}
        case "session":
            return {"session": {"gap": span}}, grace
        case "sliding":
            return {"sliding": {"size": span}}, grace
        case _:
            zone, day_start = draw(st.sampled_from(ZONES)), draw(st.sampled_from(DAY_STARTS))
            unit = draw(st.sampled_from(["day", "week", "month"]))
            calendar = {"unit": unit, "zone": zone, "day_start": day_start}
            if unit == "week" and draw(st.booleans()):
                calendar["week_start"] = draw(st.sampled_from(WEEKDAYS))
            return {"calendar": calendar}, {**grace, **emit}


@st.composite
def measures(
    draw: st.DrawFn, fields: dict[str, str], choices: tuple[tuple[str, ...], ...], at: int
) -> dict[str, str]:
    """Some measures by name; one that is only about right has a name that nothing else is made of."""
    fitting = [choice for choice in choices if all(of_kinds(fields, kinds) for kinds in choice[1:])]
    made: dict[str, str] = {}
    for number, (text, *kinds) in enumerate(
        draw(st.lists(st.sampled_from(fitting), min_size=1, max_size=4, unique=True))
    ):
        arguments = [draw(st.sampled_from(of_kinds(fields, found))) for found in kinds]
        near = text.startswith(DOUBLES) or (text.startswith("sum(") and fields[arguments[0]] == "double")
        name = f"{ABOUT if text.startswith(APPROXIMATE) else NEAR if near else 'm'}{at}_{number}"
        if name.startswith(
            "m"
        ):  # what is measured may be called as what it is measured of, or as another field
            name = draw(
                st.sampled_from([name, name, *(field for field in fields if not field.startswith("_"))])
            )
        if name not in made:
            condition = f" where {draw(texts(fields, CONDITIONS))}" if draw(st.integers(0, 3)) == 0 else ""
            made[name] = text.format(*map(written, arguments)) + condition
    if choices is MEASURES:
        made |= draw(more_measures(fields, at))
    return made


@st.composite
def more_measures(draw: st.DrawFn, fields: dict[str, str], at: int) -> dict[str, str]:
    """Measures with conditions, and ranked rows."""
    condition = draw(texts(fields, CONDITIONS))
    where = f" where {draw(texts(fields, CONDITIONS))}" if draw(st.integers(0, 3)) == 0 else ""
    match draw(st.sampled_from(["none", "none", "count_if", "any", "ranked", "ranked"])):
        case "count_if":
            return {f"c{at}": f"count_if({condition}){where}"}
        case "any":
            return {f"c{at}": draw(st.sampled_from([f"any({condition})", f"all({condition})"])) + where}
        case "ranked" if found := of_kinds(fields, ATOMIC):
            kept = [name for name in draw(st.permutations(list(fields))) if not name.startswith("_")][:2]
            name, by = draw(st.sampled_from(["top_rows", "bottom_rows"])), draw(st.sampled_from(found))
            return {
                f"rows{at}": f"{name}({draw(st.sampled_from([1, 3]))}, by {written(by)}, "
                f"[{', '.join(map(written, kept))}]){where}"
            }
        case _:
            return {}


@st.composite
def keys(draw: st.DrawFn, fields: dict[str, str], least: int = 0) -> list[str]:
    """Fields that may be a key: mostly the one of few values among them."""
    found = [name for name in of_kinds(fields, KEYS) if not name.startswith("_")]
    if len(found) < least:
        return []
    named = [name for name in key_names(fields) if name in found] if draw(st.integers(0, 3)) else []
    others = (
        draw(st.lists(st.sampled_from(found), min_size=0 if named else least, max_size=2, unique=True))
        if found
        else []
    )
    return list(dict.fromkeys([*named, *(others if not named or draw(st.integers(0, 3)) == 0 else [])]))


@st.composite
def aggregates(draw: st.DrawFn, job: Job) -> Job:
    """An aggregate over any window; its late rows may go to a topic."""
    window, more = draw(windows())
    fields = (
        job.fields
        if window == "none"
        else {name: type_ for name, type_ in job.fields.items() if name not in BOUNDS}
    )
    by: Any = draw(keys(fields))
    if by and kind_of(fields[by[0]]) == "string" and draw(st.integers(0, 5)) == 0:
        name = draw(st.sampled_from([draw(new_names(job, "group")), by[0], *of_kinds(fields, "int")[:1]]))
        by = {name: f"upper({written(by[0])})"} | {name: written(name) for name in by[1:] if name != by[0]}
    measured = draw(measures(job.readable, MEASURES, len(job.steps)))
    taken = {*by, *(BOUNDS if window != "none" else ())}
    measured = {f"{name}_" if name in taken else name: text for name, text in measured.items()}
    step = {"op": "aggregate", "window": window, "by": by, "measures": measured, **more}
    if window != "none" and draw(st.integers(0, 5)) == 0:
        topics = {**job.topics, f"late{len(job.steps)}": f"{job.next_step}.late"}
        made = replace(job, topics=topics).then(**step, late="dead_letter", may=TAKEN)
        if made.last != job.last:
            return made
    return job.then(**step, may=TAKEN)


@st.composite
def changes(draw: st.DrawFn, job: Job) -> Job:
    """The changes of an aggregate whose windows follow each other."""
    zone = draw(st.sampled_from(ZONES))
    window = draw(
        st.sampled_from(
            [*({"tumbling": {"size": span}} for span in SPANS), {"calendar": {"unit": "day", "zone": zone}}]
        )
    )
    fields = {name: type_ for name, type_ in job.fields.items() if name not in BOUNDS}
    by = draw(keys(fields))
    named = draw(measures(fields, NUMERIC_MEASURES, len(job.steps)))
    named = {f"{name}_" if name in (*by, *BOUNDS) else name: text for name, text in named.items()}
    nested = of_kinds(fields, "struct array map")
    more = {f"held{len(job.steps)}": f"first({written(draw(st.sampled_from(nested)))})"} if nested else {}
    emit = draw(st.sampled_from(["update", "final", "final"]))
    below = job.then(op="aggregate", window=window, by=by, measures=named | more, emit=emit, may=TAKEN)
    if below is job:
        return job
    of = draw(st.sampled_from([[next(iter(named))], list(named)]))
    return below.then(op="change", of=of, missing=draw(st.sampled_from(["null", "zero"])), may=TAKEN)


@st.composite
def deduplicates(draw: st.DrawFn, job: Job) -> Job:
    """Repeats of a key, at one time or within some."""
    by = draw(keys(job.fields, least=1))
    if not by:
        return job
    step = {
        "op": "deduplicate",
        "by": by,
        "within": draw(st.sampled_from(["exact", "1s", "10s", "1m", "1h"])),
    }
    if draw(st.integers(0, 5)) == 0:
        topics = {**job.topics, f"late{len(job.steps)}": f"{job.next_step}.late"}
        made = replace(job, topics=topics).then(**step, late="dead_letter", may=TAKEN)
        if made.last != job.last:
            return made
    return job.then(**step)


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
    is_ordered = not any(
        step["op"] in ("explode", "split", "union", "table_join", "join") for step in job.steps.values()
    )
    order = draw(st.sampled_from([{}, {"order": "offset"}])) if is_ordered else {}
    return job.then(op="latest", by=by, **gone, **ttl, **order)


@st.composite
def throttles(draw: st.DrawFn, job: Job) -> Job:
    """One row of each interval of a key."""
    by = draw(keys(job.fields, least=1))
    if not by:
        return job
    every, keep = draw(st.sampled_from(["1s", "10s", "1m", "1h"])), draw(st.sampled_from(["first", "last"]))
    return job.then(op="throttle", by=by, every=every, keep=keep)


PREFIXES = ("", "q_", "t_", "X", "key")
"""Prefixes besides a unique one. Without a prefix, equal names are refused unless only left rows result."""


@st.composite
def pairs(draw: st.DrawFn, left: dict[str, str], right: dict[str, str], most: int = 2) -> dict[str, str]:
    """Key fields that may be equal: mostly those of few values, sometimes with another pair."""
    fitting = [(one, other) for one, of in left.items() for other, to in right.items() if _may_meet(of, to)]
    few = [pair for pair in fitting if pair[0] in key_names(left) and pair[1] in key_names(right)]
    if not fitting:
        return {}
    found = few[:1] if few and draw(st.integers(0, 5)) else [draw(st.sampled_from(fitting))]
    if most > 1 and draw(st.integers(0, 5)) == 0:
        found.append(draw(st.sampled_from(fitting)))
    return dict(found)


def _may_meet(one: str, other: str) -> bool:
    return {one, other} == {"int", "long"} or (one == other and kind_of(one) in KEYS.split())


@st.composite
def right_sides(draw: st.DrawFn, job: Job) -> Job:
    """The job continued from a join's right input.

    Another stream, perhaps with steps, or an existing node.
    """
    there = [*job.contracts, *job.steps]
    if draw(st.integers(0, 3)) == 0 and (
        others := [name for name in there if name != job.last and _joinable(job, name)]
    ):
        return job.reading(draw(st.sampled_from(others)))
    key = next(
        (of for name, of in job.fields.items() if name in key_names(job.fields) and of in FEW), "string"
    )
    name = f"q{len(job.steps)}"
    table_side = replace(job, contracts={**job.contracts, name: draw(joinable(job.naming, key))}, last=name)
    table_side = draw(row_steps(table_side, most=1))
    match draw(st.integers(0, 5)):
        case 0:
            return draw(aggregates(table_side))
        case 1:
            return draw(deduplicates(table_side))
        case _:
            return table_side


def _joinable(job: Job, name: str) -> bool:
    """A node that is append-only."""
    return job.contracts.get(name, {}).get("kind") != "table" and not (
        name in job.steps and job.steps[name]["op"] == "branch"
    )


@st.composite
def joins(draw: st.DrawFn, job: Job) -> Job:
    """The rows joined with another stream's, or with those of an upstream node, on either side."""
    right = draw(right_sides(job))
    left_fields, right_fields = job.fields, right.fields
    one, other = (right.last, job.last) if draw(st.integers(0, 5)) == 0 else (job.last, right.last)
    if one == right.last:
        left_fields, right_fields = right_fields, left_fields
    on = draw(pairs(left_fields, right_fields))
    if not on or one == other:
        return job
    step: dict[str, Any] = {
        "op": "join",
        "left": one,
        "right": other,
        "type": draw(st.sampled_from(["inner", "left", "right", "full", "semi", "anti"])),
        "on": on,
    }
    before, after = draw(
        st.sampled_from(
            [
                ("0s", "2s"),
                ("3s", "1s"),
                ("2s", "-1s"),
                ("0s", "0s"),
                ("1m", "1m"),
                ("1h", "1h"),
                ("0s", "1s999ms999us"),  # as SQL says "less than two seconds later"
            ]
        )
    )
    if step["type"] != "inner" or draw(st.integers(0, 4)):
        step["between"] = {"before": before, "after": after}
        times = {
            "inner": ["later", "left", "right"],
            "semi": ["later", "left"],
            "anti": ["later", "left"],
        }.get(step["type"], ["later"])
        step["time"] = draw(st.sampled_from(times))
    return draw(beside_each_other(right, step, left_fields, right_fields)) or job


@st.composite
def beside_each_other(
    draw: st.DrawFn,
    job: Job,
    step: dict[str, Any],
    left: dict[str, str],
    right: dict[str, str],
    *,
    conditions: bool = True,
) -> Job | None:
    """The step with a prefix and a condition over both sides; with duplicate names, a unique prefix."""
    condition = conditions and draw(st.booleans())
    called = [name[:2] for name in left if name[:2] in PREFIXES]
    for prefix in (
        draw(st.sampled_from(["", f"q{len(job.steps)}_", *PREFIXES, *called, *called])),
        f"q{len(job.steps)}_",
    ):
        pair = {f"{prefix}{name}" if name in left else name: of for name, of in right.items()}
        where = {"where": draw(texts(pair | left, CONDITIONS))} if condition else {}
        made = job.then(
            **step, **where, **({"prefix": prefix} if prefix else {}), may=(*TAKEN, "NAME_RESERVED")
        )
        if made.last != job.last:
            return made
    return None


@st.composite
def table_joins(draw: st.DrawFn, job: Job) -> Job:
    """Rows of a stream joined with a table: current, as of, or broadcast.

    Perhaps with steps over the table.
    """
    fields = job.fields
    key = next((of for name, of in fields.items() if name in key_names(fields) and of in FEW), "")
    if not key:
        return job
    name = f"t{sum(1 for contract in job.contracts.values() if contract.get('kind') == 'table')}"
    version = draw(st.sampled_from(["current", "as_of", "broadcast", "broadcast by part"]))
    contract = draw(tables(job.naming, key))
    contract |= draw(st.sampled_from([{}, {"version_by": "event_time"}]))
    if version in ("current", "as_of"):
        contract |= draw(st.sampled_from([{}, {}, {"delay": "1s"}]))
    table = draw(row_steps(replace(job, contracts={**job.contracts, name: contract}, last=name), most=1))
    keys = table.relation.identity
    on = {one: other for other in keys for one in _for_key(fields, table.fields, other)}
    if version == "broadcast by part":
        on = draw(pairs(fields, table.fields))
    if not on or (version != "broadcast by part" and sorted(on.values()) != sorted(keys)):
        return job
    step: dict[str, Any] = {
        "op": "table_join",
        "input": job.last,
        "table": table.last,
        "type": draw(st.sampled_from(["inner", "left"])),
    }
    step["on"] = on
    if version == "as_of":
        step |= {"version": "as_of", "retention": draw(st.sampled_from(RETENTIONS))}
    else:
        step |= {"version": "current"} | ({"broadcast": {}} if version != "current" else {})
    return draw(beside_each_other(table, step, fields, table.fields, conditions=False)) or job


def _for_key(fields: dict[str, str], table: dict[str, str], key: str) -> list[str]:
    """The field that refers to a table's key: of few values, or of the key's name, with compatible types."""
    of = table[key]
    found = [
        name for name in [*key_names(fields), key, *fields] if name in fields and _may_meet(fields[name], of)
    ]
    return found[:1]


STATES = {
    "aggregate": aggregates,
    "change": changes,
    "deduplicate": deduplicates,
    "latest": latests,
    "throttle": throttles,
    "join": joins,
    "table_join": table_joins,
}
WEIGHTED = (
    ("aggregate",) * 5
    + ("join",) * 4
    + ("table_join",) * 3
    + ("deduplicate",) * 3
    + ("change",) * 3
    + ("latest",) * 2
    + ("throttle",) * 2
)


@st.composite
def chains(draw: st.DrawFn, job: Job) -> Job:
    """Up to three stateful steps with row steps between; refused ones are left out."""
    for _ in range(draw(st.sampled_from([0, 1, 1, 1, 2, 2, 2, 3]))):
        job = draw(STATES[draw(st.sampled_from(WEIGHTED))](job))
        job = draw(draw(st.sampled_from([row_steps(job, most=2), any_step(job), any_step(job)])))
    return job


@st.composite
def any_step(draw: st.DrawFn, job: Job) -> Job:
    """A step of any possible operator, equally likely, so that rare neighbours are drawn, too."""
    if not job.fields:
        return job
    append_only = job.relation.kind == "append"
    op = draw(st.sampled_from(sorted({*fitting(job), *(STATES if append_only else ("table_join",))})))
    return draw(STATES[op](job) if op in STATES else row_step(job, op))


@st.composite
def beside(draw: st.DrawFn, job: Job, root: str) -> Job:
    """Another stateful step over the same rows, with a topic; final results and updates make two queries."""
    made = STATES[
        draw(st.sampled_from(["aggregate", "aggregate", "aggregate", "deduplicate", "latest", "join"]))
    ]
    other = draw(made(replace(job, last=root, topics={})))
    both = replace(
        job,
        contracts=other.contracts,
        steps=other.steps,
        topics={**job.topics, **other.topics, "beside": other.last},
    )
    return both if other.last != root and _of_one_clock(both) else job


@st.composite
def shown(draw: st.DrawFn, job: Job) -> Job:
    """A node on the way, whose rows go to a topic."""
    nodes = [
        name
        for name in (*job.steps, *job.contracts)
        if name != job.last and job.steps.get(name, {}).get("op") != "branch"
    ]
    if not nodes:
        return job
    both = replace(job, topics={**job.topics, "Out": draw(st.sampled_from(nodes))})
    return both if _of_one_clock(both) else job


def _of_one_clock(job: Job) -> bool:
    """Each query has the watermark of the sources that it reads; the oracle has one."""
    if not job.accepted:
        return False
    queries = job.plan(job.topics).queries
    return len({query.streaming.intersection(job.contracts) for query in queries}) == 1
