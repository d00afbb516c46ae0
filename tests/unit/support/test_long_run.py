"""The summary that `make test-long` writes."""

from datetime import UTC, datetime
from pathlib import Path

from tests.support.long_run import BEGIN, END, PAGE, into_page, outcomes, summary

REPORT = """<testsuites><testsuite>
<testcase classname="tests.integration.engine.test_a" name="test_one[x]" time="61.5">
  <properties><property name="relations" value="fields renamed 7"/></properties></testcase>
<testcase classname="tests.integration.engine.test_c" name="test_shares[1 of 2]@variants 1" time="1">
  <properties><property name="relations" value="fields renamed 7, batches recut 1"/></properties></testcase>
<testcase classname="tests.integration.engine.test_c" name="test_shares[2 of 2]@variants 2" time="1">
  <properties><property name="relations" value="fields renamed 3, batches recut 0"/></properties></testcase>
<testcase classname="tests.integration.engine.test_a" name="test_two@tests/integration/test_a.py" time="2">
  <failure message="assert 1 == 2&#10;  more">long</failure></testcase>
<testcase classname="tests.integration.engine.test_a" name="test_two" time="1">
  <error message="cleaning up">long</error></testcase>
<testcase classname="tests.e2e.test_b" name="test_three" time="3">
  <skipped type="pytest.xfail" message="not yet"/></testcase>
</testsuite></testsuites>"""


def test_a_report_becomes_a_summary(tmp_path: Path) -> None:
    path = tmp_path / "report.xml"
    path.write_text(REPORT)
    found = outcomes(path)
    assert [(one.file, one.name, one.seconds, bool(one.failure)) for one in found] == [
        ("integration/engine/test_a", "test_one[x]", 61.5, False),
        ("integration/engine/test_c", "test_shares[1 of 2]", 1.0, False),
        ("integration/engine/test_c", "test_shares[2 of 2]", 1.0, False),
        ("integration/engine/test_a", "test_two", 3.0, True),
        ("e2e/test_b", "test_three", 3.0, False),
    ]
    text = summary(datetime(2026, 1, 2, 3, 4, tzinfo=UTC), ["seed 7"], {"integration": (12.0, found)})
    assert "Begun 2026-01-02 03:04 UTC. seed 7." in text
    assert "| integration | 12.0 | 5 | 3 | 1 | 1 |" in text
    assert "- relations (test_one[x]): fields renamed 7" in text
    assert "- relations (test_shares): fields renamed 10, batches recut 1" in text
    assert "test_two`: cleaning up" in text
    assert "expected to fail: `test_three`: not yet" in text
    assert "| integration/engine/test_a | 2 | 1 | 1 | 0 | 1.1 |" in text


def test_a_part_that_wrote_no_report_has_no_tests(tmp_path: Path) -> None:
    assert outcomes(tmp_path / "missing.xml") == []


def test_only_text_between_the_markers_is_replaced() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page.count(BEGIN) == page.count(END) == 1
    once = into_page(page, "new")
    assert into_page(once, "new") == once
    assert once.partition(BEGIN)[0] == page.partition(BEGIN)[0]
    assert once.partition(END)[2] == page.partition(END)[2]
