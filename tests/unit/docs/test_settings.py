"""The page of settings names every environment variable that is read, and its default."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from django.conf import settings

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/reference/settings.md").read_text("utf-8")
SETTINGS = ROOT / "platform/weir/project/settings.py"
LABELS: Final = {"WEIR_EMBEDDED", "WEIR_ENGINE", "WEIR_FORK"}
"""These mark processes, so that they can be found again, or are forked; nobody sets them."""

FROM_SPARK: Final = {"SPARK_LOCAL_IP"}


def _literals(tree: ast.AST) -> Iterator[str]:
    return (
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _reads() -> Iterator[tuple[str, ast.Call]]:
    """The variables that the settings read, with the call that does."""
    for node in ast.walk(ast.parse(SETTINGS.read_text("utf-8"))):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            function = ast.unparse(node.func)
            if re.fullmatch(r"env\.\w+|_database", function):
                yield str(node.args[0].value), node


def _rows() -> dict[str, str]:
    """Default by variable, as the page says it."""
    found = {}
    for line in re.findall(r"^\| `.*$", PAGE, re.MULTILINE):
        names, default, _ = (cell.strip() for cell in line.strip("| ").split(" | ", 2))
        found |= dict.fromkeys(re.findall(r"`([A-Z_]+)`", names), default)
    return found


def test_every_variable_that_is_read_has_a_row_and_no_other() -> None:
    files = [*(ROOT / "platform").rglob("*.py"), *(ROOT / "jobs").rglob("*.py")]
    sources = [source for file in files if "WEIR_" in (source := file.read_text("utf-8"))]
    named = {
        text
        for source in sources
        for text in _literals(ast.parse(source))
        if re.fullmatch(r"WEIR_[A-Z_]+", text)
    }
    read = {name for name, _ in _reads()}
    assert set(_rows()) == (named | read | FROM_SPARK) - LABELS


def test_defaults_are_those_of_the_settings() -> None:
    rows, wrong = _rows(), {}
    for name, call in _reads():
        default = next((word.value for word in call.keywords if word.arg == "default"), None)
        if not name.startswith("WEIR_") or default is None or name == "WEIR_QUOTAS":
            continue
        try:
            value = ast.literal_eval(default)
        except ValueError:
            continue  # a path of the data folder, or made of another setting
        if f"`{_written(value)}`" not in rows[name] and not (value in ("", []) and rows[name] == "none"):
            wrong[name] = value
    assert wrong == {}


def _written(value: object) -> str:
    if isinstance(value, list):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_quotas() -> None:
    line = next(line for line in PAGE.splitlines() if line.startswith("Quotas:"))
    assert {name: int(most) for name, most in re.findall(r"`(\w+)=(\d+)`", line)} == settings.QUOTAS
