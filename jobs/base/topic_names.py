"""Names of Kafka topics: which ones there can be, and which belong to Kafka or to the service itself."""

import re
from typing import Final

SYSTEM_PREFIX: Final = "weir."
KAFKA_PREFIX: Final = "__"
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,249}")


def is_topic_name(text: str) -> bool:
    """True when Kafka would take the text as a topic's name."""
    return _NAME.fullmatch(text) is not None and text not in (".", "..")


def is_reserved(topic: str) -> bool:
    """True for topics of the service and of Kafka, on every cluster: people neither see nor name them."""
    return topic.startswith((SYSTEM_PREFIX, KAFKA_PREFIX))


def may_be_made(topic: str) -> bool:
    """True for a name under which people may have a topic made.

    Kafka takes ``.`` and ``_`` for the same in its metrics and refuses a topic whose name differs from
    another's in these alone. So a topic ``weir_dead_x`` would keep ``weir.dead.x`` from being made, and such
    names are refused like the reserved ones.
    """
    return is_topic_name(topic) and not topic.replace("_", ".").startswith(
        (SYSTEM_PREFIX, KAFKA_PREFIX.replace("_", "."))
    )
