"""JUnit XML: counts, texts and characters that XML cannot hold."""

from xml.etree import ElementTree as ET

from jobs.job_tests.junit import junit_xml
from jobs.job_tests.results import Difference, Divergence, FieldDifference, JobTestResult

RESULTS = [
    JobTestResult(name="good", status="passed", elapsed_ms=1234),
    JobTestResult(
        name="red <&>",
        status="failed",
        total=2,
        differences=(
            Difference(
                kind="differs",
                path=("expect",),
                of="outputs",
                name="out",
                batch=None,
                message="A row of output out at the end has other values.",
                expected={"n": 1},
                got={"n": 2, "t": "\x00"},
                fields=(FieldDifference(field="n", expected=1, got=2),),
            ),
        ),
        diverged=Divergence(step="sums", batch=0),
        elapsed_ms=10,
    ),
    JobTestResult(name="broken", status="error", message="name: is required.\x1b"),
]


def test_a_suite_of_each_job() -> None:
    root = ET.fromstring(junit_xml({"orders": RESULTS, "empty": []}))
    orders, empty = root.findall("testsuite")
    assert orders.attrib == {
        "name": "orders",
        "tests": "3",
        "failures": "1",
        "errors": "1",
        "time": "1.244",
    }
    assert empty.attrib["tests"] == "0"
    good, red, broken = orders.findall("testcase")
    assert (good.attrib["time"], list(good)) == ("1.234", [])
    failure = red.find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "A row of output out at the end has other values."
    assert failure.text is not None
    assert "n: expected 1, got 2" in failure.text
    assert "… and 1 more differences." in failure.text
    assert "step sums, batch 1" in failure.text
    error = broken.find("error")
    assert error is not None
    assert error.attrib["message"] == "name: is required.\ufffd"
