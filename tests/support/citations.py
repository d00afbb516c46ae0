"""Which pages code, tests and docs cite, and whether they are in the repository.

``python -m tests.support.citations`` prints what leads nowhere, and fails when there is something; `make check` runs it. A citation is a
path that ends in ``.md``, perhaps with ``#section``, anywhere in a file: from the repository's root, or beside the citing file. In Markdown
the paths of other files are followed too.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
SUFFIXES: Final = (".py", ".ts", ".tsx", ".java", ".yaml", ".yml", ".md", ".toml", ".json", ".sh", ".html")
NAMES: Final = ("Makefile", "Dockerfile", "run")

_PAGE: Final = re.compile(r"(?<![\w/.{}*<>-])((?:\.{0,2}/)?[\w-][\w./-]*\.md)(#[\w-]*)?(?![\w{])")
_SOURCE: Final = re.compile(
    r"(?<![\w/.{}*<>-])((?:jobs|platform|tests|frontend|jvm|bench|examples)/[\w./-]+\.(?:py|java|tsx?|yaml|json))(?![\w{*])"
)
_ANCHOR: Final = re.compile(r"\]\((#[\w-]+)\)")
_HEADING: Final = re.compile(r"^#{1,6} (.+?)\s*$", re.MULTILINE)
_FENCE: Final = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_NOT_OURS: Final = frozenset({"tests/support/citations.py", "tests/unit/support/test_citations.py"})


class Broken(NamedTuple):
    """A citation that leads nowhere: the file, the line (from 1), the path with its section as it is cited."""

    file: str
    line: int
    cited: str


def cited_files() -> list[Path]:
    """The files of the repository that may cite."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [ROOT / name for name in listed.splitlines() if name not in _NOT_OURS]
    return [path for path in paths if (path.suffix in SUFFIXES or path.name in NAMES) and path.is_file()]


def broken_citations(path: Path, text: str) -> Iterator[Broken]:
    """The citations of a file that lead nowhere.

    Args:
        path: of the file; what it cites may be beside it.
        text: of the file.
    """
    for number, line in enumerate(text.splitlines(), 1):
        for found in _PAGE.finditer(line):
            if "/" not in found[1] and line[found.start() - 1 : found.start()] in ("'", '"'):
                continue  # a name that code puts together with its folder
            page = _target(path, found[1])
            section = found[2] or ""
            if page is None or (section and section[1:] not in anchors(page)):
                yield Broken(str(path.relative_to(ROOT)), number, found[1] + section)
        if path.suffix == ".md":
            for found in _ANCHOR.finditer(line):
                if found[1][1:] not in _anchors(text):
                    yield Broken(str(path.relative_to(ROOT)), number, found[1])
            for found in _SOURCE.finditer(line):
                if not (ROOT / found[1]).is_file():
                    yield Broken(str(path.relative_to(ROOT)), number, found[1])


def _target(path: Path, cited: str) -> Path | None:
    return next((page for page in (path.parent / cited, ROOT / cited) if page.is_file()), None)


@cache
def anchors(page: Path) -> frozenset[str]:
    """The sections of a page, named as GitHub names them."""
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
    """Print what leads nowhere; the exit code says whether there is something."""
    broken = [one for path in cited_files() for one in broken_citations(path, path.read_text("utf-8"))]
    for one in broken:
        print(f"{one.file}:{one.line}: {one.cited} is not in the repository")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
