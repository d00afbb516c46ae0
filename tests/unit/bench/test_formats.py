"""The format benchmark's records match their contracts, so that decoding of valid records is measured."""

from pathlib import Path
from typing import Any

import pytest

from bench.formats import BEGIN_MS, FIELDS, FORMATS, BenchFormat, _row
from bench.report import write_report
from bench.results import save
from jobs.formats.contract import StreamContract
from jobs.formats.contract_check import check_contract
from jobs.formats.decoding import decode
from jobs.formats.records import Row


@pytest.mark.parametrize("each", FORMATS, ids=lambda each: each.name)
@pytest.mark.parametrize("number", [0, 1, 999])
def test_records_are_rows(each: BenchFormat, number: int) -> None:
    contract = StreamContract.model_validate(each.contract)
    assert check_contract(contract) == []
    found = decode(each.write(_row(number)), None, contract, BEGIN_MS * 1_000)
    assert isinstance(found, Row), found
    if each.name != "text":
        assert found.values == _row(number)
        assert list(found.values) == list(FIELDS)
        assert found.event_time == (BEGIN_MS + number) * 1_000


def test_the_report_has_a_row_for_each(tmp_path: Path) -> None:
    formats: dict[str, Any] = {
        each.name: {"bytes": 70, "ours": 100_000, "by_hand": 150_000 if each.by_hand else None}
        for each in FORMATS
    }
    formats["json"] |= {
        "start": {"ours": 0.4, "by_hand": 0.2},
        "more": {"ours": 900, "by_hand": 1_800},
    }
    save(
        tmp_path / "report",
        "formats",
        {
            "rows": 400_000,
            "runs": 3,
            "strangers": 0.1,
            "formats": formats,
            "machine": {"measured at": "2026-11-25"},
        },
        {},
    )
    write_report(tmp_path / "report")
    text = (tmp_path / "report.md").read_text()
    assert "| json | 70 | 100,000 | 150,000 | 1.50 | 0.4 / 0.2 s | 900 / 1800 ns, 0.50 |" in text
    assert "| csv | 70 | 100,000 | 150,000 | 1.50 | – | – |" in text
    assert "400,000 records" in text
