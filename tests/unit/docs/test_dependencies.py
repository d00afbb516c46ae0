"""Every package that is asked for has a line on the page of dependencies."""

import json
import re

from tests.support.repository_files import ROOT

PAGE = (ROOT / "docs/dependencies.md").read_text("utf-8")
NAMED = set(
    re.findall(
        r"[@\w][\w./-]*(?:\\\*)?", " ".join(line.split("|")[1] for line in PAGE.splitlines() if "|" in line)
    )
)


def test_python_packages() -> None:
    asked = {
        name
        for file in ("requirements.txt", "requirements-dev.txt", "requirements-uv.txt")
        for name in re.findall(r"^([\w.-]+)", (ROOT / file).read_text("utf-8"), re.MULTILINE)
    }
    assert len(asked) > 40
    assert {name for name in asked if name.lower() not in {one.lower() for one in NAMED}} == set()


def test_npm_packages() -> None:
    package = json.loads((ROOT / "frontend/package.json").read_text("utf-8"))
    asked = {*package["dependencies"], *package["devDependencies"]}
    groups = tuple(name.removesuffix("\\*") for name in NAMED if name.endswith("\\*"))
    assert {name for name in asked if name not in NAMED and not name.startswith(groups)} == set()
