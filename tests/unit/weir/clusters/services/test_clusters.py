"""What is shown of the home cluster: how people's own tools reach it."""

import pytest
from pytest_django import Settings

from weir.clusters.services.clusters import home_cluster

pytestmark = pytest.mark.django_db


def test_the_open_listener_is_shown_where_there_is_one(settings: Settings) -> None:
    settings.KAFKA_BOOTSTRAP_SERVERS, settings.KAFKA_SECURITY, settings.KAFKA_MECHANISM = (
        "k:9094",
        "SASL_PLAINTEXT",
        "SCRAM-SHA-512",
    )
    settings.KAFKA_USERNAME, settings.KAFKA_OPEN_BOOTSTRAP_SERVERS = "weir", "k:9092"
    row = home_cluster()
    assert (row.bootstrap, row.security, row.mechanism, row.username) == ("k:9092", "PLAINTEXT", "", "")
    settings.KAFKA_OPEN_BOOTSTRAP_SERVERS = ""
    row = home_cluster()
    assert (row.bootstrap, row.security, row.mechanism, row.username) == (
        "k:9094",
        "SASL_PLAINTEXT",
        "SCRAM-SHA-512",
        "",
    )
    row.refresh_from_db()
    assert (row.bootstrap, row.security) == ("k:9094", "SASL_PLAINTEXT")
