"""Lines of engines' logs, each about one run."""

from typing import Final

from django.db import models

from weir.runs.models import Run

LEVELS: Final = ("info", "warning", "error")  # rising


class RunLogLine(models.Model):
    """A line that an engine wrote about a run (`jobs.kafka_messages.LogLine`).

    Attributes:
        incarnation: of the engine; with `number` it names the line.
        engine_id: the engine that wrote it.
        at_us: when, by the engine's clock.
        size: characters of message and detail.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="log_lines")
    epoch = models.PositiveIntegerField()
    incarnation = models.CharField(max_length=40)
    number = models.BigIntegerField()
    engine_id = models.CharField(max_length=40)
    at_us = models.BigIntegerField()
    size = models.PositiveIntegerField()
    level = models.CharField(max_length=10)
    origin = models.CharField(max_length=10)
    logger = models.CharField(max_length=200)
    message = models.TextField()
    detail = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "incarnation", "number"], name="one_log_line_per_number")
        ]
        indexes = [
            models.Index(fields=["run", "at_us", "id"], name="log_line_run_at"),
            models.Index(fields=["at_us"], name="log_line_at"),
        ]

    def __str__(self) -> str:
        return self.message

    @property
    def name(self) -> str:
        """The line's name, the same in every frame and answer."""
        return f"{self.incarnation}-{self.number}"
