"""Finds retired words, which the glossary (docs/glossary.md) has replaced, in code.

``python -m tests.support.retired_words`` prints each line with one, and fails when there is any; `make check`
runs it.
"""

import re
import sys
from collections.abc import Iterator
from typing import Final

from tests.support.repository_files import ROOT, repository_files

# Word → its replacement. A word is a part of an identifier (`keeper` in `RunKeeper` and `run_keeper`) or of a
# text.
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
_FOLDERS: Final = ("jobs", "platform", "frontend/src")
_SUFFIXES: Final = (".py", ".ts", ".tsx")


def found(text: str) -> Iterator[tuple[int, str]]:
    """The line (from 1) and word of each retired word."""
    for number, line in enumerate(text.splitlines(), 1):
        for part in _PART.findall(line):
            if part.lower() in RETIRED:
                yield number, part.lower()


def main() -> None:
    """Print each line with a retired word; the exit code is 1 when there are any."""
    hits = [
        f"{path.relative_to(ROOT)}:{line}: {word}: say {RETIRED[word]}"
        for path in repository_files(*_FOLDERS)
        if path.suffix in _SUFFIXES
        for line, word in found(path.read_text(encoding="utf-8"))
    ]
    print(*hits, sep="\n", end="\n" if hits else "")
    sys.exit(1 if hits else 0)


if __name__ == "__main__":
    main()
