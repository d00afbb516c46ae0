"""Kafka clients that are no longer used, because a newer one has taken their place."""

import threading
from typing import Any, Final

# Any request or delivery of engine and platform has ended by then.
KEPT_S: Final = 35.0


def keep_for_answers(client: Any) -> None:
    """Keep a client until whatever it was asked is answered, or timed out; returns at once.

    confluent-kafka leaves futures of a client that is gone without a result or an error, so whoever waits for
    one in another thread would wait for ever.

    Args:
        client: an admin client or a producer; the caller gives it to nobody any more.
    """
    holder = threading.Timer(KEPT_S, _nothing, (client,))
    holder.daemon = True
    holder.start()


def _nothing(client: Any) -> None:
    """The timer's reference goes with it."""
