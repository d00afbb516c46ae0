"""A script that touches what most plays do, so that an engine can be warm before the first ask."""

import json
from typing import Final

from jobs.formats.contract import EventTime, FieldContract, StreamContract
from jobs.play import PlayBatch, PlayJob, PlayRecord, PlayScript

_RECORDS: Final = 200
_BEGIN_MS: Final = 1_767_261_600_000  # 2026-01-01T10:00:00Z


def warm_up_script() -> PlayScript:
    """Filter, derived fields, a final windowed aggregate and an updating one, over two batches."""
    contract = StreamContract(
        fields=(
            FieldContract(name="at", type="long", nullable=False),
            FieldContract(name="word", type="string", nullable=False),
            FieldContract(name="amount", type="double"),
        ),
        event_time=EventTime(kind="field", field="at", unit="ms"),
    )
    records = tuple(
        PlayRecord(
            value=json.dumps(
                {"at": _BEGIN_MS + i * 100, "word": f"word {i % 7}", "amount": i * 1.5}
            ).encode(),
            timestamp_us=(_BEGIN_MS + i * 100) * 1_000,
        )
        for i in range(_RECORDS)
    )
    document = {
        "format": 1,
        "name": "warm-up",
        "sources": {"input": {"stream": "input"}},
        "steps": {
            "kept": {"op": "filter", "input": "input", "where": "amount >= 0"},
            "derived": {
                "op": "derive",
                "input": "kept",
                "fields": {"double": "amount * 2", "upper": "upper(word)"},
            },
            "counted": {
                "op": "aggregate",
                "input": "derived",
                "window": {"tumbling": {"size": "5s"}},
                "by": ["word"],
                "measures": {"n": "count()", "least": "min(amount)", "mean": "avg(double)"},
            },
        },
        "outputs": {"out": {"input": "counted", "to": "result"}},
    }
    job = PlayJob(document=document, contracts={"input": contract})
    half = _RECORDS // 2
    batches = (
        PlayBatch(records={"input": records[:half]}),
        PlayBatch(records={"input": records[half:]}),
    )
    return PlayScript(job=job, batches=batches)
