"""How fast a partition is read, when its reader has caught up, and when records are lost unread. Pure."""

from bisect import bisect_left
from dataclasses import dataclass
from typing import Final, Literal

from weir.consumer_groups.services.health import Health, lag_to_read
from weir.consumer_groups.services.partition_track import PartitionTrack
from weir.lag.services.end_offsets import EndOffsetHistory
from weir.runs.services.lag_health import Kind

RATE_WINDOW_US: Final = 60_000_000
START_WINDOW_US: Final = 6 * 3_600_000_000
_LEAST_AGING: Final = 0.02  # a reader that ages by less keeps up as far as can be measured
_STANDING: Final = frozenset({Kind.STALLED, Kind.STOPPED})
_AT_RISK: Final = frozenset({Kind.BEHIND, Kind.FALLING_BEHIND}) | _STANDING

SecondsBy = Literal["record", "sampled", "at_least"]


@dataclass(frozen=True, slots=True)
class Retention:
    """How long a topic keeps records.

    Attributes:
        seconds: by time; None for without a limit, or where it may not be read.
        by_size: whether a limit of bytes, or one that may not be read, can delete them sooner.
    """

    seconds: float | None = None
    by_size: bool = True


@dataclass(frozen=True, slots=True)
class Offsets:
    """Observed offsets of a partition: where it ended and where it began, over time."""

    ends: EndOffsetHistory
    starts: EndOffsetHistory


@dataclass(frozen=True, slots=True)
class Forecast:
    """Rates and times of one partition of one group; None: not known, or does not apply.

    Attributes:
        seconds: how long ago the next record to read was written.
        seconds_by: from the record's own timestamp, from offsets sampled over time, or at least as long,
            because it was written before the watch began.
        in_rate: records written per second, over a minute.
        out_rate: records committed per second, over the newest commits.
        catch_up_s: until the end is reached, at these rates.
        loss_s: until retention deletes records that are not read yet.
    """

    seconds: float | None
    seconds_by: SecondsBy | None
    in_rate: float | None
    out_rate: float | None
    catch_up_s: float | None = None
    loss_s: float | None = None


def forecast(
    track: PartitionTrack,
    health: Health,
    offsets: Offsets,
    retention: Retention,
    now_us: int,
    record_us: int | None = None,
) -> Forecast:
    """What is known of a partition's future.

    Args:
        track: of the partition and group.
        health: on it.
        offsets: of the partition.
        retention: of its topic.
        now_us: time of the newest pass.
        record_us: timestamp of the record at the committed offset; None where it was not read.
    """
    in_rate = offsets.ends.rate(now_us, RATE_WINDOW_US)
    lag = lag_to_read(track, now_us)
    out_rate = _out_rate(track, lag, health, now_us)
    seconds, by = _age(track, lag, offsets.ends, now_us, record_us)
    catch_up_s = None
    if health.kind == Kind.CATCHING_UP and lag is not None and in_rate is not None and out_rate is not None:
        catch_up_s = lag / (out_rate - in_rate) if out_rate > in_rate else None
    loss_s = None
    if health.kind in _AT_RISK and seconds is not None:
        aging = 1.0 if health.kind in _STANDING else _aging(track, offsets.ends)
        loss_s = _until_loss(track, offsets, retention, now_us, seconds, aging, out_rate or 0.0)
    return Forecast(seconds, by, in_rate, out_rate, catch_up_s, loss_s)


def _age(
    track: PartitionTrack, lag: int | None, ends: EndOffsetHistory, now_us: int, record_us: int | None
) -> tuple[float | None, SecondsBy | None]:
    if not lag:
        return (None, None) if lag is None else (0.0, "sampled")
    if record_us is not None:
        return max(0.0, (now_us - record_us) / 1e6), "record"
    found = ends.lag(track.committed, now_us)
    if found is None:
        return None, None
    return found.seconds, "at_least" if found.lower_bound else "sampled"


def _out_rate(track: PartitionTrack, lag: int | None, health: Health, now_us: int) -> float | None:
    if health.kind in _STANDING:
        return 0.0
    times, positions = track.times, track.positions
    if len(times) < 2:
        return None if lag else 0.0
    if not lag and now_us - times[-1] > RATE_WINDOW_US:
        return 0.0
    first = min(bisect_left(times, now_us - RATE_WINDOW_US), max(0, len(times) - 3))
    return (positions[-1] - positions[first]) * 1e6 / max(times[-1] - times[first], 1)


def _until_loss(
    track: PartitionTrack,
    offsets: Offsets,
    retention: Retention,
    now_us: int,
    seconds: float,
    aging: float,
    out_rate: float,
) -> float | None:
    """The sooner of two: the age of the next record reaches the retention, at the pace at which it ages;
    the log's start, which moves as fast as it did, reaches the next record.
    """
    found = []
    if retention.seconds is not None and aging > _LEAST_AGING:
        found.append(max(0.0, (retention.seconds - seconds) / aging))
    if retention.by_size:
        start_rate = offsets.starts.rate(now_us, START_WINDOW_US)
        if start_rate and start_rate > out_rate:
            found.append((track.committed - track.start) / (start_rate - out_rate))
    return min(found, default=None)


def _aging(track: PartitionTrack, ends: EndOffsetHistory) -> float:
    """Seconds by which the next record to read gets older in a second: 1 when nothing is read, 0 when the
    reader keeps its distance.
    """
    times, positions = track.times, track.positions
    if len(times) < 2 or positions[-1] < ends.offsets[0]:
        return 1.0  # of what was written before the watch began, it is not known how fast it was read in time
    passed_us = ends.reached_us(positions[-1]) - ends.reached_us(positions[0])
    return 1.0 - passed_us / max(times[-1] - times[0], 1)
