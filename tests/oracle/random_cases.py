"""Random cases for hypothesis: a random document over random batches, with the oracle's answer."""

import json
from typing import Any

from hypothesis import strategies as st

from tests.oracle.cases import Case
from tests.oracle.random_jobs import jobs
from tests.oracle.random_rows import CONTRACT, STARTS, TABLE, records, table_records
from tests.oracle.script import Batch, Contracts, scripted
from tests.oracle.values import as_json


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A case whose expected contents are the oracle's."""
    job = draw(jobs)
    start = draw(st.sampled_from(STARTS))
    spread = draw(st.sampled_from([5_000, 60_000, 7_200_000]))
    delay = draw(st.sampled_from(["0s", "1s", "10s"]))
    batches: list[Batch] = []
    for number in range(draw(st.integers(1, 4))):
        at = start + number * draw(st.sampled_from([0, 2_000_000, 60_000_000, 3_600_000_000]))
        batch = {name: draw(records(at, spread)) for name in job.streams} | {name: draw(table_records(at, spread)) for name in job.tables}
        batches.append({name: given for name, given in batch.items() if given})
    contracts: Contracts = {name: {**CONTRACT, "delay": delay} for name in job.streams}
    contracts |= {name: {**TABLE, **said} for name, said in job.tables.items()}
    outputs: dict[str, Any] = {"out": {"input": job.last, "to": "result"}}
    outputs |= {name: {"input": reference, "to": {"topic": name}} for name, reference in job.topics.items()}
    sources = {name: {"stream": name} for name in job.streams} | {name: {"table": name} for name in job.tables}
    document = json.dumps({"format": 1, "name": "random", "sources": sources, "steps": job.steps, "outputs": outputs})
    contents, late = scripted(document, contracts, batches)
    after = [{name: {key: as_json(row) for key, row in content.items()} for name, content in by_output.items()} for by_output in contents]
    return Case("random", document, contracts, batches, after, late, None, exact_batches=True)
