"""Client options come from structured fields and from nothing else."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from jobs.connections import (
    ClusterProfile,
    PasswordDecryptor,
    jvm_options,
    librdkafka_options,
    password_context,
)
from jobs.encryption import DecryptionError, add_key, read_keys

HOME = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:9092,127.0.0.1:9093")
CA = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    add_key(tmp_path / "encryption.keys")
    return tmp_path / "encryption.keys"


def with_user(key_file: Path, password: str = "secret", **fields: Any) -> ClusterProfile:
    encrypted = read_keys(key_file).encrypt(password, password_context("c1"))
    given = {"security": "SASL_SSL", "mechanism": "SCRAM-SHA-512", "username": "ann", **fields}
    return ClusterProfile(cluster_id="c1", bootstrap="kafka:9093", password=encrypted, **given)


def test_options_hold_only_what_the_profile_says() -> None:
    assert librdkafka_options(HOME) == {
        "bootstrap.servers": "127.0.0.1:9092,127.0.0.1:9093", "security.protocol": "PLAINTEXT",
        "enable.sparse.connections": "false"
    }  # fmt: skip
    assert jvm_options(HOME) == {
        "kafka.bootstrap.servers": "127.0.0.1:9092,127.0.0.1:9093",
        "kafka.security.protocol": "PLAINTEXT",
    }


def test_options_of_a_user_with_tls(key_file: Path) -> None:
    profile, decryptor = with_user(key_file, ca=CA), PasswordDecryptor(key_file)
    assert librdkafka_options(profile, decryptor) == {
        "bootstrap.servers": "kafka:9093", "security.protocol": "SASL_SSL",
        "enable.sparse.connections": "false", "ssl.ca.pem": CA,
        "ssl.endpoint.identification.algorithm": "https",
        "sasl.mechanism": "SCRAM-SHA-512", "sasl.username": "ann", "sasl.password": "secret",
    }  # fmt: skip
    options = jvm_options(profile, decryptor)
    assert options["kafka.ssl.truststore.certificates"] == CA
    assert options["kafka.sasl.jaas.config"] == (
        'org.apache.kafka.common.security.scram.ScramLoginModule required username="ann" password="secret";'
    )


def test_a_password_cannot_leave_its_quotes(key_file: Path) -> None:
    profile = with_user(key_file, 'a" evil="x\\')
    text = jvm_options(profile, PasswordDecryptor(key_file))["kafka.sasl.jaas.config"]
    assert text.endswith('password="a\\" evil=\\"x\\\\";')
    for password in ("a;b", "a\nb", "\x00", ""):
        with pytest.raises(ValueError, match="password needs"):
            jvm_options(with_user(key_file, password), PasswordDecryptor(key_file))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"security": "SASL_PLAINTEXT", "mechanism": "PLAIN"}, "needs TLS"),
        ({"security": "SSL"}, "doesn't support a mechanism"),
        ({"security": "PLAINTEXT"}, "doesn't support a mechanism"),
        ({"mechanism": None}, "needs a mechanism"),
        ({"username": ""}, "needs a mechanism"),
        ({"username": "a;b"}, "semicolon"),
        ({"username": "a\nb"}, "control character"),
        ({"mechanism": "OAUTHBEARER"}, "PLAIN"),
        ({"mechanism": "GSSAPI"}, "PLAIN"),
        ({"security": "ssl"}, "PLAINTEXT"),
        ({"security": "SASL_PLAINTEXT", "ca": CA}, "doesn't use TLS"),
        ({"ca": "/etc/passwd"}, "BEGIN CERTIFICATE"),
        (
            {"ca": CA + "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n"},
            "without private keys",
        ),
        ({"ca": CA * 3000}, "BEGIN CERTIFICATE"),
    ],
)
def test_fields_that_do_not_fit_together_are_refused(
    key_file: Path, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        with_user(key_file, **fields)


def test_a_password_opens_only_for_its_cluster_and_with_its_key(key_file: Path, tmp_path: Path) -> None:
    profile = with_user(key_file)
    with pytest.raises(DecryptionError):
        librdkafka_options(profile)
    with pytest.raises(DecryptionError):
        librdkafka_options(profile.model_copy(update={"cluster_id": "c2"}), PasswordDecryptor(key_file))
    with pytest.raises(DecryptionError, match="doesn't exist"):
        librdkafka_options(profile, PasswordDecryptor(tmp_path / "none"))
    with pytest.raises(DecryptionError, match="can't be read"):
        librdkafka_options(profile, PasswordDecryptor(tmp_path))
    add_key(tmp_path / "other")
    with pytest.raises(DecryptionError, match="isn't in the key file"):
        librdkafka_options(profile, PasswordDecryptor(tmp_path / "other"))
    os.chmod(key_file, 0o644)
    with pytest.raises(DecryptionError, match="0600"):
        librdkafka_options(profile, PasswordDecryptor(key_file))


def test_a_profile_travels_without_its_password(key_file: Path) -> None:
    text = with_user(key_file, "planted-value").model_dump_json()
    assert "planted-value" not in text
    assert (
        librdkafka_options(ClusterProfile.model_validate_json(text), PasswordDecryptor(key_file))[
            "sasl.password"
        ]
        == "planted-value"
    )


@pytest.mark.parametrize(
    "field",
    [
        "plugin.library.paths",
        "sasl.jaas.config",
        "ssl.engine.factory.class",
        "debug",
        "interceptor.classes",
        "ssl.ca.location",
    ],
)
def test_foreign_fields_never_become_options(field: str) -> None:
    profile = ClusterProfile.model_validate({**HOME.model_dump(), field: "x"})
    assert field not in librdkafka_options(profile)
    assert f"kafka.{field}" not in jvm_options(profile)


@pytest.mark.parametrize(
    "bootstrap",
    [
        "",
        "host",
        "host:",
        ":9092",
        "host:0",
        "host:70000",
        "host:9092,",
        "a b:9092",
        "host:9092\nsasl.jaas.config=x",
        "host:9092;x",
        "http://host:9092",
    ],
)
def test_a_bootstrap_that_is_no_list_of_hosts_and_ports_is_refused(bootstrap: str) -> None:
    with pytest.raises(ValueError, match="host:port"):
        ClusterProfile(cluster_id="home", bootstrap=bootstrap)


@pytest.mark.parametrize(
    "bootstrap",
    ["localhost:9092", "kafka-1.example.com:9092,kafka-2.example.com:9092", "[::1]:9092", "10.0.0.1:19092"],
)
def test_hosts_and_ports_are_taken(bootstrap: str) -> None:
    assert ClusterProfile(cluster_id="home", bootstrap=bootstrap).bootstrap == bootstrap
