"""The page of the live protocol: its requests are taken, its frames have the members of the code's, and its
tables name every code and reason.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from jobs.run_states import NEVER_STARTED, STATES, UNKNOWN
from weir.live import frames, requests, results_channel, runs_channel
from weir.runs.models import Job

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/protocol.md").read_text("utf-8")
LIVE = "\n".join(file.read_text("utf-8") for file in sorted((ROOT / "platform/weir/live").glob("*.py")))


def told(op: str, section: str = "") -> list[set[str]]:
    """The members of the page's frames of this kind, of one section or of all."""
    text = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0] if section else PAGE
    found = re.findall(rf'^← {{"op":"{op}",(.*?)}}\n(?=←|→|```|   \()', text, re.MULTILINE | re.DOTALL)
    return [{"op", *_members(one)} for one in found if "…}" not in one + "}"]


def _members(text: str) -> set[str]:
    """Names at the top of an object whose braces were left out."""
    depth, names = 0, set()
    for found in re.finditer(r'[\[{]|[\]}]|"(?:[^"\\]|\\.)*"(:?)', text):
        if found[0] in "[{":
            depth += 1
        elif found[0] in "]}":
            depth -= 1
        elif not depth and found[1]:
            names.add(found[0].rstrip(":").strip('"'))
    return names


def column(heading: str, place: int = 0) -> set[str]:
    """The codes in a column of the first table of a section."""
    table = PAGE.partition(f"{heading}\n")[2].partition("\n|")[2].partition("\n\n")[0]
    cells = [line.split("|")[place + 1] for line in f"|{table}".splitlines()]
    return {code for cell in cells for code in re.findall(r"`(\w+)`", cell)}


def test_requests_are_taken() -> None:
    asked = re.findall(r"^→ (\{.*\})$", PAGE.replace("…", ""), re.MULTILINE)
    assert len(asked) >= 4
    for text in asked:
        request = requests.parse_request(text)
        if isinstance(request, requests.Subscribe):
            assert requests.parse_channel(request).kind == "results"
    assert column("## Subscribing") == set(requests.Subscribe.model_fields) - {"op"}


@pytest.mark.parametrize(
    "channel", re.findall(r"`([^`]+)`", PAGE.partition("| `channel` |")[2].partition("\n")[0])
)
def test_channels(channel: str) -> None:
    name = re.sub(r"<[^>]*>", "x1", channel)
    request = requests.Subscribe(op="subscribe", id=1, channel=name, workspace="demo")
    assert requests.parse_channel(request).kind == name.partition("/")[0]


def test_frames_of_results() -> None:
    status = {"op", "id", *results_channel._NEVER}
    shown = told("status", "results/&lt;job&gt;")
    assert shown
    assert all(found == status for found in shown)
    assert all(found == _keys(next(frames.snapshot(1, 1, [], "c", 0, True))) for found in told("snapshot"))
    assert all(found == _keys(next(frames.deltas(1, [], "c", 0, 0))) for found in told("delta"))


def test_frames_of_runs() -> None:
    body = runs_channel._body(Job(pk="4f2c9b17a0de", name="j"), None, None)
    shown = told("status", "runs")
    assert {"op", "id", *body} in shown
    assert {"op", "id", "job_id", "deleted"} in shown


def _keys(text: str) -> set[str]:
    frame: dict[str, Any] = json.loads(text)
    return set(frame)


def test_every_error_and_gap_is_in_its_table() -> None:
    sent = set(re.findall(r'(?:FrameError|frames\.error|\.end|\.drop)\(\s*(?:\w+,\s*)?"([A-Z_]+)"', LIVE))
    sent.remove("CLOSED")  # its connection is closed: nobody gets it
    assert column("## Errors") >= sent
    assert column("## Errors") - sent <= {"FILTER_INVALID"}  # the code of a service's error
    reasons = set(re.findall(r'(?:gap=|reason=|restart\(|_reopen\()"(\w+)"', LIVE))
    assert reasons == column("### Cursors")


def test_every_state_is_in_its_table() -> None:
    assert column("### States") >= {*STATES, UNKNOWN, NEVER_STARTED}


def test_close_codes() -> None:
    named = set(re.findall(r"^\| ((?:\d{4}(?:, )?)+) \|", PAGE.partition("## Close codes")[2], re.MULTILINE))
    sent = set(re.findall(r"Final = (1013|4\d{3})$", LIVE, re.MULTILINE))
    assert sent <= {code for cell in named for code in cell.split(", ")}
