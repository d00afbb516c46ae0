"""Names of Kafka topics: which ones are valid, and which belong to Kafka or to Weir itself."""

import re
from typing import Final

SYSTEM_PREFIX: Final = "weir."
KAFKA_PREFIX: Final = "__"
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,249}")


def is_topic_name(text: str) -> bool:
    """True when Kafka accepts the text as a topic's name."""
    return _NAME.fullmatch(text) is not None and text not in (".", "..")


def is_reserved(topic: str) -> bool:
    """True for topics of Weir and of Kafka, on every cluster: users can neither see nor name them."""
    return topic.startswith((SYSTEM_PREFIX, KAFKA_PREFIX))


def may_be_made(topic: str) -> bool:
    """True for a name under which a user may create a topic.

    Kafka does not distinguish ``.`` and ``_`` in metric names and refuses a topic whose name differs from an
    existing one only in these. A topic ``weir_dead_x`` would therefore prevent the creation of
    ``weir.dead.x``, so such names are refused like the reserved ones. So are those that differ from reserved
    ones in case only, which people would take for them.
    """
    return is_topic_name(topic) and not topic.lower().replace("_", ".").startswith(
        (SYSTEM_PREFIX, KAFKA_PREFIX.replace("_", "."))
    )
