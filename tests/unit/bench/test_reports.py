"""What a section measures can be reported: a line of its table, and what is said of its aims."""

from typing import Any

import pytest

from bench.hops import STATIONS
from bench.recovery import VICTIMS
from bench.report import REPORTS
from bench.reports.latency import P2

MS = {
    "count": 9,
    "p50": 2_000.0,
    "p90": 3_000.0,
    "p95": 4_000.0,
    "p99": 5_000.0,
    "p99.9": 6_000.0,
    "max": 7_000.0,
}
RATE = {"per_cpu_s": 150_000, "per_s": 220_000, "settings": ["two threads"]}
P4 = {"events": 20, "warm": 2, "keys": 1, "turn_s": 8.0}
LATENCY = {
    "latency_ms": MS,
    "results": 1_200,
    "strangers": 0.1,
    "conflated": 0,
    "settings": ["trigger 100ms"],
}
TIMES = {"p50": 120.0, "p95": 180.0, "max": 1_500.0, "total_s": 40.0}
TABLE = dict.fromkeys(("snapshot", "flush", "purge", "oldest", "delete"), TIMES)
STEP = {
    "jobs": 2,
    "known": 1.0,
    "fresh_p50_ms": 400,
    "fresh_p95_ms": 900,
    "cores": 1.2,
    "pss_mb": 2_000,
    "start_s": 9,
}
P5_STEP = {
    **STEP, "settled": False, "states": {"running": 0.6, "queued": 0.4},
    "reasons": {"queued: AT_CAPACITY": 0.4}, "cores": {"engine": 1.0, "relay": 0.5}, "known": 0.6,
}  # fmt: skip
P7 = {
    "rate": 1_000, "commit_interval": "30s", "standby_ready_s": 9.0, "phases_ms": {"queries_started": 443},
    "windows": 70, "wrong_windows": {"missing": 1, "unexpected": 0, "different": 0}, "gaps": [],
    "victims": {name: {"kills": 3, "fresh_ms": MS, "usual_ms": MS} for name in VICTIMS},
}  # fmt: skip
GAPS = {
    "rate": 100, "burst": 600_000, "catch_up_from": 20_000, "undisturbed_s": 60, "undisturbed": [0.1],
    "to_batches": [0.5, 1.2], "in_batches": [3.0, 4.0], "to_real_time": [0.4, 0.6], "hand_over": [0.9, 1.0],
}  # fmt: skip
CLICKS = {"trials": 9, "strangers": 0.1, "latency_ms": MS}
VIEWED = {
    "deliveries_per_second": 900, "cores": 0.5, "deliveries_per_core_second": 1_800, "latency_ms": MS,
    "lost": 0, "pss_mb": [190, 191],
}  # fmt: skip
JOB = {"ours": 90, "by_hand": 100, "trusting": 180, "native": True}
ALONE = {"ours": 90, "by_hand": None, "trusting": None, "native": False}
KIND = {"ours": 60, "streams": 100, "start": 1.5, "ours_out": 7, "streams_out": 8}
RELAYED = {
    "rows_per_second": 90_000, "rows_per_core_second": 110_000, "relay_cores": 0.8, "database_cores": 0.0,
    "small job's rows, s": {"count": 9, "p50": 0.1, "max": 1.2},
}  # fmt: skip
STATE = {
    "rate": 1_000, "keys": 10_000_000, "seconds": 60, "fill_s": 300.0, "few_ms": MS, "many_ms": MS,
    "engine_mb": [1_700, 2_000], "restart_s": [3.0, 6.0],
}  # fmt: skip
SUBMITTED = {"rate": 50, "seconds": 60, "fresh_ms": 2_000, "steps": [STEP], "settings": ["local"]}
# Section → its numbers, a row of its table, and of each aim whether it is met
CASES: dict[str, tuple[dict[str, Any], str, list[bool | None]]] = {
    "p3": (
        {"rate": 1_000, "seconds": 120, "warm_seconds": 120, "weir": LATENCY, "microbatch": LATENCY},
        "| Weir, micro-batch | 9 | 1,200 | 2000.0 | – | – | – | 7000.0 | 0.1 |",
        [True],
    ),
    "p4": (
        P4 | {"sides": {"ours": RATE, "streams": RATE, "tutorial": RATE}},
        "| Kafka Streams | 150,000 | 220,000 | 1.00 |",
        [False, True, True],
    ),
    "p5": (
        {"rate": 50, "seconds": 60, "steps": [P5_STEP], "stop_s": None},
        "| 2 | 60% | 40% | queued: AT_CAPACITY 40% | 400 | 900 | 1.50 | 1.00 | 0.50 | 2,000 "
        "| still starting |",
        [False, None],
    ),
    "p7": (P7, "| broker | 3 | 2.00 | 7.00 | 2.00 | 7.00 |", [True, False, False, False]),
    "p1": (
        {"rate": 100, "warm_clicks": 5, **dict.fromkeys(("warm", "standby", "cold", "tutorial"), CLICKS)},
        "| Weir, dedicated engine, a standby is ready | 9 | 2000 | – | – | 7000 | 0.1 |",
        [False, False, False, True],
    ),
    "p2_join": (
        {
            "rate": 1_000, "entries": 10_000, "seconds": 120, "warm_seconds": 120,
            "weir": {**LATENCY, "without_entry": 1}, "streams": {**LATENCY, "without_entry": 0},
        },
        "| Kafka Streams | 9 | 1,200 | 2000.0 | – | – | – | 7000.0 | 0.1 |",
        [False, True, False],
    ),
    "p6": (
        {"viewers": 9, "rate": 5, "seconds": 1, "shapes": {"one job": VIEWED, "group_send, one job": VIEWED}},
        "| one job | 900 | 0.5 | 1,800 | 2000.0 | – | 7000.0 | 0 | 190, 191 |",
        [False, False, True],
    ),
    "operators": (
        {"rows": 20, "runs": 3, "jobs": {"filter": JOB, "table_join, current": ALONE}},
        "| filter | 90 | 100 | 1.11 | 180 | 2.00 |",
        [False, None],
    ),
    "state": (
        {
            "rows": 20, "warm": 2, "keys": 1, "settings": ["two threads"],
            "kinds": {"join": KIND, "filter": KIND},
        },
        "| join of two streams, inner, within 1 s, rows of both | 60 | 100 | 0.60 | 7 | 8 |",
        [None, False],
    ),
    "relay": (
        {"records": 9, "keys": 1, "databases": {"SQLite": {"folded": RELAYED, "each its own": RELAYED}}},
        "| SQLite | folded | 110,000 | 90,000 | 0.8 | 0.0 | 0.1 | 1.2 |",
        [True, False],
    ),
    "costs": (
        {
            "asked": 100_000, "rate": 90_000, "seconds": 60, "cores": 1.1, "samples": 2_000,
            "costs": [{"class": "a.B", "share": 0.25, "ns": 1_100}],
            "before": {
                "commit": "65d3313", "at": "2026", "costs": [{"class": "a.B", "share": 0.4, "ns": 2_000}],
            },
        },
        "| `a.B` | 25.0% | 1,100 | 2,000 |",
        [],
    ),
    "results_table": (
        {
            "rows": 10_000_000, "snapshot_rows": 10_000, "flush_rows": 1_000,
            "databases": {"SQLite": {"fill_rows_per_second": 50_000, **TABLE}},
        },
        "| SQLite | 50,000 | 120 | 180 | 1,500 | " + "120 | 1,500 | " * 4 + "40 |",
        [True, False, False],
    ),
    "gaps": (GAPS, "| from real-time mode to micro-batches | 2 | 0.50 | 1.20 |", [False, True]),
    "neighbour": (
        {
            "rate": 1, "seconds": 1, "records": 20, "drain_s": 9.0, "alone_ms": MS,
            "beside_ms": {**MS, "p99": 15_001.0},
        },
        "| beside the backlog | 9 | 2,000.0 | – | – | 7,000.0 |",
        [False],
    ),
    "flights": (
        {
            "flights": 328_521, "windows": 9,
            "trials": [{"seconds": 12.0, "results": 7, "asked": "auto", "mode": "microbatch"}],
        },
        "| 1 | 12.0 | 7 | auto | microbatch |",
        [True],
    ),
    "large_state": (STATE, "| 10,000,010 | 2,000.0 | – | 7,000.0 | 2,000 |", [False, False, True]),
    "browser": (
        {
            "seconds": 60, "settle": 20, "rate": 80, "panel_rate": 10, "panels": 20, "steps": 20,
            "places": 300,
            "pages": {name: {"cores": 0.3, "main_thread": 0.2} for name in ("job", "dashboard")},
            "drawings": {
                name: {"fps": 59.5, "slow_share": 0.01, "p99_ms": 17, "longest_ms": 34}
                for name in ("job", "map")
            },
        },
        "| the map | 59.5 | 1.0% | 17 | 34 |",
        [False, True, True],
    ),
    "standby": (
        {"seconds": 300, "settle_seconds": 60, "cores": 0.03, "pss_mb": 600, "rss_mb": 700},
        "| 0.03 | 600 | 700 |",
        [False, True],
    ),
    "submitted_jobs": (
        {**SUBMITTED, "p5": {"steps": [{**STEP, "jobs": 15}]}},
        "| 2 | 100% | 400 | 900 | 1.2 | 2,000 | 9 |",
        [True],
    ),
}  # fmt: skip


