"""The golden cases that the composer opens as tests: each passes on Spark as it is shipped."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from pyspark.sql import SparkSession

from jobs.engine.play import play
from jobs.formats.contract import StreamContract
from jobs.job_tests.playable import PlayableTest, judge, playable
from jobs.plan import plan_job
from tests.support.worked_examples import FILE

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

EXAMPLES: Final = [
    (operator, example)
    for operator, found in json.loads(FILE.read_text("utf-8")).items()
    for example in found
]
IN_EVERY_RUN: Final = ("Hopping with late rows", "Left join, when the null row appears")


@pytest.mark.parametrize(
    "example",
    [
        pytest.param(
            example,
            id=f"{operator}: {example['title']}",
            marks=[] if example["title"] in IN_EVERY_RUN else [pytest.mark.long],
        )
        for operator, example in EXAMPLES
    ],
)
def test_it_passes(spark: SparkSession, tmp_path: Path, example: dict[str, Any]) -> None:
    contracts = {name: StreamContract.model_validate(one) for name, one in example["streams"].items()}
    plan = plan_job(example["document"], contracts)
    made = playable(example["test"], plan, contracts)
    assert isinstance(made, PlayableTest), made
    result = judge(made, play(spark, made.script, tmp_path), None).result
    assert result.status == "passed", "\n".join(result.text_lines())
