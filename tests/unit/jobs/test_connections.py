"""Client options come from structured fields and from nothing else."""

import pytest

from jobs.connections import ClusterProfile, jvm_options, librdkafka_options

HOME = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:9092,127.0.0.1:9093")


def test_options_hold_only_what_the_profile_says() -> None:
    assert librdkafka_options(HOME) == {"bootstrap.servers": "127.0.0.1:9092,127.0.0.1:9093", "security.protocol": "PLAINTEXT"}
    assert jvm_options(HOME) == {"kafka.bootstrap.servers": "127.0.0.1:9092,127.0.0.1:9093", "kafka.security.protocol": "PLAINTEXT"}


@pytest.mark.parametrize("field", ["plugin.library.paths", "sasl.jaas.config", "ssl.engine.factory.class", "debug", "interceptor.classes"])
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
    "bootstrap", ["localhost:9092", "kafka-1.example.com:9092,kafka-2.example.com:9092", "[::1]:9092", "10.0.0.1:19092"]
)
def test_hosts_and_ports_are_taken(bootstrap: str) -> None:
    assert ClusterProfile(cluster_id="home", bootstrap=bootstrap).bootstrap == bootstrap