@pytest.mark.parametrize("section", CASES)
def test_a_section_is_reported(section: str) -> None:
    numbers, row, met = CASES[section]
    numbers = {"strangers": 0.1, **numbers}
    assert row in REPORTS[section].text(numbers).splitlines()
    verdicts = [aim.judge(numbers) for aim in REPORTS[section].aims]
    assert [verdict and verdict.met for verdict in verdicts] == met


@pytest.mark.parametrize(("carried", "p5"), [(0, {"steps": [STEP]}), (2, None)])
def test_nothing_is_said_of_jobs_beside_p5_without_both(carried: int, p5: dict[str, Any] | None) -> None:
    steps = [{**STEP, "jobs": carried}] if carried else []
    (aim,) = REPORTS["submitted_jobs"].aims
    assert aim.judge({**SUBMITTED, "steps": steps, "p5": p5}) is None


PARTS: dict[str, tuple[dict[str, Any], str, list[bool | None]]] = {
    "p1": (
        {"rate": 100, "warm_clicks": 5, "cold": CLICKS, "failed": "warm 1: no row"},
        "| Weir, cold dedicated engine | 9 | 2000 | – | – | 7000 | 0.1 |",
        [None, None, None, True],
    ),
    "p2": (
        {
            "rate": 1_000, "seconds": 1, "warm_seconds": 1, "hop_seconds": 1, "streams": LATENCY,
            "failed": "weir: no engine",
        },
        "| Kafka Streams | 9 | 1,200 | 2000.0 | – | – | – | 7000.0 | 0.1 |",
        [None, None, None, None],
    ),
    "p4": (
        P4 | {"sides": {"ours": RATE, "tutorial": RATE}, "failed": "x"},
        "| the tutorial's PySpark | 150,000 | 220,000 | 1.00 |",
        [None, None, True],
    ),
    "p6": (
        {"viewers": 9, "rate": 5, "seconds": 1, "shapes": {"one job": VIEWED}, "failed": "the peer"},
        "| one job | 900 | 0.5 | 1,800 | 2000.0 | – | 7000.0 | 0 | 190, 191 |",
        [None, False, True],
    ),
    "p7": (
        {
            **P7, "wrong_windows": None, "failed": "kill 1: x",
            "victims": {"web": {"kills": 1, "fresh_ms": MS, "usual_ms": {**MS, "count": 0}}},
        },
        "| web | 1 | 2.00 | 7.00 | – | – |",
        [None, None, False, None],
    ),
    "operators": (
        {"rows": 20, "runs": 3, "jobs": {"filter": {**JOB, "ours": 100}}, "failed": "derive: x"},
        "| filter | 100 | 100 | 1.00 | 180 | 1.80 |",
        [False, None],
    ),
    "flights": (
        {
            "flights": 9, "windows": 9, "failed": "auto 2: 7 of 9 after 600 s",
            "trials": [{"seconds": 2.0, "results": 7, "asked": "auto", "mode": "microbatch"}],
        },
        "| 1 | 2.0 | 7 | auto | microbatch |",
        [None],
    ),
    "gaps": (
        {**GAPS, "hand_over": [], "failed": "hand-over 1: x"},
        "| hand-over to the standby | 0 | not seen | – |",
        [False, None],
    ),
    "large_state": (
        {**STATE, "restart_s": [], "failed": "restart 1: x"},
        "| 10 | 2,000.0 | – | 7,000.0 | 1,700 |",
        [None, False, True],
    ),
}  # fmt: skip


