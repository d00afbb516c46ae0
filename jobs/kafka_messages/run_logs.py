"""Lines of engines' logs about runs."""

from typing import Final, Literal

from jobs.kafka_messages.message import Message
from jobs.kafka_messages.run_report import RunReport

MAX_LOG_MESSAGE: Final = 4_000  # characters
MAX_LOG_DETAIL: Final = 8_000  # characters

LogLevel = Literal["info", "warning", "error"]


class LogLine(Message):
    """A line about a run, in an engine's log.

    Attributes:
        number: counts the lines of the engine's incarnation, from 1; with that it names the line.
        at_us: when it was written.
        level: of it.
        origin: what wrote it: the engine's own code, or Spark in its JVM.
        logger: who wrote it there.
        message: at most `MAX_LOG_MESSAGE` characters.
        detail: the error with its stack; empty: there is none. At most `MAX_LOG_DETAIL` characters.
    """

    number: int
    at_us: int
    level: LogLevel
    origin: Literal["engine", "spark"]
    logger: str
    message: str
    detail: str = ""


class LogReport(RunReport):
    """Lines that an engine wrote about a run, soon after each other. Lines about nothing, or about more than
    one run, are never in it.
    """

    type: Literal["log"] = "log"
    lines: tuple[LogLine, ...]
