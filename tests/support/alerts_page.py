"""The tables of `docs/reference/alerts.md`: ``python -m tests.support.alerts_page`` writes them."""

import os
import re
from pathlib import Path

import django

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "alerts.md"


def tables() -> dict[str, str]:
    """The text between the marks of each table."""
    from weir.alerts.services.messages import condition_text  # noqa: PLC0415 - Django has to be set up
    from weir.alerts.services.metrics import METRICS  # noqa: PLC0415
    from weir.alerts.services.templates import TEMPLATES  # noqa: PLC0415

    metrics = "".join(f"| `{one.name}` | {one.scope} | {one.unit} | {one.help} |\n" for one in METRICS)
    rules = "".join(
        f"| {one.name} | {condition_text(one.document)} | {one.document.hold} | {one.document.severity} |\n"
        for one in TEMPLATES
    )
    return {
        "metrics": f"| metric | of | unit | meaning |\n|---|---|---|---|\n{metrics}",
        "templates": f"| rule | fires when | hold | severity |\n|---|---|---|---|\n{rules}",
    }


def written(text: str) -> str:
    """The page with its tables."""
    for name, table in tables().items():
        marks = re.compile(f"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
        text = marks.sub(lambda found, table=table: found[1] + table + found[2], text)
    return text


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "weir.project.settings")
    django.setup()
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