@pytest.mark.parametrize("section", PARTS)
def test_what_a_failed_part_leaves_is_reported_and_nothing_is_said_of_the_part(section: str) -> None:
    numbers, row, met = PARTS[section]
    numbers = {"strangers": 0.1, **numbers}
    assert row in REPORTS[section].text(numbers).splitlines()
    verdicts = [aim.judge(numbers) for aim in REPORTS[section].aims]
    assert [verdict and verdict.met for verdict in verdicts] == met


def test_a_job_that_kept_up_says_nothing_of_changes() -> None:
    numbers = {"strangers": 0.1, **GAPS, "to_batches": [], "in_batches": [], "to_real_time": []}
    assert "| from micro-batches to real-time mode | 0 | not seen | – |" in REPORTS["gaps"].text(numbers)
    change, hand_over = (aim.judge(numbers) for aim in REPORTS["gaps"].aims)
    assert change is None
    assert hand_over is not None


def test_hops_are_differences_of_medians_and_absent_where_nobody_followed() -> None:
    peers = {name: LATENCY for name in ("weir", "streams", "microbatch")}
    numbers: dict[str, Any] = {"rate": 1_000, "seconds": 120, "warm_seconds": 120, "hop_seconds": 60, **peers}
    assert "the hub sends it" not in P2.text(numbers)
    hops = {station: {**MS, "p50": 1.5 * at} for at, station in enumerate(STATIONS, 1)}
    rows = P2.text({**numbers, "weir": {**LATENCY, "hops": hops}}).splitlines()
    found = [row.split("|")[3:6:2] for row in rows if row.startswith(("| a plain", "| its", "| the"))]
    assert found == [[" 1.50 ", " 1.50 "], *[[f" {1.5 * at:.2f} ", " 1.50 "] for at in range(2, 6)]]
