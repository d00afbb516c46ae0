"""Kafka connection of the examples' programs: servers from the command line or the environment, user from the
environment, as Weir's own processes read it.
"""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path


def add_bootstrap(parser: argparse.ArgumentParser, environment: Mapping[str, str] = os.environ) -> None:
    """The argument `--bootstrap`; without it KAFKA_BOOTSTRAP_SERVERS, or the open listener of `make run`."""
    default = environment.get("KAFKA_BOOTSTRAP_SERVERS") or "127.0.0.1:19092"
    parser.add_argument("--bootstrap", default=default, help=f"Kafka's bootstrap servers (now: {default})")


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
