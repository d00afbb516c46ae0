"""Desired runs and engine settings for tests, with all that a test does not care about filled in."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jobs.connections import ClusterProfile
from jobs.formats.contract import StreamContract
from jobs.kafka_messages import BoundSource, DesiredRun, EngineSettings, StartPosition

HOME = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:1")
"""A cluster at which nobody answers."""

JARS = Path(__file__).resolve().parents[2] / "jvm" / "lib"


def bound_source(contract: StreamContract, topic: str = "t", topic_id: str = "") -> BoundSource:
    """A stream `s` of one partition on `HOME`, read from its beginning."""
    return BoundSource(
        stream="s",
        cluster=HOME,
        topic=topic,
        topic_id=topic_id,
        partitions=1,
        contract=contract,
        start=StartPosition(kind="earliest"),
    )


def desired_run(sources: Mapping[str, BoundSource], **more: Any) -> DesiredRun:
    """The first epoch of a run over these sources; `more` are other fields, and other values of these."""
    values: dict[str, Any] = {
        "run_id": "r",
        "job_id": "j",
        "job_name": "test",
        "workspace": "tests",
        "engine_id": "tests",
        "epoch": 1,
        "revision": 1,
        "generation": 1,
        "state": "running",
        "document": {},
        "sources": dict(sources),
        "mode": "microbatch",
        "checkpoint": "/nowhere",
        "shuffle_partitions": 1,
        "result_topic": "results",
    }
    return DesiredRun(**{**values, **more})


def engine_settings(home: ClusterProfile, data_dir: Path, **more: Any) -> EngineSettings:
    """Settings of a shared engine on this machine; `more` are other fields, and other values of these."""
    values: dict[str, Any] = {
        "engine_id": "tests",
        "incarnation": "tests",
        "kind": "shared",
        "home": home,
        "master": "local",
        "slots": 24,
        "driver_memory_mb": 768,
        "jars_dir": str(JARS),
        "data_dir": str(data_dir),
    }
    return EngineSettings(**{**values, **more})


def locked_out_profile() -> ClusterProfile:
    """A connection whose password was encrypted with a key that is gone."""
    return ClusterProfile(
        cluster_id="far",
        bootstrap="127.0.0.1:1",
        security="SASL_PLAINTEXT",
        mechanism="SCRAM-SHA-256",
        username="weir",
        password="enc:gone:aaaa",
    )
