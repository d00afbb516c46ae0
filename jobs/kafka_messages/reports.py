"""All that engines report, in `weir.reports`."""

from typing import Annotated, Final

from pydantic import Field, TypeAdapter

from jobs.kafka_messages.progress import CopyReport, PositionsReport, ProgressReport
from jobs.kafka_messages.run_logs import LogReport
from jobs.kafka_messages.run_states import HeartbeatReport, RunStateReport
from jobs.kafka_messages.validation import ValidationReport

Report = Annotated[
    RunStateReport
    | ProgressReport
    | PositionsReport
    | CopyReport
    | HeartbeatReport
    | ValidationReport
    | LogReport,
    Field(discriminator="type"),
]
REPORT: Final[TypeAdapter[Report]] = TypeAdapter(Report)
