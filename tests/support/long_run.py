"""`make test-long`: runs all parts, even if the first fails, and writes a summary into docs/test-long.md.

    python -m tests.support.long_run

The exit code is 1 when anything failed. Seed and number of random documents come from the environment
(WEIR_RANDOM_SEED, WEIR_RANDOM_CASES) and are printed first.
"""

import os
import re
import secrets
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "test-long.md"
BEGIN, END = "<!-- written by make test-long -->", "<!-- end of what make test-long writes -->"
# A line per test: what has failed is seen, and can be played again, hours before the end.
COMMON = ("-v", "-o", "faulthandler_timeout=15000", "--durations=10")
PARALLEL = ("-n", "2", "--dist", "loadgroup", "--no-loadscope-reorder")
# In the first part, two files or shares of random documents run in parallel; tests of the others need both
# cores. Markers begin with "long": tests/integration/conftest.py chooses the JVM's compiler by it.
ON_POSTGRES = "on PostgreSQL"
PARTS = {
    "integration": (*COMMON, "-m", "long and not whole_system", *PARALLEL, "tests/integration"),
    "browser and chaos": (
        *COMMON,
        *("-m", "long and (e2e or chaos or whole_system)"),
        *("tests/e2e", "tests/chaos", "tests/integration"),
    ),
    # Beside tests/chaos/test_postgres.py, which has a server of its own.
    ON_POSTGRES: (
        *COMMON,
        *("-m", "long", "tests/chaos/test_sigkill.py", "tests/chaos/test_outages.py"),
        *("tests/integration/live/test_relay.py", "tests/integration/live/test_relay_backlog.py"),
    ),
}
SLOWEST_COUNT = 10
_GROUP = re.compile(r"@[^\]]*$")  # suffix that pytest-xdist appends to a test's name


@dataclass(frozen=True)
class Outcome:
    """The result of a test.

    Attributes:
        file: without `tests/` and suffix.
        name: without pytest-xdist's group.
        seconds: with set-up and clean-up.
        failure: message; empty when it passed.
        skipped: reason; empty when it ran.
        recorded: its recorded properties.
    """

    file: str
    name: str
    seconds: float
    failure: str = ""
    skipped: str = ""
    recorded: tuple[tuple[str, str], ...] = ()


def outcomes(report: Path) -> list[Outcome]:
    """The tests of a JUnit report. A test that fails in its body and in its clean-up is one failure."""
    if not report.exists():
        return []
    found: dict[tuple[str, str], Outcome] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        names = case.get("classname", "").split(".")
        file, name = "/".join(names[1:]), _GROUP.sub("", case.get("name", ""))
        failed = next((part for part in case if part.tag in ("failure", "error")), None)
        skipped = next((part for part in case if part.tag == "skipped"), None)
        earlier = found.get((file, name))
        found[file, name] = Outcome(
            file,
            name,
            float(case.get("time", "0")) + (earlier.seconds if earlier else 0),
            (failed.get("message") or "failed") if failed is not None else earlier.failure if earlier else "",
            (skipped.get("message") or "skipped") if skipped is not None else "",
            tuple((part.get("name", ""), part.get("value", "")) for part in case.iter("property")),
        )
    return list(found.values())


def summary(when: datetime, about: Sequence[str], parts: dict[str, tuple[float, list[Outcome]]]) -> str:
    """The generated part of the page: header, parts, failures, recorded properties, files, slowest tests.

    Args:
        when: start of the run.
        about: descriptions of tree, machine and seeds.
        parts: name → minutes and outcomes.
    """
    every = [one for _, found in parts.values() for one in found]
    lines = [
        f"Begun {when:%Y-%m-%d %H:%M} UTC. {'; '.join(about)}.",
        "",
        "| part | minutes | tests | passed | failed | skipped |",
    ]
    lines.append("|---|---|---|---|---|---|")
    for name, (minutes, found) in parts.items():
        lines.append(f"| {name} | {minutes:.1f} | {_counted(found)} |")
    failed = [one for one in every if one.failure]
    lines += ["", "Nothing failed." if not failed else "Failed:"]
    lines += [f"- `{one.file}`: `{one.name}`: {_line(one.failure)}" for one in failed]
    lines += _recorded(every)
    lines += [
        f"- not run or expected to fail: `{one.name}`: {_line(one.skipped)}" for one in every if one.skipped
    ]
    lines += [
        "",
        "| file | tests | passed | failed | skipped | minutes in tests |",
        "|---|---|---|---|---|---|",
    ]
    for file in sorted({one.file for one in every}):
        of_file = [one for one in every if one.file == file]
        lines.append(f"| {file} | {_counted(of_file)} | {sum(one.seconds for one in of_file) / 60:.1f} |")
    slowest = sorted(every, key=lambda one: -one.seconds)[:SLOWEST_COUNT]
    return "\n".join(
        [*lines, "", "Slowest: " + ", ".join(f"`{one.name}` {one.seconds:.0f} s" for one in slowest) + "."]
    )


def _recorded(every: list[Outcome]) -> list[str]:
    """One line per recorded property; numbers of the shares of one test ("name number, …") are added up."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for one in every:
        for name, value in one.recorded:
            found.setdefault((name, one.name.partition("[")[0]), []).append((one.name, value))
    lines = []
    for (name, test), recorded in found.items():
        if len(recorded) > 1:
            numbers: Counter[str] = Counter()
            for _, value in recorded:
                for part in value.split(", "):
                    label, _, number = part.rpartition(" ")
                    numbers[label] += int(number)
            recorded = [(test, ", ".join(f"{label} {number}" for label, number in numbers.items()))]
        lines += [f"- {name} ({test}): {value}" for test, value in recorded]
    return lines


def _counted(found: list[Outcome]) -> str:
    failed, skipped = (sum(bool(getattr(one, field)) for one in found) for field in ("failure", "skipped"))
    return f"{len(found)} | {len(found) - failed - skipped} | {failed} | {skipped}"


def _line(text: str) -> str:
    return " ".join(text.split())[:300].replace("|", "\\|")


def into_page(page: str, written: str) -> str:
    """The page with this text between its two markers."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{written}\n{END}{after}"


def main() -> int:
    """Run all parts and write the page; the exit code is 1 when anything failed."""
    seed = os.environ.setdefault("WEIR_RANDOM_SEED", str(secrets.randbelow(2**32)))
    number = os.environ.get("WEIR_RANDOM_CASES", "3000")
    print(f"WEIR_RANDOM_SEED={seed} WEIR_RANDOM_CASES={number} repeat these random documents", flush=True)
    began = datetime.now(UTC)
    parts: dict[str, tuple[float, list[Outcome]]] = {}
    ended: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in PARTS.items():
            runner = "tests.support.on_postgres" if name == ON_POSTGRES else "pytest"
            report, start = Path(folder) / f"{name.replace(' ', '-')}.xml", time.monotonic()
            ended[name] = subprocess.run(
                [sys.executable, "-m", runner, f"--junitxml={report}", *arguments], cwd=ROOT
            ).returncode
            parts[name] = ((time.monotonic() - start) / 60, outcomes(report))
    broken = [f"{name} ended with {code}" for name, code in ended.items() if code]
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    about = [
        f"tree {commit or 'unknown'}",
        f"{os.cpu_count()} cores",
        f"seed {seed}",
        f"{number} random documents",
        *broken,
    ]
    written = summary(began, about, parts)
    PAGE.write_text(into_page(PAGE.read_text(encoding="utf-8"), written), encoding="utf-8")
    print(f"\n{written}\n\nWritten to {PAGE.relative_to(ROOT)}; WEIR_RANDOM_SEED={seed}", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
