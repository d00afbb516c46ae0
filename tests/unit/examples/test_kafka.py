"""How the examples' programs reach Kafka."""

import argparse
from pathlib import Path

import pytest

from examples.kafka import add_bootstrap, client_options


def test_without_a_user() -> None:
    assert client_options("k:9092", {}) == {"bootstrap.servers": "k:9092", "security.protocol": "PLAINTEXT"}
    assert client_options("k:9092", {"KAFKA_USERNAME": "", "KAFKA_PASSWORD_FILE": ""}) == client_options(
        "k:9092", {}
    )


def test_with_the_user_of_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("secret\n")
    said = {
        "KAFKA_SECURITY": "SASL_SSL", "KAFKA_MECHANISM": "SCRAM-SHA-512", "KAFKA_USERNAME": "weir",
        "KAFKA_PASSWORD_FILE": str(file),
        "KAFKA_CA_FILE": "/ca.pem",
    }  # fmt: skip
    assert client_options("k:9092", said) == {
        "bootstrap.servers": "k:9092", "security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "weir",
        "sasl.password": "secret", "ssl.ca.location": "/ca.pem",
    }  # fmt: skip
    with pytest.raises(FileNotFoundError):
        client_options("k:9092", {"KAFKA_PASSWORD_FILE": str(tmp_path / "none")})


@pytest.mark.parametrize(
    ("environment", "arguments", "expected"),
    [
        ({}, [], "127.0.0.1:19092"),
        ({"KAFKA_BOOTSTRAP_SERVERS": "kafka:9092"}, [], "kafka:9092"),
        ({"KAFKA_BOOTSTRAP_SERVERS": "kafka:9092"}, ["--bootstrap", "other:1"], "other:1"),
    ],
)
def test_servers_are_those_of_the_installation(
    environment: dict[str, str], arguments: list[str], expected: str
) -> None:
    parser = argparse.ArgumentParser()
    add_bootstrap(parser, environment)
    assert parser.parse_args(arguments).bootstrap == expected
