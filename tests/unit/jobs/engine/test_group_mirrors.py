"""A mirror group whose cluster cannot be used ends nothing: the thread that mirrors watches all runs."""

import pytest

from jobs.engine.group_mirrors import GroupMirrors
from tests.support.desired_runs import locked_out_profile


def test_a_group_whose_password_cannot_be_decrypted_any_more_is_not_mirrored(
    caplog: pytest.LogCaptureFixture,
) -> None:
    GroupMirrors().commit(locked_out_profile(), "weir.shop.orders", {("orders", 0): 7})
    assert "group weir.shop.orders is not mirrored" in caplog.text
