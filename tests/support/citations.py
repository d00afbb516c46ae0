"""Checks the pages that code, tests and docs cite: whether they, and their sections, are in the repository.

``python -m tests.support.citations`` prints broken citations and fails when there are any; `make check` runs
it. A citation is a path that ends in ``.md``, with an optional ``#section``, anywhere in a file, relative to
the repository's root or to the citing file. In Markdown, source files are checked, too, by
path or by bare name.
"""

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from tests.support.repository_files import ROOT, repository_files

SUFFIXES: Final = (".py", ".ts", ".tsx", ".java", ".yaml", ".yml", ".md", ".toml", ".json", ".sh", ".html")
NAMES: Final = ("Makefile", "Dockerfile", "run")

_PAGE: Final = re.compile(r"(?<![\w/.{}*<>-])((?:\.{0,2}/)?[\w-][\w./-]*\.md)(#[\w-]*)?(?![\w{])")
_SOURCE: Final = re.compile(
    r"(?<![\w/.{}*<>-])"
    r"((?:jobs|platform|tests|frontend|jvm|bench|examples)/[\w./-]+\.(?:py|java|tsx?|yaml|json))"
    r"(?![\w{*])"
)
_NAME: Final = re.compile(r"`(\w+\.(?:py|java|tsx?))`")
_ANCHOR: Final = re.compile(r"\]\((#[\w-]+)\)")
_HEADING: Final = re.compile(r"^#{1,6} (.+?)\s*$", re.MULTILINE)
_FENCE: Final = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_EXCLUDED: Final = frozenset({"tests/support/citations.py", "tests/unit/support/test_citations.py"})


class Broken(NamedTuple):
    """A citation of a missing page or section: file, line (from 1), and the path as it is cited."""

    file: str
    line: int
    cited: str


def cited_files() -> list[Path]:
    """The repository's files that may contain citations."""
    return [
        path
        for path in repository_files()
        if (path.suffix in SUFFIXES or path.name in NAMES) and str(path.relative_to(ROOT)) not in _EXCLUDED
    ]


def broken_citations(path: Path, text: str) -> Iterator[Broken]:
    """The broken citations of a file.

    Args:
        path: the file's path; citations may be relative to it.
        text: the file's content.
    """
    for number, line in enumerate(text.splitlines(), 1):
        for found in _PAGE.finditer(line):
            if "/" not in found[1] and line[found.start() - 1 : found.start()] in ("'", '"'):
                continue  # a name that code joins with its folder
            page = _target(path, found[1])
            section = found[2] or ""
            if page is None or (section and section[1:] not in anchors(page)):
                yield Broken(str(path.relative_to(ROOT)), number, found[1] + section)
        if path.suffix == ".md":
            for cited in _missing_beside_pages(line, text):
                yield Broken(str(path.relative_to(ROOT)), number, cited)


def _missing_beside_pages(line: str, text: str) -> Iterator[str]:
    """Sections of its own page, and source files, that a line of Markdown cites and that are not there."""
    yield from (found[1] for found in _ANCHOR.finditer(line) if found[1][1:] not in _anchors(text))
    yield from (found[1] for found in _SOURCE.finditer(line) if not (ROOT / found[1]).is_file())
    yield from (found[1] for found in _NAME.finditer(line) if found[1] not in _file_names())


def _target(path: Path, cited: str) -> Path | None:
    return next((page for page in (path.parent / cited, ROOT / cited) if page.is_file()), None)


@cache
def _file_names() -> frozenset[str]:
    return frozenset(path.name for path in repository_files())


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's sections, as GitHub generates them."""
    return _anchors(page.read_text("utf-8"))


def _anchors(text: str) -> frozenset[str]:
    found: dict[str, int] = {}
    names = []
    for heading in _HEADING.findall(_FENCE.sub("", text)):
        plain = re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        names.append(f"{name}-{found[name]}" if name in found else name)
        found[name] = found.get(name, 0) + 1
    return frozenset(names)


def main() -> int:
    """Print broken citations; the exit code is 1 when there are any."""
    broken = [one for path in cited_files() for one in broken_citations(path, path.read_text("utf-8"))]
    for one in broken:
        print(f"{one.file}:{one.line}: {one.cited} is not in the repository")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
