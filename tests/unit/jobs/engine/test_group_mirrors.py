"""A mirror group whose cluster cannot be used ends nothing: the thread that mirrors watches all runs."""

import pytest

from jobs.connections import ClusterProfile
from jobs.engine.group_mirrors import GroupMirrors


def test_a_group_whose_password_cannot_be_decrypted_any_more_is_not_mirrored(
    caplog: pytest.LogCaptureFixture,
) -> None:
    profile = ClusterProfile(
        cluster_id="far",
        bootstrap="127.0.0.1:1",
        security="SASL_PLAINTEXT",
        mechanism="SCRAM-SHA-256",
        username="weir",
        password="enc:gone:aaaa",
    )
    GroupMirrors().commit(profile, "weir.shop.orders", {("orders", 0): 7})
    assert "group weir.shop.orders is not mirrored" in caplog.text
