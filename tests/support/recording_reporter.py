"""A reporter that sends nothing."""

from typing import Any

from jobs.engine.reporter import Reporter


class RecordingReporter(Reporter):
    """Keeps what it is to send."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.sent: list[Any] = []

    def send(self, report: Any) -> None:
        self.sent.append(report)
