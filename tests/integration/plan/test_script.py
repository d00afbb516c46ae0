"""A rendered script, run once by plain spark-submit in a process of its own, gives the answer of the contract's example."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyspark
import pytest

from jobs.formats.contract import StreamContract
from jobs.plan import plan_job
from jobs.plan.render import render
from tests.oracle.cases import differences, load_cases
from tests.oracle.values import identity, iso

pytestmark = [pytest.mark.integration, pytest.mark.long]

CASE = next(case for case in load_cases() if case.title == "6.2 stock statistics")


def script_of_the_case() -> str:
    """The example's document with a filter and a derive before the aggregate, which change nothing of its answer."""
    document = json.loads(CASE.document)
    steps = {
        "some": {"op": "filter", "input": "s", "where": "ask > 0 and symbol rlike '^[A-Z]+$'"},
        "more": {"op": "derive", "input": "some", "fields": {"ask": "reduce(array(ask), 0e0, (a, x) -> a + x)"}},
        **{name: {**step, "input": "more", "grace": "2s"} for name, step in document["steps"].items()},
    }
    plan = plan_job({**document, "steps": steps}, {"s": StreamContract.model_validate(CASE.contracts["s"])})
    script = render(plan)
    assert script.refusals == ()
    return script.text


def test_the_script_gives_the_same_answer(tmp_path: Path) -> None:
    records = [record for batch in CASE.batches for record in batch["s"]]
    folder = tmp_path / "records"
    folder.mkdir()
    rows = [
        {"append_time": iso(at), "partition": 0, "offset": offset, "value": json.dumps(value)} for offset, (at, value) in enumerate(records)
    ]
    bad = {"append_time": iso(records[0][0]), "partition": 0, "offset": len(rows), "value": "not a record"}
    (folder / "part.json").write_text("".join(json.dumps(row) + "\n" for row in [*rows, bad]))
    script = tmp_path / "script.py"
    script.write_text(script_of_the_case())
    command = [str(Path(pyspark.__file__).parent / "bin" / "spark-submit"), "--master", "local[2]", str(script), f"s={folder}"]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        [*command, "--once", "--out", str(tmp_path / "out")], env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    content: dict[str, dict[str, Any]] = {}
    for part in sorted((tmp_path / "out").glob("batch=*/part-*.json")):
        for line in part.read_text().splitlines():
            row = json.loads(line)
            row = {name: canonical(value) if name.startswith("window_") else value for name, value in row.items()}
            content[identity([row["window_start"], row["window_end"], row["symbol"]])] = row
    assert CASE.order_insensitive is not None
    assert differences(CASE.order_insensitive["out"], content, CASE.approximate) == []


def canonical(instant: str) -> str:
    """Spark writes ``2026-01-01T10:00:00.000Z``; results have six digits."""
    return instant.removesuffix("Z") + "000Z"
