"""Scripts that touch what most plays do, so that an engine can be warm before the first ask."""

import json
from typing import Final

from jobs.formats.contract import EventTime, FieldContract, StreamContract
from jobs.play import PlayBatch, PlayJob, PlayRecord, PlayScript

_RECORDS: Final = 200
_BEGIN_MS: Final = 1_767_261_600_000  # 2026-01-01T10:00:00Z


_CONTRACT: Final = StreamContract(
    fields=(
        FieldContract(name="at", type="long", nullable=False),
        FieldContract(name="word", type="string", nullable=False),
        FieldContract(name="amount", type="double"),
    ),
    event_time=EventTime(kind="field", field="at", unit="ms"),
)


def warm_up_scripts() -> tuple[PlayScript, ...]:
    """A stream through windows, and two streams that are joined."""
    return warm_up_script(), _join_script()


def warm_up_script() -> PlayScript:
    """Filter, derived fields and an updating windowed aggregate, over two batches."""
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
    records, half = _records(), _RECORDS // 2
    return PlayScript(
        job=PlayJob(document=document, contracts={"input": _CONTRACT}),
        batches=(
            PlayBatch(records={"input": records[:half]}),
            PlayBatch(records={"input": records[half:]}),
        ),
    )


def _join_script() -> PlayScript:
    """Two streams, a join within seconds, a final windowed aggregate,."""
    document = {
        "format": 1,
        "name": "warm-up-join",
        "sources": {"asked": {"stream": "asked"}, "given": {"stream": "given"}},
        "steps": {
            "named": {"op": "filter", "input": "asked", "where": "word <> 'word 1' and amount is not null"},
            "least": {"op": "derive", "input": "named", "fields": {"least": "round(amount / 3, 2)"}},
            "short": {
                "op": "rename",
                "input": "given",
                "fields": {"amount": "paid", "at": "paid_at", "word": "thing"},
            },
            "once": {"op": "deduplicate", "input": "short", "by": ["thing", "paid_at"], "within": "1m"},
            "pairs": {
                "op": "join",
                "left": "least",
                "right": "once",
                "on": {"word": "thing"},
                "between": {"before": "1s", "after": "1s"},
            },
            "rated": {
                "op": "derive",
                "input": "pairs",
                "fields": {"rate": "case when paid > 0 then amount / paid else 0.0 end"},
            },
            "rates": {
                "op": "aggregate",
                "input": "rated",
                "window": {"tumbling": {"size": "5s"}},
                "by": ["word"],
                "measures": {"n": "count()", "mean": "avg(rate)", "greatest": "max(least)"},
                "emit": "final",
            },
            "shown": {
                "op": "derive",
                "input": "rates",
                "fields": {"label": "concat(word, ': ', cast(n as string))"},
            },
        },
        "outputs": {"out": {"input": "shown", "to": "result"}},
    }
    contracts = {"asked": _CONTRACT, "given": _CONTRACT}
    records = _records()
    return PlayScript(
        job=PlayJob(document=document, contracts=contracts),
        batches=(PlayBatch(records={"asked": records, "given": records}),),
    )


def _records() -> tuple[PlayRecord, ...]:
    return tuple(
        PlayRecord(
            value=json.dumps(
                {"at": _BEGIN_MS + i * 100, "word": f"word {i % 7}", "amount": i * 1.5}
            ).encode(),
            timestamp_us=(_BEGIN_MS + i * 100) * 1_000,
        )
        for i in range(_RECORDS)
    )
