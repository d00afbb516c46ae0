"""A rendered script's functions in an existing session, over folders of records as on its command line."""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from jobs.engine.sinks.kafka import row_json_sql
from jobs.plan import Plan
from jobs.plan.render import render
from tests.oracle.values import identity, iso
from tests.support.record_texts import key_text, value_text

Record = tuple[int, str | None, str | None]
"""Kafka timestamp in µs, key and value as they were sent; a value of None deletes its key from a table."""
Rows = list[dict[str, Any]]


class RenderedScript:
    """The script of a plan.

    Args:
        spark: a session; the script gets one of its own.
        folder: new; for records and checkpoints.
        plan: that can be a script.
    """

    def __init__(self, spark: SparkSession, folder: Path, plan: Plan) -> None:
        script = render(plan)
        assert script.refusals == ()
        self._plan = plan
        self._folder = folder
        self._parts: dict[str, Any] = {"__name__": "weir_script"}
        exec(compile(script.text, "script.py", "exec"), self._parts)
        self._session = spark.newSession()
        self._session.conf.set("spark.sql.shuffle.partitions", "1")
        self._parts["configure"](self._session)
        self._offsets = dict.fromkeys(self._parts["SOURCES"], 0)
        self._batches = 0
        self._rows: dict[str, Rows] = {sink.name: [] for sink in plan.sinks}

    def read(self, records: Mapping[str, Sequence[Record]]) -> None:
        """Read these records of each source after all that were read before, until all is read and closed."""
        for name in self._parts["SOURCES"]:
            lines = [self._line(name, *record) for record in records.get(name, ())]
            (self._folder / name).mkdir(parents=True, exist_ok=True)
            # A blank line is a file without rows.
            (self._folder / name / f"{self._batches:04}.json").write_text(
                "".join(f"{line}\n" for line in lines) or "\n"
            )
        self._batches += 1
        inputs = [f"{name}={self._folder / name}" for name in self._parts["SOURCES"]]
        frames = self._parts["build"](self._session, argparse.Namespace(bootstrap=None, inputs=inputs))
        for sink in self._plan.sinks:
            self._run(sink.name, frames[sink.name])

    def rows(self, output: str) -> Rows:
        """What an output has given: of an append-only one each row, of a changelog what its rows come to."""
        relation = self._plan.relation(
            next(sink.reference for sink in self._plan.sinks if sink.name == output)
        )
        sent = self._rows[output]
        if relation.kind == "append":
            return sent
        content: dict[str, dict[str, Any]] = {}
        for row in sent:
            key = identity([row[name] for name in relation.identity])
            content.pop(key, None)
            if not row.get("_deleted"):
                content[key] = {name: value for name, value in row.items() if name != "_deleted"}
        return list(content.values())

    def _line(self, name: str, at: int, key: str | None, value: str | None) -> str:
        row: dict[str, Any] = {"timestamp": iso(at), "partition": 0, "offset": self._offsets[name]}
        self._offsets[name] += 1
        return json.dumps(
            row | ({"key": key} if key is not None else {}) | ({"value": value} if value is not None else {})
        )

    def _run(self, name: str, frame: DataFrame) -> None:
        relation = self._plan.relation(next(sink.reference for sink in self._plan.sinks if sink.name == name))
        deleted = "_deleted" in frame.columns

        def keep(batch: DataFrame, number: int) -> None:
            shown = batch.select(F.expr(row_json_sql(relation)), F.expr("_deleted" if deleted else "false"))
            for text, gone in shown.collect():
                self._rows[name].append({**json.loads(text), **({"_deleted": gone} if deleted else {})})

        writing = frame.writeStream.outputMode(self._parts["MODES"][name]).foreachBatch(keep)
        writing = writing.option("checkpointLocation", str(self._folder / "checkpoint" / name))
        writing.trigger(availableNow=True).start().awaitTermination()


def records_of(contract: Mapping[str, Any], sent: Sequence[tuple[int, dict[str, Any]]]) -> list[Record]:
    """Records of values as golden cases give them: in JSON, a table's with its key."""
    found: list[Record] = []
    for at, values in sent:
        found.append((at, key_text(contract.get("key", ()), values), value_text(values)))
    return found
