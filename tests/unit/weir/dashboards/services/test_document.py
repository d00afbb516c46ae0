"""The dashboard document: what is refused, where, and what the answer says to do."""

from typing import Any

import pytest

from tests.support.dashboard_documents import document_of, line_panel, number_panel
from weir.dashboards.services.document import MAX_BYTES, MAX_PANELS, parse_document
from weir.workspaces.errors import ServiceError

JOB = "4f2c9b17a0de"
TOP = {"kind": "top_list", "label": ["symbol"], "value": "n", "aggregation": "sum"}
EXTRA = ("value", "x", "aggregation")


def of_kind(kind: str, **members: Any) -> dict[str, Any]:
    """A panel of this kind with the members of any."""
    kept = {name: value for name, value in number_panel(JOB).items() if name not in EXTRA}
    return {**kept, "kind": kind, **members}


VALID = {
    "nothing": {},
    "empty": document_of(),
    "no window": document_of(window=None),
    "line": document_of(line_panel(JOB)),
    "area": document_of(line_panel(JOB, kind="area", y=["low", "n"])),
    "bar": document_of(line_panel(JOB, kind="bar", series=[])),
    "number": document_of(number_panel(JOB, unit="ms", thresholds=[{"value": 1, "tone": "warn"}])),
    "top list": document_of(of_kind(**TOP)),
    "states": document_of(of_kind("state_timeline", x="window_start", state="symbol")),
    "map": document_of(of_kind("map", longitude="low", latitude="low", label=["symbol"], value="n")),
    "table": document_of(
        of_kind(
            "table", columns=["symbol", "n"], order_by="n", descending=False, value="n", unit="ms", limit=100
        )
    ),
    "table of the newest rows": document_of(of_kind("table", columns=["symbol"])),
    "filters": document_of(
        number_panel(JOB, filters=[{"field": "symbol", "values": ["A", 1, 0.5, True]}]),
        filters=[{"field": "symbol", "values": ["A"]}],
    ),
}


@pytest.mark.parametrize("document", VALID.values(), ids=VALID)
def test_what_is_stored_is_complete_and_is_read_again(document: dict[str, Any]) -> None:
    stored = parse_document(document).as_json()
    assert parse_document(stored).as_json() == stored
    assert set(stored) == {"format", "window", "filters", "panels"}


PLACE = ("panels", "0")
INVALID: dict[str, tuple[dict[str, Any], tuple[str, ...], str]] = {
    "unknown member": (document_of(colour="red"), ("colour",), "Remove it."),
    "member of another kind": (
        document_of(number_panel(JOB, series=["symbol"])),
        (*PLACE, "series"),
        "kind number",
    ),
    "unknown member of a part": (
        document_of(number_panel(JOB, position={"x": 0, "y": 0, "w": 3, "h": 4, "z": 1})),
        (*PLACE, "position", "z"),
        "Remove it.",
    ),
    "table without columns": (document_of(of_kind("table", columns=[])), (*PLACE, "columns"), ""),
    "unknown kind": (document_of(number_panel(JOB, kind="pie")), (*PLACE, "kind"), "Use line, area"),
    "no kind": (
        document_of({name: value for name, value in number_panel(JOB).items() if name != "kind"}),
        (*PLACE, "kind"),
        "Use line",
    ),
    "missing": (document_of(of_kind("number", aggregation="sum")), (*PLACE, "value"), "Add value."),
    "type": (document_of(number_panel(JOB, title=7)), (*PLACE, "title"), "Change its type."),
    "number as text": (
        document_of(number_panel(JOB, position={"x": "0", "y": 0, "w": 3, "h": 4})),
        (*PLACE, "position", "x"),
        "integer",
    ),
    "outside the grid": (
        document_of(number_panel(JOB, position={"x": 10, "y": 0, "w": 3, "h": 4})),
        (*PLACE, "position"),
        "12 or less",
    ),
    "thresholds": (
        document_of(
            number_panel(JOB, thresholds=[{"value": 2, "tone": "bad"}, {"value": 1, "tone": "warn"}])
        ),
        (*PLACE, "thresholds"),
        "ascending",
    ),
    "aggregation": (document_of(number_panel(JOB, aggregation="median")), (*PLACE, "aggregation"), "sum"),
    "window": (document_of(window="quarter"), ("window",), "15m"),
    "two of one ID": (document_of(number_panel(JOB), line_panel(JOB, "n")), ("panels", "1", "id"), "another"),
    "too many": (
        document_of(*(number_panel(JOB, f"p{at}") for at in range(MAX_PANELS + 1))),
        ("panels",),
        "Remove some.",
    ),
    "no y": (document_of(line_panel(JOB, y=[])), (*PLACE, "y"), "at least 1"),
    "path as job": (document_of(number_panel("../x")), (*PLACE, "job"), "pattern"),
    "format": (document_of(format=2), ("format",), "1"),
    "a list": ([], (), "Change its type."),  # type: ignore[dict-item]
}


@pytest.mark.parametrize(("document", "path", "said"), INVALID.values(), ids=INVALID)
def test_what_is_wrong_is_refused_with_its_place(document: Any, path: tuple[str, ...], said: str) -> None:
    with pytest.raises(ServiceError) as caught:
        parse_document(document)
    assert caught.value.code == "DASHBOARD_INVALID"
    first = caught.value.problems[0]
    assert first.path == path
    assert said in f"{first.message} {first.hint}"
    assert said in caught.value.detail


def test_all_problems_are_named_at_once() -> None:
    with pytest.raises(ServiceError, match="3 problems") as caught:
        parse_document(document_of(number_panel(JOB, aggregation="x", title=1), window="x"))
    assert len(caught.value.problems) == 3


def test_a_large_document_is_refused() -> None:
    with pytest.raises(ServiceError) as caught:
        parse_document({"window": "x" * MAX_BYTES})
    assert caught.value.code == "DASHBOARD_TOO_LARGE"
