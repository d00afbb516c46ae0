"""Random cases for hypothesis: a random document over random batches, with the oracle's answer."""

import json
from collections import defaultdict
from dataclasses import replace
from random import Random
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from tests.oracle.answers import Batch, Content, Contracts, Counts, answered, scripted
from tests.oracle.cases import Case, Contents
from tests.oracle.random_jobs import ABOUT, Job
from tests.oracle.random_names import namings
from tests.oracle.random_rows import STARTS, last_record, records, schemas, table_records
from tests.oracle.random_states import any_step, beside, chains, shown
from tests.oracle.random_steps import row_steps, two_streams
from tests.oracle.random_times import DELAYS
from tests.oracle.records import PARTITION, TOMBSTONE
from tests.oracle.values import Undecided, as_json


@st.composite
def jobs(draw: st.DrawFn) -> Job:
    """Row steps over one stream or two, steps with state, and sometimes another aggregate beside them."""
    naming = draw(namings())
    job = Job(contracts={naming.source: draw(schemas(naming))}, last=naming.source, naming=naming)
    if draw(st.integers(0, 4)) == 0:
        job = draw(two_streams(job))
    job = draw(row_steps(job, most=3))
    root = job.last
    job = draw(any_step(job)) if draw(st.integers(0, 3)) == 0 else job
    job = draw(chains(job))
    if draw(st.integers(0, 4)) == 0:
        job = draw(beside(job, root))
    if draw(st.integers(0, 4)) == 0:
        job = draw(shown(job))
    streams = [name for name, contract in job.contracts.items() if contract.get("kind") != "table"]
    if len(streams) > 1 and draw(st.integers(0, 2)) == 0:
        job = replace(job, settings={"watermark": "max"})
    if draw(st.integers(0, 4)) == 0:
        delays = {draw(st.sampled_from(streams)): draw(st.sampled_from(DELAYS))}
        own = replace(job, delays=delays)
        job = own if own.accepted else job
    return draw(written_otherwise(job)) if job.topics and draw(st.integers(0, 2)) == 0 else job


@st.composite
def written_otherwise(draw: st.DrawFn, job: Job) -> Job:
    """With other names for some fields of a topic, or places in objects."""
    topic = draw(st.sampled_from(sorted(job.topics)))
    names = job.plan(job.topics).relation(job.topics[topic]).schema.names
    fields = [name for name in names if ABOUT not in name]  # that is compared by its name
    if not fields:
        return job
    kept = draw(st.lists(st.sampled_from(fields), min_size=1, max_size=3, unique=True))
    places = draw(st.permutations(WRITTEN))
    return replace(job, names={topic: dict(zip(kept, places, strict=False))})


WRITTEN = ("user-id", "@value", "a.b", "", ["around", "first place"], ["around", "within", "x"])
"""What a record may call its fields, which a job cannot: names, and paths of objects."""


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A case whose expected contents are the oracle's."""
    job = draw(jobs())
    assume(_reports_closed_windows(job))
    document = job.document(job.topics)
    read = list(json.loads(document)["sources"])
    contracts: Contracts = {name: job.contracts[name] for name in read}
    batches = draw(placed(draw(scripts(contracts)), contracts))
    try:
        contents, counts = answered(document, contracts, batches)
    except Undecided:
        contents, counts = [], Counts()
    streaming = job.plan(
        job.topics
    ).streaming  # upstream of a static input errors are not counted, and malformed records at its start only
    assume(bool(contents))
    after = _json(contents)
    return Case(
        "random",
        document,
        contracts,
        batches,
        after,
        counts.late,
        None,
        exact_batches=True,
        approximate=_about(after),
        errors={name: count for name, count in counts.errors.items() if name in streaming},
        malformed={name: count for name, count in counts.malformed.items() if name in streaming},
    )


def restarted(case: Case, starts: frozenset[int]) -> Case | None:
    """The case with expected contents when new processes begin with these batches; None where unspecified."""
    try:
        contents, _ = scripted(case.document, case.contracts, case.batches, starts)
    except Undecided:
        return None
    return replace(case, expected_after=_json(contents))


def _json(contents: list[dict[str, Content]]) -> list[Contents]:
    return [
        {name: {key: as_json(row) for key, row in content.items()} for name, content in by_output.items()}
        for by_output in contents
    ]


def _reports_closed_windows(job: Job) -> bool:
    """True when the contents after every batch are specified, not only the final ones.

    With an exchange, contents are specified in the end (`docs/semantics/queries-and-modes.md#exchange`), and
    after every batch only if the downstream query uses no time: neither rows of sources, which may be late by
    its clock, nor a time to live.
    """
    queries = job.plan(job.topics).queries
    timed = {name for name, step in job.steps.items() if "ttl" in step}
    return not any(
        query.exchange_in and (query.streaming & set(job.contracts) or query.live & timed)
        for query in queries
    )


@st.composite
def scripts(draw: st.DrawFn, contracts: Contracts) -> list[Batch]:
    """Batches of random rows, mostly ended by a much later row and what closes everything behind it.

    That is an empty batch; or rows of before, which come into what is just closing or, after an empty batch,
    too late.
    """
    start = draw(st.sampled_from(STARTS))
    spread = draw(st.sampled_from([5_000, 60_000, 7_200_000]))
    batches: list[Batch] = []
    step = draw(st.sampled_from([0, 2_000_000, 60_000_000, 3_600_000_000]))
    for number in range(draw(st.sampled_from([1, 2, 2, 3]))):
        at = start + draw(st.sampled_from([0, number, number])) * step  # some go back, and are late
        batches.append(draw(_batch(contracts, at, spread)))
    if draw(st.integers(0, 3)):
        moving = [
            name
            for name, contract in contracts.items()
            if contract.get("kind") != "table" or "delay" in contract
        ]
        before = draw(_batch(contracts, start, spread))
        batches += [
            {name: draw(last_record(contracts[name], start)) for name in moving},
            *draw(st.sampled_from([[{}], [{}], [before], [{}, before]])),
        ]
    return batches


@st.composite
def _batch(draw: st.DrawFn, contracts: Contracts, at: int, spread_ms: int) -> Batch:
    batch = {
        name: draw((table_records if contract.get("kind") == "table" else records)(contract, at, spread_ms))
        for name, contract in contracts.items()
    }
    return {name: sent for name, sent in batch.items() if sent}


@st.composite
def placed(draw: st.DrawFn, batches: list[Batch], contracts: Contracts) -> list[Batch]:
    """The records over up to three partitions, of which some may get none; those of a table's key in one."""
    number = draw(st.sampled_from([1, 1, 2, 3]))
    if number == 1:
        return batches
    random = Random(draw(st.integers(0, 2**16)))
    partitions: defaultdict[str, int] = defaultdict(lambda: random.randrange(number))  # by source and key

    def partition(name: str, values: dict[str, Any]) -> int:
        if contracts[name].get("kind") != "table":
            return random.randrange(number)
        keys = values.get(TOMBSTONE, values)
        return partitions[json.dumps([name, *(keys.get(key) for key in contracts[name]["key"])])]

    return [
        {
            name: [(at, {**values, PARTITION: partition(name, values)}) for at, values in records]
            for name, records in batch.items()
        }
        for batch in batches
    ]


def _about(after: list[dict[str, Any]]) -> dict[str, float]:
    rows = [row for by_output in after for content in by_output.values() for row in content.values()]
    return {name: 0.02 for row in rows for name in row if ABOUT in name}
