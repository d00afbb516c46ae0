"""Results of tests as JUnit XML, which CI systems read."""

from collections.abc import Iterable, Mapping
from xml.etree import ElementTree as ET

from jobs.job_tests.results import JobTestResult

_ALLOWED_CONTROLS = "\t\n\r"


def junit_xml(suites: Mapping[str, Iterable[JobTestResult]]) -> str:
    """A document with one suite per job.

    Args:
        suites: results by job.
    """
    root = ET.Element("testsuites")
    for job, results in suites.items():
        listed = list(results)
        suite = ET.SubElement(
            root,
            "testsuite",
            name=_plain(job),
            tests=str(len(listed)),
            failures=str(sum(result.status == "failed" for result in listed)),
            errors=str(sum(result.status == "error" for result in listed)),
            time=_seconds(sum(result.elapsed_ms for result in listed)),
        )
        for result in listed:
            _case(suite, job, result)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _case(suite: ET.Element, job: str, result: JobTestResult) -> None:
    case = ET.SubElement(
        suite, "testcase", classname=_plain(job), name=_plain(result.name), time=_seconds(result.elapsed_ms)
    )
    if result.status == "passed":
        return
    lines = result.text_lines()
    kind = "failure" if result.status == "failed" else "error"
    found = ET.SubElement(case, kind, message=_plain(lines[0] if lines else result.message))
    found.text = _plain("\n".join(lines))


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.3f}"


def _plain(text: str) -> str:
    """Without the control characters that XML cannot hold."""
    return "".join(
        sign
        if sign in _ALLOWED_CONTROLS
        or (sign >= " " and sign not in "\ufffe\uffff" and not "\ud800" <= sign <= "\udfff")
        else "\ufffd"
        for sign in text
    )
