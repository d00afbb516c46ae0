"""Samples that stay the same while a person edits: otherwise rows change for two reasons at once, and every
preview pays for reading the topics.

They are kept in Valkey, since each request may come to another web process. While it is away, topics are read
each time.
"""

import hashlib
import logging
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Final

from django.core.cache import caches
from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass
from redis.exceptions import RedisError

from weir.preview.services.aligned_samples import Wanted
from weir.preview.services.samples import Sample

KEPT_S: Final = 600
"""Since the last preview of them."""
MOST_KEPT: Final = 6
"""Of one person; each has at most `samples.MAX_BYTES` of records."""

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True)
class PinnedSamples:
    """The samples of one reading.

    Attributes:
        read_at_us: when the topics were read.
        samples: by source.
    """

    read_at_us: int
    samples: dict[str, Sample]


_STORED: Final = TypeAdapter(PinnedSamples)


def pinned_samples(
    owner: str, reading: int, wanted: Mapping[str, Wanted], read: Callable[[], dict[str, Sample]]
) -> PinnedSamples:
    """The samples of a page's reading, read where they aren't kept.

    Args:
        owner: person and page (`owner_of`).
        reading: number of the page's reading.
        wanted: by source.
        read: reads them.

    Raises:
        Exception: whatever `read` raises.
    """
    key = _key(owner, reading, wanted)
    kept = _kept(key)
    if kept is not None:
        return kept
    fresh = PinnedSamples(time.time_ns() // 1_000, read())
    _keep(owner, key, fresh)
    return fresh


def _key(owner: str, reading: int, wanted: Mapping[str, Wanted]) -> str:
    parts = [
        [name, one.stream.pk, one.stream.topic_id, one.stream.contract, asdict(one.choice)]
        for name, one in sorted(wanted.items())
    ]
    digest = hashlib.sha256(repr([owner, reading, parts]).encode()).hexdigest()
    return f"preview:{digest}"


def _kept(key: str) -> PinnedSamples | None:
    cache: Any = caches["shared"]
    try:
        packed = cache.get(key)
        if packed is None:
            return None
        cache.touch(key, KEPT_S)
        return _STORED.validate_json(zlib.decompress(packed))
    except RedisError as error:
        _LOG.warning("samples are read again: %s", type(error).__name__)
    except (ValidationError, zlib.error):  # of another version of Weir
        _LOG.info("a sample of another version is read again")
    return None


def _keep(owner: str, key: str, fresh: PinnedSamples) -> None:
    """Keep it, and of the person's others only the newest."""
    cache: Any = caches["shared"]
    listed = f"previews-of:{owner.rpartition('/')[0]}"
    try:
        cache.set(key, zlib.compress(_STORED.dump_json(fresh), 1), KEPT_S)
        keys = [*(cache.get(listed) or []), key]
        cache.delete_many(keys[:-MOST_KEPT])
        cache.set(listed, keys[-MOST_KEPT:], KEPT_S)
    except RedisError as error:
        _LOG.warning("samples are not kept: %s", type(error).__name__)
