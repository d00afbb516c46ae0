"""A Kafka cluster's connection profile, as structured fields only, and the client options made from it.

People fill the fields; the option maps are built here, so that no foreign key ever reaches librdkafka or the JVM
(`facts/security.md` 4). In the embedded default a cluster is PLAINTEXT on loopback.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict


class ClusterProfile(BaseModel):
    """How to reach a cluster. `password` is sealed (see `jobs.sealing`) and opened only where a client is made."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    cluster_id: str  # our row's id, not Kafka's
    bootstrap: str  # host:port[,host:port…]
    security: Literal["PLAINTEXT"] = "PLAINTEXT"


def librdkafka_options(profile: ClusterProfile) -> dict[str, str]:
    """Options of a confluent-kafka client for this cluster."""
    return {"bootstrap.servers": profile.bootstrap, "security.protocol": profile.security}


def jvm_options(profile: ClusterProfile) -> dict[str, str]:
    """Options of Spark's Kafka source and sink for this cluster, each with its ``kafka.`` prefix."""
    return {"kafka.bootstrap.servers": profile.bootstrap, "kafka.security.protocol": profile.security}
