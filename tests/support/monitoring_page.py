"""The tables of metrics in docs/reference/monitoring.md.

``python -m tests.support.monitoring_page`` writes them.
"""

import re
from pathlib import Path
from typing import Final

from weir.monitoring.services.metrics import METRICS, Level

PAGE: Final = Path(__file__).parents[2] / "docs" / "reference" / "monitoring.md"
_BLOCK: Final = re.compile(r"(?<=<!-- metrics -->\n).*?(?=<!-- end of metrics -->)", re.DOTALL)
_LEVELS: Final = {
    Level.INSTALLATION: "The installation",
    Level.CLUSTER: "Kafka clusters",
    Level.ENGINE: "Engines",
    Level.ALERT: "Alerts",
    Level.JOB: "Jobs",
    Level.OBJECTIVE: "Objectives of jobs",
    Level.SOURCE: "Sources of a job",
    Level.STREAM: "Streams with contract validation",
    Level.STEP: "Steps of a job",
    Level.PARTITION: "Partitions of a source",
    Level.GROUP: "Consumer groups",
}


def rewritten(text: str) -> str:
    """The page with its table as the code has it."""
    return _BLOCK.sub(lambda _: _tables(), text)


def _tables() -> str:
    return "\n".join(_table(level) for level in Level)


def _table(level: Level) -> str:
    rows = "".join(
        f"| `{metric.name}` | {metric.kind} | {', '.join(f'`{label}`' for label in metric.labels) or '–'} "
        f"| {metric.help} |\n"
        for metric in METRICS
        if metric.level == level
    )
    return f"### {_LEVELS[level]}\n| metric | type | labels | meaning |\n|---|---|---|---|\n{rows}"


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
