"""``python -m jobs.engine.job_tests``: a folder of jobs with tests, as a user's CI runs it."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

ROOT = Path(__file__).resolve().parents[3]
STREAMS = """\
- name: orders
  contract:
    fields: [{name: shop, type: string}, {name: amount, type: double}]
"""
DOCUMENT = """\
format: 1
name: large-orders
sources: {orders: {stream: orders}}
steps:
  large: {op: filter, input: orders, where: amount > 10}
  shown: {op: select, input: large, fields: {shop: upper(shop), amount: amount}}
outputs:
  live: {input: shown, to: result}
"""
TEST = """\
format: 1
name: large orders come
batches:
  - records:
      orders:
        - {at: 1s, values: {shop: a, amount: 10.5}}
        - {at: 2s, values: {shop: b, amount: 9}}
expect:
  outputs:
    live:
      rows: [{shop: A, amount: 10.5}]
"""


def command(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, "-m", "jobs.engine.job_tests", str(folder), *more],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )


def write(folder: Path, **texts: str) -> None:
    (folder / "large" / "tests").mkdir(parents=True, exist_ok=True)
    for name, text in {"streams": STREAMS, "large/document": DOCUMENT, **texts}.items():
        (folder / f"{name}.yaml").write_text(text)


@pytest.mark.thorough
def test_passing_tests_then_failing_ones(tmp_path: Path) -> None:
    folder, accepted, junit = tmp_path / "jobs", tmp_path / "accepted.json", tmp_path / "junit.xml"
    write(folder, **{"large/tests/one": TEST})
    passing = command(folder, "--accepted", str(accepted))
    assert passing.returncode == 0, passing.stdout + passing.stderr
    assert "1 job, 1 test: 1 passed" in passing.stdout

    invalid = TEST.replace("large orders come", "invalid").replace("orders:\n        -", "order:\n        -")
    changed = DOCUMENT.replace("amount > 10", "amount > 8")
    write(folder, **{"large/tests/one": TEST, "large/tests/two": invalid, "large/document": changed})
    failing = command(folder, "--accepted", str(accepted), "--junit", str(junit))
    assert failing.returncode == 1, failing.stdout + failing.stderr
    assert '+ {"shop": "B", "amount": 9.0}' in failing.stdout
    assert "in step large, batch 1" in failing.stdout
    assert "batches.0.records.order: The job has no source 'order'." in failing.stdout
    (suite,) = ET.parse(junit).getroot().findall("testsuite")
    assert {name: suite.attrib[name] for name in ("name", "tests", "failures", "errors")} == {
        "name": "large",
        "tests": "2",
        "failures": "1",
        "errors": "1",
    }


def test_a_folder_that_cannot_be_read(tmp_path: Path) -> None:
    found = command(tmp_path)
    assert found.returncode == 2
    assert "No tests in" in found.stderr
