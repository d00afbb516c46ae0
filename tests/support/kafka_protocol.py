"""Single requests of Kafka's protocol, without the checks that clients make before they send one."""

from typing import Any

from jobs import kafka_request

_TIMEOUT_MS = 10_000


def send_request(request: Any, bootstrap: str) -> Any:
    """Send a request of kafka-python's protocol to a server that asks for no user; its answer."""
    return kafka_request.send_request(
        request, {"bootstrap_servers": [bootstrap], "client_id": "tests"}, _TIMEOUT_MS
    )
