"""The batch without input that a query owes where it was stopped behind one that moved its watermark.

Spark runs such a batch for the rows that are final by then
(`docs/semantics/watermarks-and-lateness.md#empty-batches`), but knows of it only from the batch before in the
same process: a query that starts waits for data, and its windows stay open until some comes. So the batch is
planned before the start, as a query that is killed in it leaves it, and Spark repeats it.
"""

import json
import logging
import time
from collections.abc import Callable
from typing import Final

from pyspark.sql import SparkSession

from jobs.engine.checkpoint_files import checkpoint_files, names_in

_VERSION: Final = "v1"  # of the file of a batch's offsets
_NOT_READ: Final = "-"  # stands for a source without offsets

TopicOffsets = dict[str, dict[int, int]]
"""The next offset by topic and partition."""
NothingWaits = Callable[[TopicOffsets], bool]
"""Whether topics end there."""

log = logging.getLogger(__name__)


def plan_owed_batch(session: SparkSession, folder: str, nothing_waits: NothingWaits) -> bool:
    """Plan the batch that a checkpoint owes, if it does.

    Args:
        session: any.
        folder: the checkpoint, on which no query runs.
        nothing_waits: whether topics end where the last batch did. What waits is read by the next batch,
            behind which comes another.

    Returns:
        Whether one was planned.

    Raises:
        KafkaException, ClusterRefusedError, DecryptionError: of `nothing_waits`.
    """
    files = checkpoint_files(session)
    last = max((int(name) for name in names_in(files, f"{folder}/offsets") if name.isdigit()), default=None)
    if last is None:
        return False
    committed = files.read(f"{folder}/commits/{last}")
    if committed is None:
        return False  # it is repeated anyway
    offsets = files.read(f"{folder}/offsets/{last}") or ""
    owed = owed_after(offsets, committed, time.time_ns() // 1_000_000)
    if owed is None or not nothing_waits(owed[1]):
        return False
    # Never over another: a process that was not known to live would execute its batch, and Spark this one.
    if not files.create(f"{folder}/offsets/{last + 1}", owed[0]):
        return False
    log.info("batch %s is planned without input: the one before it moved the watermark", last + 1)
    return True


def owed_after(offsets: str, commit: str, now_ms: int) -> tuple[str, TopicOffsets] | None:
    """The batch that follows one in which the watermark moved.

    Args:
        offsets: text of the file of the batch's offsets.
        commit: text of the file of its commit.
        now_ms: the present, ms since 1970.

    Returns:
        The text of the next file of offsets, and where its topics have been read to; None where the watermark
        did not move, a source was not read yet, or a text is cut off: Spark says so when the query starts.
    """
    try:
        return _owed_after(offsets, commit, now_ms)
    except (ValueError, IndexError, KeyError, TypeError, AttributeError) as error:
        log.warning("whether a batch is owed can't be read: %s: %s", type(error).__name__, error)
        return None


def _owed_after(offsets: str, commit: str, now_ms: int) -> tuple[str, TopicOffsets] | None:
    version, about, *sources = offsets.splitlines()
    metadata = json.loads(about)
    watermark_ms = json.loads(commit.splitlines()[1])["nextBatchWatermarkMs"]
    if version != _VERSION or watermark_ms <= metadata["batchWatermarkMs"] or _NOT_READ in sources:
        return None
    ended: TopicOffsets = {}
    for source in sources:
        for topic, partitions in json.loads(source).items():
            known = ended.setdefault(topic, {})
            for partition, offset in partitions.items():
                known[int(partition)] = min(offset, known.get(int(partition), offset))
    later_ms = max(now_ms, metadata["batchTimestampMs"])
    metadata |= {"batchWatermarkMs": watermark_ms, "batchTimestampMs": later_ms}
    return "\n".join([version, json.dumps(metadata, separators=(",", ":")), *sources]), ended
