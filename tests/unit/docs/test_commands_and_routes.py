"""What pages tell to type is there: targets of make, commands of manage.py, modules, routes of the API."""

import re
from importlib.util import find_spec

import yaml
from django.core.management import get_commands

from tests.support.repository_files import ROOT, repository_files

PAGES = [path for path in repository_files() if path.suffix == ".md"]
CODE = re.compile(r"^```\w*\n.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
TARGETS = set(re.findall(r"\b[a-z-]+(?=[a-z -]*:)", (ROOT / "Makefile").read_text("utf-8")))
ROUTES = [
    re.sub(r"{\w+}", "*", path).strip("/")
    for path in yaml.load((ROOT / "docs/openapi.yaml").read_text("utf-8"), yaml.CSafeLoader)["paths"]
]


def code(pattern: str) -> set[tuple[str, str]]:
    """Page and finding of a pattern in what stands in code on pages."""
    return {
        (str(page.relative_to(ROOT)), found)
        for page in PAGES
        for span in CODE.findall(page.read_text("utf-8"))
        for found in re.findall(pattern, span)
    }


def test_commands() -> None:
    make, manage = code(r"\bmake (?=[a-z])([a-z-]+)"), code(r"manage\.py ([a-z_]+)")
    modules = code(r"-m ((?:jobs|weir|tests|bench|examples)(?:\.\w+)*)")
    assert min(map(len, (make, manage, modules))) > 5
    assert [one for one in make if one[1] not in TARGETS] == []
    assert [one for one in manage if one[1] not in get_commands()] == []
    assert [one for one in modules if find_spec(one[1]) is None] == []


def test_routes() -> None:
    named = code(r"(?:GET|POST|PUT|PATCH|DELETE) ([\w/{}<>:…-]+)")
    assert len(named) > 20
    paths = {one: re.sub(r"{\w+}|<[\w ]+>", "*", one[1]).strip("…/") for one in named}
    assert [one for one, path in paths.items() if not any(f"/{k}".endswith(f"/{path}") for k in ROUTES)] == []
