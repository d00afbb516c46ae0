"""How long the check of a cluster's addresses may take; which are allowed is in `test_clusters.py`."""

import pytest
from django.test import override_settings

from jobs.cluster_identity import RESOLVE_TIMEOUT_S
from tests.support.silent_network import SilentNetwork
from weir.clusters.services.addresses import require_allowed
from weir.workspaces.errors import UnreachableError


@override_settings(
    PRIVATE_CLUSTERS=True, KAFKA_BOOTSTRAP_SERVERS="127.0.0.1:9092", KAFKA_OPEN_BOOTSTRAP_SERVERS=""
)
def test_names_that_take_long_to_look_up_hold_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was not looked up was not checked, so it isn't allowed either."""
    network = SilentNetwork(monkeypatch, addresses=1, lookup_s=8.0)
    require_allowed("b0.example:9092,b1.example:9092")
    network.now = 0.0
    with pytest.raises(UnreachableError, match="take too long"):
        require_allowed(",".join(f"b{number}.example:9092" for number in range(28)))
    assert network.now <= RESOLVE_TIMEOUT_S + 8.0
