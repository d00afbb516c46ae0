"""One request of Kafka's protocol to one server, over one connection, without what a client would check or ask by itself.

Whoever asks from a process that seldom does imports this module with the question: kafka-python takes a third of a second.
"""

from collections.abc import Mapping
from typing import Any

from kafka.net import KafkaConnectionManager, NetworkSelector


def answer_to(request: Any, options: Mapping[str, Any], timeout_ms: int) -> Any:
    """Send a request and wait for its answer.

    Args:
        request: of `kafka.protocol`.
        options: of a kafka-python client, with one bootstrap server.
        timeout_ms: how long connecting, and then the answer, may take, each.

    Raises:
        KafkaError: of kafka-python: the server cannot be reached, refuses the user or does not answer in time.
    """
    net = NetworkSelector()
    manager = KafkaConnectionManager(net, **options)

    async def ask() -> Any:
        (server,) = manager.cluster.bootstrap_brokers()
        connection = manager.get_connection(
            server.node_id, timeout_ms=timeout_ms, pop_on_close=False, refresh_metadata_on_err=False, reset_backoff_on_connect=False
        )
        await manager.wait_for(connection.init_future, timeout_ms)
        return await manager.wait_for(connection.send_request(request), timeout_ms)

    try:
        return net.run(ask)
    finally:
        manager.close()
        net.close()
