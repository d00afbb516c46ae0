"""Stateless steps of random documents, and unions."""

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from tests.oracle.expression_templates import CONDITIONS, EXPRESSIONS
from tests.oracle.random_jobs import TAKEN, Job, kind_of, of_kinds, texts
from tests.oracle.random_names import KEYS as KEY_NAMES
from tests.oracle.random_names import ODD_FIELDS, written
from tests.oracle.random_rows import WIDE, like

ATOMIC = f"boolean int long double decimal {WIDE} string bytes timestamp date"
KEYS = f"boolean int long decimal {WIDE} string bytes timestamp date"
# What each kind is cast to.
CASTS = {
    "boolean": ("int", "long", "string"),
    "int": ("long", "double", "string", "boolean", "decimal(6,1)", "timestamp"),
    "long": ("int", "double", "string", "boolean", "decimal(10,2)"),
    "double": ("int", "long", "string", "decimal(10,2)", WIDE),
    "decimal": ("int", "long", "double", "string", "decimal(6,1)", "decimal(12,3)"),
    "string": ("int", "long", "double", "boolean", "decimal(6,1)", "timestamp", "date", "bytes"),
    "bytes": ("string",),
    "timestamp": ("string", "date", "long", "double"),
    "date": ("string", "timestamp"),
}
OPERATORS = (
    "filter",
    "filter",
    "filter",
    "derive",
    "derive",
    "select",
    "select",
    "drop",
    "flatten",
    "flatten",
    "flatten",
    "split",
    "split",
    "sample",
    "rename",
    "cast",
    "cast",
    "explode",
    "explode",
    "branch",
    "union",
    "union",
    "union",
)


TAKES_APART = {"flatten": "struct", "split": "string", "explode": "array map"}
APPEND_ONLY_OPERATORS = ("split", "explode", "union")


def fitting(job: Job) -> list[str]:
    """The operators that fields and kind of the rows allow, by weight."""
    fields, append_only = job.fields, job.relation.kind == "append"
    found = [
        op
        for op in OPERATORS
        if (append_only or op not in APPEND_ONLY_OPERATORS) and (len(fields) > 2 or op != "drop")
    ]
    return [op for op in found if op not in TAKES_APART or of_kinds(fields, TAKES_APART[op])]


@st.composite
def row_steps(draw: st.DrawFn, job: Job, most: int = 3) -> Job:
    """Steps of one row each, or a union of the rows with themselves."""
    for _ in range(draw(st.integers(0, most))):
        if job.fields:  # nothing is decided by those that are only about right
            found = fitting(job)
            job = draw(
                row_step(job, draw(st.sampled_from(draw(st.sampled_from([found, sorted(set(found))])))))
            )
    return job


@st.composite
def row_step(draw: st.DrawFn, job: Job, op: str) -> Job:
    """One step of that operator, where the fields allow it."""
    fields = job.fields
    match op:
        case "filter":
            return job.then(op="filter", where=draw(texts(job.readable, CONDITIONS)))
        case "derive":
            text = draw(texts(job.readable, (*EXPRESSIONS, *CONDITIONS)))
            name = draw(st.sampled_from([draw(new_names(job, "more")), *of_kinds(fields, "string int")]))
            return job.then(op="derive", fields={name: text})
        case "select":
            kept = draw(st.lists(st.sampled_from(sorted(fields)), min_size=1, max_size=6, unique=True))
            kept = list(dict.fromkeys([*key_names(fields), *kept])) if draw(st.integers(0, 3)) else kept
            if draw(st.booleans()):
                return job.then(op="select", fields=kept)
            made = {name: written(name) for name in kept}
            made |= {draw(new_names(job, "more")): draw(texts(job.readable, (*EXPRESSIONS, *CONDITIONS)))}
            return job.then(op="select", fields=made)
        case "drop":
            found = sorted(set(fields) - set(key_names(fields)))
            gone = (
                draw(st.lists(st.sampled_from(found), min_size=1, max_size=len(fields) - 2, unique=True))
                if found
                else []
            )
            return job.then(op="drop", fields=gone) if gone else job
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


def key_names(fields: dict[str, str]) -> list[str]:
    """The field of few values, as far as it is still there under its name."""
    return [name for name in fields if name in KEY_NAMES][:1]


@st.composite
def new_names(draw: st.DrawFn, job: Job, plain: str) -> str:
    """A name for a step's field; in odd documents perhaps an odd one, or an input's name in another case."""
    names = [f"{plain}{len(job.steps)}"]
    if job.naming.fields and job.fields:
        names += [draw(st.sampled_from(ODD_FIELDS)), draw(st.sampled_from(sorted(job.fields))).swapcase()]
    found = draw(st.sampled_from(names))
    return found if found not in job.relation.schema else names[0]


