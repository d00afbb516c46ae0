"""Steps of random documents that look at one row at a time, and unions."""

from dataclasses import replace

from hypothesis import strategies as st

from tests.oracle.forms import CONDITIONS, EXPRESSIONS
from tests.oracle.random_jobs import Job, kind_of, of_kinds, texts
from tests.oracle.random_rows import like

ATOMIC = "boolean int long double decimal string bytes timestamp date"
KEYS = "boolean int long decimal string bytes timestamp date"
# What each kind is cast to; double to text is Java's own writing, which the oracle does not know.
CASTS = {
    "boolean": ("int", "string"),
    "int": ("long", "double", "string", "boolean", "decimal(6,1)"),
    "long": ("int", "double", "string", "decimal(10,2)"),
    "double": ("int", "long"),
    "decimal": ("int", "long", "string", "decimal(6,1)", "decimal(12,3)"),
    "string": ("int", "long", "boolean", "decimal(6,1)"),
    "timestamp": ("string", "date"),
    "date": ("string", "timestamp"),
}
OPERATORS = (
    "filter",
    "filter",
    "derive",
    "derive",
    "select",
    "drop",
    "flatten",
    "split",
    "sample",
    "rename",
    "cast",
    "explode",
    "branch",
    "union",
)


@st.composite
def row_steps(draw: st.DrawFn, job: Job, most: int = 3) -> Job:
    """Steps of one row each, or a union of the rows with themselves."""
    for _ in range(draw(st.integers(0, most))):
        if job.fields:  # nothing is decided by those that are only about right
            job = draw(row_step(job, draw(st.sampled_from(OPERATORS))))
    return job


@st.composite
def row_step(draw: st.DrawFn, job: Job, op: str) -> Job:
    """One step of that operator, where the fields allow it."""
    fields, at = job.fields, len(job.steps)
    match op:
        case "filter":
            return job.then(op="filter", where=draw(texts(job.readable, CONDITIONS)))
        case "derive":
            text = draw(texts(job.readable, (*EXPRESSIONS, *CONDITIONS)))
            name = draw(st.sampled_from([f"more{at}", *of_kinds(fields, "string int")]))
            return job.then(op="derive", fields={name: text})
        case "select":
            kept = draw(st.lists(st.sampled_from(sorted(fields)), min_size=1, max_size=6, unique=True))
            kept = list(dict.fromkeys(["k", *kept])) if "k" in fields and draw(st.integers(0, 3)) else kept
            if draw(st.booleans()):
                return job.then(op="select", fields=kept)
            made = {name: name for name in kept} | {f"more{at}": draw(texts(job.readable, (*EXPRESSIONS, *CONDITIONS)))}
            return job.then(op="select", fields=made)
        case "drop" if len(fields) > 2:
            gone = draw(st.lists(st.sampled_from(sorted(set(fields) - {"k"})), min_size=1, max_size=len(fields) - 2, unique=True))
            return job.then(op="drop", fields=gone)
        case "sample":
            return job.then(op="sample", fraction=draw(st.sampled_from([0.25, 0.5, 1.0])))
        case "branch":
            return draw(branches(job))
        case "union":
            return draw(unions(job))
        case "rename" | "cast":
            return draw(renamed_or_cast(job, op))
        case _:
            return draw(taken_apart(job, op))


@st.composite
def renamed_or_cast(draw: st.DrawFn, job: Job, op: str) -> Job:
    """Other names, two of them swapped perhaps, or other types."""
    fields = job.fields
    castable = [name for name, type_ in fields.items() if kind_of(type_) in CASTS]
    if op == "cast" and castable:
        names = draw(st.lists(st.sampled_from(castable), min_size=1, max_size=2, unique=True))
        return job.then(op="cast", fields={name: draw(st.sampled_from(CASTS[kind_of(fields[name])])) for name in names})
    if op == "cast" or len(fields) < 2:
        return job
    one, other = draw(st.permutations(sorted(fields)))[:2]
    return job.then(op="rename", fields=draw(st.sampled_from([{one: f"other{len(job.steps)}"}, {one: other, other: one}])))


@st.composite
def taken_apart(draw: st.DrawFn, job: Job, op: str) -> Job:
    """flatten, split and explode, where there is something to take apart."""
    fields, at = job.fields, len(job.steps)
    wanted = {"flatten": "struct", "split": "string", "explode": "array<string> map"}.get(op, "")
    found = of_kinds(fields, wanted)
    if not found:
        return job
    name = draw(st.sampled_from(found))
    match op:
        case "flatten":
            return job.then(op="flatten", field=name, prefix=f"part{at}_")
        case "split":
            more = {"by": draw(st.sampled_from(["words", "o", " "])), "lower": draw(st.booleans())}
            return job.then(op="split", field=name, **{"as": f"word{at}"}, **more)
        case _:
            more = draw(st.sampled_from([{}, {"keep_empty": True}, {"position": f"place{at}"}]))
            names = {"key": f"key{at}", "value": f"value{at}"} if kind_of(fields[name]) == "map" else {"as": f"tag{at}"}
            return job.then(op="explode", field=name, **names, **more)


@st.composite
def branches(draw: st.DrawFn, job: Job) -> Job:
    """A branch whose one output goes on; another may go to a topic."""
    one, other = draw(texts(job.readable, CONDITIONS)), draw(texts(job.readable, CONDITIONS))
    made = job.then(op="branch", branches={"one": one, "other": other}, match=draw(st.sampled_from(["first", "all"])), rest="rest")
    if made is job:
        return job
    first, second, _ = draw(st.permutations([f"{made.last}.{port}" for port in ("one", "other", "rest")]))
    aside = replace(made, last=first, topics={**made.topics, f"side{len(made.steps)}": second})
    return aside if draw(st.booleans()) and aside.accepted else replace(made, last=first)


@st.composite
def unions(draw: st.DrawFn, job: Job) -> Job:
    """The rows once more with themselves, changed on the way."""
    one = job.then(op="filter", where=draw(texts(job.readable, CONDITIONS)))
    ints = of_kinds(job.fields, "int")
    fields = {draw(st.sampled_from(ints)): draw(st.sampled_from([f"2 * {ints[0]}", f"10 / {ints[0]}"]))} if ints else {"more": "_time"}
    other = replace(one, last=job.last).then(op="derive", fields=fields) if ints or "_time" in job.readable else one
    if one is job or other is one or other.last == job.last:
        return job
    more = draw(st.sampled_from([{}, {"source_field": f"origin{len(job.steps)}"}]))
    return other.then(op="union", inputs=[one.last, other.last], **more)


@st.composite
def two_streams(draw: st.DrawFn, job: Job) -> Job:
    """Two streams as one."""
    mode = draw(st.sampled_from(["strict", "by_name", "by_name"]))
    second = draw(like(job.contracts["s"], strict=mode == "strict"))
    more = draw(st.sampled_from([{}, {"source_field": "origin"}]))
    return replace(job, contracts={**job.contracts, "r": second}).then(op="union", inputs=["s", "r"], mode=mode, **more)
