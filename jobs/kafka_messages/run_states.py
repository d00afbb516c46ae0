"""Observed states of runs, and heartbeats of engines that repeat them."""

from typing import Literal

from jobs.kafka_messages.message import Message
from jobs.kafka_messages.run_report import Failure, RunReport
from jobs.run_states import RunState

StartPhase = Literal[
    "placed",  # the platform has written the desired run, with its engine
    "engine_ready",  # the engine's Spark session is open; of a warm engine long before
    "received",  # the engine has read the desired run
    "planned",  # the document is planned
    "queries_started",  # handed to Spark
    "caught_up",  # passed the positions that were reached before a restart, and drained what waited
]
"""What an engine knows of the start of an epoch, in order."""


class RunStateReport(RunReport):
    """A run's observed state changed (also repeated in every heartbeat).

    `phases_us`: when the epoch reached each `StartPhase`; those not reached are left out.
    """

    type: Literal["run_state"] = "run_state"
    revision: int
    state: RunState
    failure: Failure | None = None
    phases_us: dict[str, int] = {}


class RunHeartbeat(Message):
    """A run inside a heartbeat: the epoch and revision that the engine applied, and the state it sees."""

    epoch: int
    revision: int
    state: RunState
    failure: Failure | None = None


class ProcessHandle(Message):
    """Enough to know a local process again after any restart of ours."""

    host: str
    pid: int
    started_ticks: int
    boot_id: str


class HeartbeatReport(Message):
    """Sent by a running engine every 2 s. `ready` turns true when its session is warm, `plays_ready` when
    it is warm for previews and tests of jobs, too.
    """

    type: Literal["heartbeat"] = "heartbeat"
    at_us: int
    engine_id: str
    incarnation: str
    ready: bool
    handle: ProcessHandle
    runs: dict[str, RunHeartbeat]
    slots: int
    slots_used: int
    memory_bytes: int
    cpu_cores: float | None = (
        None  # processor time per second of the engine, over the last 20 s; None: unknown
    )
    host_cpu_cores: float | None = None  # the same of everything on its host
    host_cores: int = 0  # 0: unknown
    versions: dict[str, str] = {}  # spark, java, python, zone rules
    stopping: bool = False
    plays_ready: bool = False
