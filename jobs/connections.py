"""A Kafka cluster's connection profile, as structured fields only, and the client options made from it.

People fill the fields; the option maps are built here, so that no foreign key ever reaches librdkafka or the JVM
(`facts/security.md` 4). In the embedded default a cluster is PLAINTEXT on loopback.
"""

import re
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict

_HOST_PORT: Final = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\]):(\d{1,5})")


def _bootstrap_text(text: str) -> str:
    for part in text.split(","):
        found = _HOST_PORT.fullmatch(part)
        if found is None or not 0 < int(found.group(1)) < 65_536:
            raise ValueError(f"{part[:80]!r} is not host:port; write host:port[,host:port…]")
    return text


class ClusterProfile(BaseModel):
    """How to reach a cluster. `password` is sealed (see `jobs.sealing`) and opened only where a client is made."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    cluster_id: str  # our row's id, not Kafka's
    bootstrap: Annotated[str, AfterValidator(_bootstrap_text)]  # host:port[,host:port…]
    security: Literal["PLAINTEXT"] = "PLAINTEXT"


def librdkafka_options(profile: ClusterProfile) -> dict[str, str]:
    """Options of a confluent-kafka client for this cluster."""
    return {"bootstrap.servers": profile.bootstrap, "security.protocol": profile.security}


def jvm_options(profile: ClusterProfile) -> dict[str, str]:
    """Options of Spark's Kafka source and sink for this cluster, each with its ``kafka.`` prefix."""
    return {"kafka.bootstrap.servers": profile.bootstrap, "kafka.security.protocol": profile.security}
