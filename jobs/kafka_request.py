"""Sends one request of Kafka's protocol to one server over one connection, without the checks and requests
that a client adds by itself. Imported where one is sent, as `jobs.kafka_python` is.
"""

from collections.abc import Mapping
from typing import Any

from jobs.kafka_python import KafkaConnectionManager, NetworkSelector


def send_request(request: Any, options: Mapping[str, Any], timeout_ms: int) -> Any:
    """Send a request and wait for its response.

    Args:
        request: of kafka-python.
        options: of a kafka-python client, with one bootstrap server.
        timeout_ms: limit for connecting, and again for the response.

    Raises:
        KafkaError: kafka-python's: the server can't be reached, rejects the user or does not respond in time.
    """
    net = NetworkSelector()
    manager = KafkaConnectionManager(net, **options)

    async def send() -> Any:
        (server,) = manager.cluster.bootstrap_brokers()
        connection = manager.get_connection(
            server.node_id,
            timeout_ms=timeout_ms,
            pop_on_close=False,
            refresh_metadata_on_err=False,
            reset_backoff_on_connect=False,
        )
        await manager.wait_for(connection.init_future, timeout_ms)
        return await manager.wait_for(connection.send_request(request), timeout_ms)

    try:
        return net.run(send)
    finally:
        manager.close()
        net.close()
