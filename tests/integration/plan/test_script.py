"""Rendered scripts, run by spark-submit, give the results of a golden case and of an example."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import pyspark
import pytest
from confluent_kafka import Producer

from examples.clicks.expected import expected as expected_clicks
from examples.clicks.generator import events as clicks
from jobs.formats.contract import StreamContract
from jobs.plan import plan_job
from jobs.plan.render import render
from tests.integration.examples.test_templates import BEGIN_MS, SEED, by_source, read, texts
from tests.oracle.cases import differences, load_cases
from tests.oracle.values import identity, iso
from tests.support.patience import PATIENCE
from tests.support.rendered_script import Record
from tests.support.secured_kafka import SecuredKafka
from weir.embedded.jars import jars

MAX_S = 300
pytestmark = [pytest.mark.integration, pytest.mark.long, pytest.mark.timeout(MAX_S)]

CASE = next(case for case in load_cases() if case.title == "6.2 stock statistics")


def script_of(document: Mapping[str, Any], contracts: Mapping[str, Any]) -> str:
    script = render(
        plan_job(
            document, {name: StreamContract.model_validate(contract) for name, contract in contracts.items()}
        )
    )
    assert script.refusals == ()
    return script.text


def submit(
    folder: Path, script: str, records: Mapping[str, Sequence[Record]]
) -> dict[str, list[dict[str, Any]]]:
    """Rows of each output, in order of the batches, after the script has read folders of these records."""
    for name, rows in records.items():
        (folder / name).mkdir()
        lines = [
            json.dumps({"timestamp": iso(at), "partition": 0, "offset": offset, "key": key, "value": value})
            for offset, (at, key, value) in enumerate(rows)
        ]
        (folder / name / "part.json").write_text("".join(f"{line}\n" for line in lines))
    return run_script(folder, script, *(f"{name}={folder / name}" for name in records))


def run_script(
    folder: Path, script: str, *arguments: str, packages: Sequence[Path] = ()
) -> dict[str, list[dict[str, Any]]]:
    """Rows of each output, in order of the batches, after the script has read what there is."""
    (folder / "script.py").write_text(script)
    command = [
        str(Path(pyspark.__file__).parent / "bin" / "spark-submit"),
        "--master",
        "local[2]",
        "--conf",
        "spark.sql.shuffle.partitions=2",
    ]
    if packages:
        command += ["--jars", ",".join(map(str, packages))]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    environment.pop("PYTHONPATH", None)  # nothing of Weir's may be found
    command += [str(folder / "script.py"), *arguments, "--once", "--out", str(folder / "out")]
    done = subprocess.run(
        command,
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=MAX_S * PATIENCE - 20,
        check=False,
    )
    causes = [line for line in done.stderr.splitlines() if "Exception" in line or "Error" in line]
    assert done.returncode == 0, "\n".join(causes)[-6_000:]
    found: dict[str, list[dict[str, Any]]] = {}
    for part in sorted(
        (folder / "out").glob("*/batch=*/part-*.json"),
        key=lambda path: int(path.parent.name.partition("=")[2]),
    ):
        found.setdefault(part.parent.parent.name, []).extend(map(json.loads, part.read_text().splitlines()))
    return found


def test_the_script_writes_the_names_that_an_output_says(tmp_path: Path) -> None:
    fields = [
        {"name": name, "type": type_}
        for name, type_ in (("k", "string"), ("x", "long"), ("y", "long"), ("z", "long"))
    ]
    names = {"k": "user-id", "x": ["total", "a.b"], "y": ["total", ""], "z": "${env:HOME}"}
    outputs = {
        "live": {"input": "s", "to": "result"},
        "out": {"input": "s", "to": {"topic": "t", "names": names}},
    }
    document = {"format": 1, "name": "names", "sources": {"s": {"stream": "s"}}, "outputs": outputs}
    records = [
        (BEGIN_MS * 1000, None, json.dumps(row)) for row in ({"k": "a", "x": 1, "y": 2, "z": 3}, {"k": "b"})
    ]
    found = submit(tmp_path, script_of(document, {"s": {"fields": fields}}), {"s": records})
    assert found["live"] == [{"k": "a", "x": 1, "y": 2, "z": 3}, {"k": "b", "x": None, "y": None, "z": None}]
    assert found["out"] == [
        {"user-id": "a", "total": {"a.b": 1, "": 2}, "${env:HOME}": 3},
        {"user-id": "b", "total": {"a.b": None, "": None}, "${env:HOME}": None},
    ]


def test_the_script_reads_a_kafka_that_asks_for_a_user(tmp_path: Path) -> None:
    kafka = SecuredKafka(tmp_path / "kafka", "secret")
    kafka.start()
    try:
        kafka.create_topic("in", 1)
        kafka.set_password("ann", "secret of ann")
        producer = Producer({"bootstrap.servers": kafka.bootstrap})
        for k in "abc":
            producer.produce("in", value=json.dumps({"k": k}).encode())
        assert producer.flush(20) == 0
        authority = kafka.ca.strip().replace("\n", " ")
        login = "org.apache.kafka.common.security.scram.ScramLoginModule required"
        options = tmp_path / "kafka.properties"
        options.write_text(
            "# of ann\n\nsecurity.protocol=SASL_SSL\nsasl.mechanism = SCRAM-SHA-512\n"
            f'sasl.jaas.config={login} username="ann" password="secret of ann";\n'
            f"ssl.truststore.type=PEM\nssl.truststore.certificates={authority}\n"
        )
        document = {
            "format": 1,
            "name": "secured",
            "sources": {"s": {"stream": "s"}},
            "outputs": {"live": {"input": "s", "to": "result"}},
        }
        found = run_script(
            tmp_path,
            script_of(document, {"s": {"fields": [{"name": "k", "type": "string"}]}}),
            *("s=in", "--bootstrap", kafka.secured, "--kafka-options", str(options)),
            packages=sorted(jars("spark").glob("*.jar")),
        )
        assert found["live"] == [{"k": k} for k in "abc"]
    finally:
        kafka.stop()


def test_the_script_gives_the_same_answer(tmp_path: Path) -> None:
    """The example's document with a filter and a derive before the aggregate, which have no effect."""
    document = json.loads(CASE.document)
    steps = {
        "some": {"op": "filter", "input": "s", "where": "ask > 0 and symbol rlike '^[A-Z]+$'"},
        "more": {
            "op": "derive",
            "input": "some",
            "fields": {"ask": "reduce(array(ask), 0e0, (a, x) -> a + x)"},
        },
        **{name: {**step, "input": "more", "grace": "2s"} for name, step in document["steps"].items()},
    }
    records = [(at, None, json.dumps(value)) for batch in CASE.batches for at, value in batch["s"]]
    script = script_of({**document, "steps": steps}, CASE.contracts)
    content: dict[str, dict[str, Any]] = {}
    for row in submit(tmp_path, script, {"s": [*records, (records[0][0], None, "not a record")]})["out"]:
        content[identity([row["window_start"], row["window_end"], row["symbol"]])] = row
    assert CASE.order_insensitive is not None
    assert differences(CASE.order_insensitive["out"], content, CASE.approximate) == []


def test_a_join_and_a_table_of_changes_give_the_same_answer(tmp_path: Path) -> None:
    """The template of clicks: its table is kept by a processor, which workers get from the script itself."""
    sent = list(takewhile(lambda due: due.at < 30, clicks(SEED, 5, BEGIN_MS)))
    document, contracts, source_of = read("clicks")
    rows = submit(tmp_path, script_of(document, contracts), texts(by_source(sent, source_of)))["live"]
    expected_pairs = expected_clicks(sent)
    assert sum(expected_pairs.values()) > 20
    assert (
        Counter((row["user"], row["page"], row["words"], row["region"], row["plan"]) for row in rows)
        == expected_pairs
    )
