"""A rendered script that begins again after a batch was written, but not committed, writes it once."""

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.plan.render import render
from tests.support.plan_helpers import planned

pytestmark = pytest.mark.integration

FIELDS = {"k": "string"}
RECORD = {"timestamp": "2026-01-01T10:00:00Z", "partition": 0, "offset": 0, "value": '{"k":"a"}'}


def test_a_batch_that_was_not_committed_is_written_once(spark: SparkSession, tmp_path: Path) -> None:
    script: dict[str, Any] = {"__name__": "weir_script"}
    exec(compile(render(planned({}, fields=FIELDS)).text, "script.py", "exec"), script)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "part.json").write_text(json.dumps(RECORD))
    options = argparse.Namespace(
        bootstrap=None,
        inputs=[f"s={tmp_path / 'in'}"],
        once=True,
        out=str(tmp_path / "out"),
        checkpoint=str(tmp_path / "checkpoint"),
    )
    for _ in range(2):
        frames = script["build"](spark.newSession(), options)
        script["start"]("out", frames["out"], options).awaitTermination()
        shutil.rmtree(tmp_path / "checkpoint" / "out" / "commits")
    written = (tmp_path / "out").glob("out/batch=*/part-*.json")
    assert [line for part in written for line in part.read_text().splitlines()] == ['{"k":"a"}']
