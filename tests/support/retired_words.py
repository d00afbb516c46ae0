"""Words that code no longer uses, since the field has a better one (docs/glossary.md).

``python -m tests.support.retired_words`` prints each line that still holds one, and fails when there is any; `make check` runs it.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]

# Word → what is said instead. A word is a part of an identifier (`keeper` in `RunKeeper` and `run_keeper`) or of a text.
RETIRED: Final = {
    "keeper": "supervisor",
    "condemned": "failure",
    "verdict": "diff, result, impact or health",
    "verdicts": "results",
    "stretch": "range",
    "stretches": "ranges",
    "guard": "validator, or contract validation",
    "mended": "edited",
    "mending": "editing",
    "unfit": "invalid, or incompatible",
    "convict": "blame",
    "acquit": "clear",
    "resealed": "rotated",
    "reseal": "rotate",
}
_PART: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_READ: Final = ("jobs", "platform", "frontend/src")
_SUFFIXES: Final = (".py", ".ts", ".tsx")


def found(text: str) -> Iterator[tuple[int, str]]:
    """Line from 1, and the retired word on it."""
    for number, line in enumerate(text.splitlines(), 1):
        for part in _PART.findall(line):
            if part.lower() in RETIRED:
                yield number, part.lower()


def main() -> None:
    """Print what holds a retired word; ends with 1 when something does."""
    listed = subprocess.run(["git", "ls-files", *_READ], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    hits = [
        f"{name}:{line}: {word}: say {RETIRED[word]}"
        for name in listed
        if name.endswith(_SUFFIXES) and (ROOT / name).exists()
        for line, word in found((ROOT / name).read_text(encoding="utf-8"))
    ]
    print(*hits, sep="\n", end="\n" if hits else "")
    sys.exit(1 if hits else 0)


if __name__ == "__main__":
    main()