@st.composite
def renamed_or_cast(draw: st.DrawFn, job: Job, op: str) -> Job:
    """Other names, two of them swapped perhaps, or other types."""
    fields = job.fields
    castable = [name for name, type_ in fields.items() if kind_of(type_) in CASTS]
    if op == "cast" and castable:
        names = draw(st.lists(st.sampled_from(castable), min_size=1, max_size=2, unique=True))
        return job.then(
            op="cast", fields={name: draw(st.sampled_from(CASTS[kind_of(fields[name])])) for name in names}
        )
    if op == "cast" or len(fields) < 2:
        return job
    one, other = draw(st.permutations(sorted(fields)))[:2]
    names = [
        {one: draw(new_names(job, "other"))},
        {one: other, other: one},
        {one: one.swapcase()},
        {one: other},
    ]
    return job.then(op="rename", fields=draw(st.sampled_from(names)), may=TAKEN)


@st.composite
def taken_apart(draw: st.DrawFn, job: Job, op: str) -> Job:
    """flatten, split and explode, where there is something to take apart."""
    fields, at = job.fields, len(job.steps)
    found = of_kinds(fields, TAKES_APART[op])
    name = draw(st.sampled_from(found))
    more: dict[str, Any]
    match op:
        case "flatten":
            more = draw(st.sampled_from([{"prefix": f"part{at}_"}, {"prefix": ""}, {}]))
            return job.then(op="flatten", field=name, **more, may=TAKEN)
        case "split":
            more = {"by": draw(st.sampled_from(["words", "o", " "])), "lower": draw(st.booleans())}
            names = draw(st.sampled_from([{"as": draw(new_names(job, "word"))}, {"as": name}, {}]))
            return job.then(op="split", field=name, **names, **more, may=TAKEN)
        case _:
            more = draw(st.sampled_from([{}, {"keep_empty": True}, {"position": f"place{at}"}]))
            if kind_of(fields[name]) == "map":
                names = draw(
                    st.sampled_from([{"key": f"key{at}", "value": draw(new_names(job, "value"))}, {}])
                )
            else:
                names = draw(st.sampled_from([{"as": draw(new_names(job, "tag"))}, {"as": name}, {}]))
            return job.then(op="explode", field=name, **names, **more, may=TAKEN)


@st.composite
def branches(draw: st.DrawFn, job: Job) -> Job:
    """A branch whose one output goes on; others may go to topics."""
    one, other = draw(texts(job.readable, CONDITIONS)), draw(texts(job.readable, CONDITIONS))
    ports = draw(st.sampled_from([("one", "other", "rest"), ("one", "One", "rest"), ("k", "x", "late")]))
    match = draw(st.sampled_from(["first", "all"]))
    made = job.then(op="branch", branches={ports[0]: one, ports[1]: other}, match=match, rest=ports[2])
    if made is job:
        return job
    first, *rest = draw(st.permutations([f"{made.last}.{port}" for port in ports]))
    topics = {f"side{len(made.steps)}_{at}": port for at, port in enumerate(rest[: draw(st.integers(1, 2))])}
    aside = replace(made, last=first, topics={**made.topics, **topics})
    return aside if draw(st.booleans()) and aside.accepted else replace(made, last=first)


@st.composite
def unions(draw: st.DrawFn, job: Job) -> Job:
    """The rows once more with themselves, changed on the way."""
    one = job.then(op="filter", where=draw(texts(job.readable, CONDITIONS)))
    ints = of_kinds(job.fields, "int")
    fields = (
        {
            draw(st.sampled_from(ints)): draw(
                st.sampled_from([f"2 * {written(ints[0])}", f"10 / {written(ints[0])}"])
            )
        }
        if ints
        else {}
    )
    fields = fields or {draw(new_names(job, "more")): "_time"}
    other = (
        replace(one, last=job.last).then(op="derive", fields=fields)
        if ints or "_time" in job.readable
        else one
    )
    if one is job or other is one or other.last == job.last:
        return job
    more = draw(st.sampled_from([{}, {"source_field": f"origin{len(job.steps)}"}]))
    choices = [
        [one.last, other.last],
        [other.last, one.last],
        [one.last, job.last, other.last],
        [one.last, job.last],
        [job.last, other.last],
    ]
    inputs = draw(st.sampled_from(choices))
    return other.then(op="union", inputs=inputs, **more)


@st.composite
def two_streams(draw: st.DrawFn, job: Job) -> Job:
    """Two streams as one."""
    mode = draw(st.sampled_from(["strict", "by_name", "by_name"]))
    second = draw(like(job.contracts[job.last], strict=mode == "strict"))
    more = draw(st.sampled_from([{}, {"source_field": "origin"}, {"source_field": "Origin"}]))
    # A step of row steps on the way, as far as it leaves what the other has.
    both = replace(job, contracts={**job.contracts, "r": second})
    changed = both.reading("r").then(op="filter", where=draw(texts(both.reading("r").readable, CONDITIONS)))
    other = changed if draw(st.booleans()) else both.reading("r")
    return replace(other, last=job.last).then(op="union", inputs=[job.last, other.last], mode=mode, **more)
