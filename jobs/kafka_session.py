"""Keeps one connection to one Kafka broker, and sends many requests of the protocol over it at once.

For what librdkafka asks a broker group by group and one request can ask for all. Imported where one is sent,
as `jobs.kafka_python` is.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jobs.kafka_python import IncompatibleBrokerVersion, KafkaConnectionManager, NetworkSelector


class BrokerSession:
    """One connection, opened by the first request and again after an error. For one thread at a time.

    Args:
        options: of a kafka-python client, with one bootstrap server.
        timeout_ms: limit for connecting, and again for each response.
    """

    def __init__(self, options: Mapping[str, Any], timeout_ms: int) -> None:
        self._options = options
        self._timeout_ms = timeout_ms
        self._net: Any = None
        self._manager: Any = None
        self._connection: Any = None
        self.sent = 0

    def version(self, request: Any, newest: int) -> int:
        """The version of a request that both sides understand, at most `newest`; -1 for none.

        Raises:
            KafkaError: kafka-python's: the broker can't be reached or rejects the user.
        """
        self._open()
        try:
            return int(self._connection.broker_version_data.api_version(request, max_version=newest))
        except IncompatibleBrokerVersion:
            return -1

    def send(self, requests: Sequence[Any]) -> list[Any]:
        """Send requests and wait for all responses, in the order of the requests.

        Raises:
            KafkaError: kafka-python's: the broker can't be reached, rejects the user or does not respond
                in time.
                The connection is closed then.
        """
        self._open()

        async def exchange() -> list[Any]:
            waiting = [self._connection.send_request(request) for request in requests]
            return [await self._manager.wait_for(each, self._timeout_ms) for each in waiting]

        self.sent += len(requests)
        answers: list[Any] = self._run(exchange)
        return answers

    def close(self) -> None:
        """Close the connection; the next request opens it again."""
        manager, net = self._manager, self._net
        self._manager = self._net = self._connection = None
        if manager is not None:
            manager.close()
        if net is not None:
            net.close()

    def _open(self) -> None:
        if self._connection is not None and not self._connection.closed:
            return
        self.close()
        self._net = NetworkSelector()
        self._manager = KafkaConnectionManager(self._net, **self._options)

        async def connect() -> Any:
            (server,) = self._manager.cluster.bootstrap_brokers()
            connection = self._manager.get_connection(
                server.node_id,
                timeout_ms=self._timeout_ms,
                pop_on_close=False,
                refresh_metadata_on_err=False,
                reset_backoff_on_connect=False,
            )
            await self._manager.wait_for(connection.init_future, self._timeout_ms)
            return connection

        self._connection = self._run(connect)

    def _run(self, work: Callable[[], Any]) -> Any:
        try:
            return self._net.run(work)
        except BaseException:
            self.close()
            raise
