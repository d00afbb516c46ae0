"""Kafka connection of the examples' programs: servers from the command line, user from the environment."""

import os
from collections.abc import Mapping
from pathlib import Path


def client_options(bootstrap: str, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Options of a confluent-kafka client.

    Args:
        bootstrap: Kafka's bootstrap servers.
        environment: KAFKA_SECURITY, KAFKA_MECHANISM, KAFKA_USERNAME, KAFKA_PASSWORD_FILE and KAFKA_CA_FILE;
            those that are absent or empty are not asked for.

    Raises:
        OSError: the password's file cannot be read.
    """
    options = {
        "bootstrap.servers": bootstrap,
        "security.protocol": environment.get("KAFKA_SECURITY") or "PLAINTEXT",
    }
    names = {
        "KAFKA_MECHANISM": "sasl.mechanism",
        "KAFKA_USERNAME": "sasl.username",
        "KAFKA_CA_FILE": "ssl.ca.location",
    }
    options |= {option: environment[name] for name, option in names.items() if environment.get(name)}
    if environment.get("KAFKA_PASSWORD_FILE"):
        options["sasl.password"] = (
            Path(environment["KAFKA_PASSWORD_FILE"]).read_text(encoding="utf-8").strip()
        )
    return options
