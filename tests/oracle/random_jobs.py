"""Random documents for hypothesis. Every text that they may hold has its meaning in `meanings.py`; the strategies put them together."""

from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC")
NUMERIC_MEASURES = ("count()", "count_if(x > 0)", "sum(x)", "sum(price)", "avg(x)", "avg(price)")
MEASURES = (
    *NUMERIC_MEASURES,
    "count(x)",
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
# Some of them are null by overflow, division by zero or a place that is not there.
EXPRESSIONS = (
    "1 + x",
    "2 * x",
    "10 / x",
    "x div 3",
    "x % 3",
    "big + 1",
    "big * 2",
    "price * 2",
    "price / 4",
    "upper(k)",
    "coalesce(k, 'none')",
    "_time",
)
TAG_EXPRESSIONS = ("size(tags)", "tags[0]", "array_contains(tags, 'a')")
CASTS = (  # of x none to long: the meanings of its expressions are those of an int
    {"big": "int"},
    {"y": "long"},
    {"price": "decimal(6,1)"},
    {"price": "int"},
    {"big": "int", "price": "int"},
)
SPANS = ("1s", "2s", "3s500ms", "10s", "1m", "1h")


@dataclass(frozen=True)
class Job:
    """Steps so far, the reference to read next, and what is read and put out besides.

    Attributes:
        steps: of the document.
        last: node or port that the next step reads, and in the end the result.
        streams: sources.
        tables: name → what the contract of the table says besides its fields.
        topics: name of an output → node or port.
        tags: the field tags is still there.
        stateful: a step keeps state, so that no update aggregate may follow.
    """

    steps: dict[str, Any] = field(default_factory=dict)
    last: str = "s"
    streams: tuple[str, ...] = ("s",)
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    topics: dict[str, str] = field(default_factory=dict)
    tags: bool = True
    stateful: bool = False

    def then(self, **step: Any) -> "Job":
        """With one more step, which reads the last one unless it says what it reads."""
        name = f"step{len(self.steps)}"
        reads = {} if "left" in step or "inputs" in step else {"input": self.last}
        return replace(self, steps={**self.steps, name: {**reads, **step}}, last=name)


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
def beginnings(draw: st.DrawFn) -> Job:
    """One stream, two as one, or one twice as one."""
    source_field = draw(st.sampled_from([{}, {"source_field": "origin"}]))
    match draw(st.sampled_from(["one", "one", "two", "twice"])):
        case "two":
            job = Job(streams=("s", "r")).then(
                op="union", inputs=["s", "r"], mode=draw(st.sampled_from(["strict", "by_name"])), **source_field
            )
        case "twice":
            one = Job().then(op="filter", where=draw(st.sampled_from(CONDITIONS)))
            other = replace(one, last="s").then(op="derive", fields={"x": "2 * x"})
            job = other.then(op="union", inputs=["step0", "step1"], **source_field)
        case _:
            job = Job()
    return job


@st.composite
def row_steps(draw: st.DrawFn, job: Job, most: int = 3) -> Job:
    """Steps that keep the fields of the stream, but for tags."""
    for _ in range(draw(st.integers(0, most))):
        match draw(st.sampled_from(["filter", "derive", "sample", "rename", "deduplicate", "cast", "explode", "branch"])):
            case "filter":
                job = job.then(op="filter", where=draw(st.sampled_from(CONDITIONS)))
            case "derive":
                texts = (*EXPRESSIONS, *TAG_EXPRESSIONS) if job.tags else EXPRESSIONS
                job = job.then(op="derive", fields={f"more{len(job.steps)}": draw(st.sampled_from(texts))})
            case "sample":
                job = job.then(op="sample", fraction=draw(st.sampled_from([0.25, 0.5, 1.0])))
            case "rename":
                job = job.then(op="rename", fields={"y": "y2"}).then(op="rename", fields={"y2": "y"})
            case "cast":
                job = job.then(op="cast", fields=draw(st.sampled_from(CASTS)))
            case "explode" if job.tags:
                more = draw(st.sampled_from([{}, {"keep_empty": True}, {"position": f"place{len(job.steps)}"}]))
                job = replace(job.then(op="explode", field="tags", **{"as": "tag"}, **more), tags=False)
            case "branch":
                job = draw(branches(job))
            case "deduplicate" if not job.stateful:
                job = replace(job.then(op="deduplicate", by=["k", "x"], within="exact"), stateful=True)
    return job


@st.composite
def branches(draw: st.DrawFn, job: Job) -> Job:
    """A branch whose one output goes on; another may go to a topic."""
    one, other = draw(st.permutations(CONDITIONS))[:2]
    job = job.then(op="branch", branches={"one": one, "other": other}, match=draw(st.sampled_from(["first", "all"])), rest="rest")
    first, second, _ = draw(st.permutations([f"{job.last}.{port}" for port in ("one", "other", "rest")]))
    return replace(job, last=first, topics={**job.topics, **draw(st.sampled_from([{}, {f"side{len(job.steps)}": second}]))})


@st.composite
def row_jobs(draw: st.DrawFn) -> Job:
    """Row steps, then an aggregate with its changes or late rows, the latest of each key, or nothing."""
    job = draw(row_steps(draw(beginnings())))
    match draw(st.sampled_from(["aggregate", "aggregate", "aggregate", "latest", "change", "rows"])):
        case "aggregate":
            return draw(aggregates(job))
        case "change":
            return draw(changes(job))
        case "latest" if not job.stateful:
            gone = draw(st.sampled_from([{}, {"delete_when": "x is null"}, {"delete_when": "x > 0"}]))
            return job.then(op="latest", by=["k"], **gone)
        case _:
            return job


@st.composite
def aggregates(draw: st.DrawFn, job: Job) -> Job:
    """An aggregate over any window; its late rows may go to a topic."""
    window, more = draw(windows())
    if job.stateful and (window == "none" or more.get("emit") == "update"):
        return job
    late = window != "none" and draw(st.integers(0, 4)) == 0
    measures = draw(st.lists(st.sampled_from(MEASURES), min_size=1, max_size=4, unique=True))
    named = {f"m{at}": text for at, text in enumerate(measures)}
    more |= {"late": "dead_letter"} if late else {}
    job = job.then(op="aggregate", window=window, by=draw(st.sampled_from([[], ["k"], ["k", "x"]])), measures=named, **more)
    return replace(job, topics={**job.topics, "late": f"{job.last}.late"}) if late else job


@st.composite
def changes(draw: st.DrawFn, job: Job) -> Job:
    """The changes of an aggregate whose windows follow each other."""
    zone = draw(st.sampled_from(ZONES))
    window = draw(st.sampled_from([*({"tumbling": {"size": span}} for span in SPANS), {"calendar": {"unit": "day", "zone": zone}}]))
    measures = draw(st.lists(st.sampled_from(NUMERIC_MEASURES), min_size=1, max_size=3, unique=True))
    named = {f"m{at}": text for at, text in enumerate(measures)}
    emit = "final" if job.stateful else draw(st.sampled_from(["update", "final"]))
    job = job.then(op="aggregate", window=window, by=draw(st.sampled_from([[], ["k"]])), measures=named, emit=emit)
    return job.then(op="change", of=draw(st.sampled_from([["m0"], list(named)])), missing=draw(st.sampled_from(["null", "zero"])))


@st.composite
def join_jobs(draw: st.DrawFn) -> Job:
    """Two streams joined."""
    before, after = draw(st.sampled_from([("0s", "2s"), ("3s", "1s"), ("2s", "-1s"), ("0s", "0s"), ("1m", "1m")]))
    return Job(streams=("s", "r")).then(
        op="join",
        left="s",
        right="r",
        type=draw(st.sampled_from(["inner", "left", "right", "full", "semi", "anti"])),
        on={"k": "k"} | draw(st.sampled_from([{}, {"x": "x"}])),
        between={"before": before, "after": after},
        prefix="r_",
    )


@st.composite
def table_jobs(draw: st.DrawFn) -> Job:
    """Rows of a stream beside a table as it is, or as it was."""
    contract = draw(st.sampled_from([{}, {"version_by": "event_time"}]))
    version = draw(st.sampled_from(["current", "as_of"]))
    if version == "as_of":
        contract = contract | draw(st.sampled_from([{}, {"delay": "1s"}]))
    job = draw(row_steps(Job(tables={"t": contract}), most=1))
    more = {"retention": draw(st.sampled_from(["1s", "1h"]))} if version == "as_of" else {}
    type_ = draw(st.sampled_from(["inner", "left"]))
    return job.then(op="table_join", table="t", type=type_, on={"k": "k"}, version=version, prefix="t_", **more)


jobs = st.one_of(row_jobs(), row_jobs(), row_jobs(), join_jobs(), table_jobs())
