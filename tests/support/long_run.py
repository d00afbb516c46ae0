"""`make test-long`: runs all parts, whatever fails, and writes a summary into docs/test-long.md.

    python -m tests.support.long_run

The exit code is 1 when anything failed. Seed and number of random documents come from the environment
(WEIR_RANDOM_SEED, WEIR_RANDOM_CASES) and are printed first. A run that was cut off goes on where it was: with
the same commit, unchanged, seed and number, only what has not passed is played, and the summary is of all.
"""

import os
import re
import secrets
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.kept_outcomes import FILE_VARIABLE, SITTING_VARIABLE, Kept, Outcome, kept

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "test-long.md"
KEPT = ROOT / "var" / "test-long"  # by commit, seed and number: a file of outcomes for each part
BEGIN, END = "<!-- written by make test-long -->", "<!-- end of what make test-long writes -->"
# A line per test: what has failed is seen, and can be played again, hours before the end.
COMMON = ("-v", "-p", "tests.support.kept_outcomes", "-o", "faulthandler_timeout=15000", "--durations=10")
PARALLEL = ("-n", "2", "--dist", "loadgroup", "--no-loadscope-reorder")
INTEGRATION = ROOT / "tests" / "integration"
WAITING_FOLDERS = ("embedded", "live", "platform")
COMPUTING_FOLDERS = ("engine", "examples", "expressions", "oracle", "plan")
WAITING_FILES = (
    *sorted(str(file.relative_to(ROOT)) for file in INTEGRATION.glob("engine/test_*_process.py")),
    "tests/integration/engine/test_engine_deaths.py",
    "tests/integration/engine/test_full_disk.py",
    "tests/integration/examples/test_clicks_end_to_end.py",
    "tests/integration/examples/test_flights_full.py",
)
# Two files or shares of random documents compute in parallel. What waits for processes, or measures what is
# promised in seconds, goes before them, one after the other. Markers begin with "long":
# tests/integration/conftest.py reads them to choose the JVM's compiler.
COMPUTING, WAITING, ON_POSTGRES = "computing", "processes and browser", "on PostgreSQL"
PARTS = {
    COMPUTING: (
        *COMMON,
        *("-m", "long", *PARALLEL, "tests/unit"),
        *(f"tests/integration/{folder}" for folder in COMPUTING_FOLDERS),
        *(f"--ignore={file}" for file in WAITING_FILES),
    ),
    WAITING: (
        *COMMON,
        *("-m", "long", "tests/e2e", "tests/chaos"),
        *(f"tests/integration/{folder}" for folder in WAITING_FOLDERS),
        *WAITING_FILES,
    ),
    # Beside tests/chaos/test_postgres.py, which has a server of its own.
    ON_POSTGRES: (
        *COMMON,
        *("-m", "long", "tests/chaos/test_sigkill.py", "tests/chaos/test_outages.py"),
        *("tests/integration/live/test_relay.py", "tests/integration/live/test_relay_backlog.py"),
    ),
}
SIDE_BY_SIDE = ((COMPUTING,), (WAITING, ON_POSTGRES))
NICENESS = {COMPUTING: 10}
SLOWEST_COUNT = 10
_SHARE = re.compile(r"\[\d+ of \d+\]$")  # tests/support/shares.py


def summary(when: datetime, about: Sequence[str], parts: dict[str, Kept]) -> str:
    """The generated part of the page: header, parts, failures, recorded properties, files, slowest tests.

    Args:
        when: start of the last sitting.
        about: descriptions of tree, machine and seeds.
        parts: by name, what was kept of each.
    """
    every = [one for part in parts.values() for one in part.outcomes]
    lines = [
        f"Last begun {when:%Y-%m-%d %H:%M} UTC. {'; '.join(about)}.",
        "",
        "| part | sittings | minutes | tests | passed | failed | skipped |",
    ]
    lines.append("|---|---|---|---|---|---|---|")
    for name, part in parts.items():
        lines.append(f"| {name} | {part.sittings} | {part.minutes:.1f} | {_counted(part.outcomes)} |")
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
    """One line per recorded property; counts of the shares of one test ("name number, …") are added up."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for one in every:
        for name, value in one.recorded:
            found.setdefault((name, _SHARE.sub("", one.name)), []).append((one.name, value))
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
    return " ".join(text.replace(f"{ROOT}/", "").split())[:300].replace("|", "\\|")


def into_page(page: str, written: str) -> str:
    """The page with this text between its two markers."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{written}\n{END}{after}"


def played(name: str, file: Path) -> tuple[Kept, int]:
    """Play what has not passed of a part; what is kept of it, and the exit code of pytest.

    Args:
        name: the part's.
        file: its outcomes.
    """
    runner = "tests.support.on_postgres" if name == ON_POSTGRES else "pytest"
    variables = {FILE_VARIABLE: str(file), SITTING_VARIABLE: str(kept(file).sittings + 1)}
    nice = ("nice", "-n", str(NICENESS.get(name, 0)))
    with subprocess.Popen(
        [*nice, sys.executable, "-m", runner, *PARTS[name]],
        cwd=ROOT,
        env=os.environ | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(f"{name}: {line}", end="", flush=True)
    code = process.returncode
    return kept(file), 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code


def played_in_turn(names: Sequence[str], folder: Path) -> dict[str, tuple[Kept, int]]:
    """Each of these parts after the one before; by name, what `played` says of it."""
    return {name: played(name, folder / f"{name.replace(' ', '-')}.jsonl") for name in names}


def tree() -> tuple[str, bool]:
    """The commit, and whether files differ from it; the page that this command writes does not count."""
    commit, changed = (
        subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for arguments in (
            ("rev-parse", "--short", "HEAD"),
            ("status", "--porcelain", "--", ".", f":(exclude){PAGE.relative_to(ROOT)}"),
        )
    )
    return commit.strip(), bool(changed.strip())


def main() -> int:
    """Run all parts and write the page; the exit code is 1 when anything failed."""
    seed = os.environ.setdefault("WEIR_RANDOM_SEED", str(secrets.randbelow(2**32)))
    number = os.environ.get("WEIR_RANDOM_CASES", "3000")
    print(f"WEIR_RANDOM_SEED={seed} WEIR_RANDOM_CASES={number} repeat these random documents", flush=True)
    commit, changed = tree()
    folder = KEPT / f"{commit}-{seed}-{number}"
    if changed:
        shutil.rmtree(folder, ignore_errors=True)  # another tree than the one that an earlier sitting played
    began = datetime.now(UTC)
    with ThreadPoolExecutor(len(SIDE_BY_SIDE)) as rows:
        ends = list(rows.map(lambda names: played_in_turn(names, folder), SIDE_BY_SIDE))
    ended = {name: end for row in ends for name, end in row.items()}
    parts = {name: ended[name][0] for name in PARTS}
    broken = [f"{name} ended with {code}" for name, (_, code) in ended.items() if code]
    about = [
        f"tree {commit}{' with changes' if changed else ''}",
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
