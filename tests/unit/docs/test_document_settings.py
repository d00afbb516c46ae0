"""The reference lists the settings of a job document with their defaults."""

import re
from pathlib import Path

from jobs.document_parts import Settings

PAGE = (Path(__file__).parents[3] / "docs/reference/operators.md").read_text("utf-8")


def test_settings_and_their_defaults() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", PAGE.partition("## Settings")[2], re.MULTILINE)
    assert {name: default.strip("`") for name, default in rows} == {
        name: "none" if field.default is None else str(field.default).replace("False", "false")
        for name, field in Settings.model_fields.items()
    }
