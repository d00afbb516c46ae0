"""Reads engines' reports and hands them to their consumers (`report_consumers`)."""

import logging
from typing import Final

import structlog
from confluent_kafka import Message
from django.db import InterfaceError, OperationalError, transaction
from pydantic import ValidationError

from jobs.kafka_messages import (
    REPORT,
    HeartbeatReport,
    PartitionProgress,
    PositionsReport,
    Report,
)
from weir.relay.newer_database import unknown_migrations
from weir.relay.report_consumers import CONSUMERS

_LOG: Final = logging.getLogger(__name__)
AWAY: Final = (
    OperationalError,
    InterfaceError,
)  # the database is, or is locked: what is asked again may succeed


def read_reports(messages: list[Message]) -> list[Report]:
    """Parse reports; records that are not reports are logged and left out."""
    found: list[Report] = []
    for message in messages:
        value = message.value()
        if value is None:
            continue
        try:
            found.append(REPORT.validate_json(value))
        except ValidationError as error:
            _LOG.warning(
                "record %s of weir.reports is not a report: %s",
                message.offset(),
                error.errors(include_input=False)[0]["msg"],
            )
    return found


def newest_only(reports: list[Report]) -> list[Report]:
    """Drop positions and heartbeats that a later one of the same run or engine replaces; the order stays.

    A positions report contains only the partitions that moved, so it is merged into its successor. State and
    progress reports are all kept, because the next one does not repeat them.
    """
    kept: dict[object, Report] = {}
    for index, report in enumerate(reports):
        key = _replaced_by(report)
        replaced = kept.pop(key, None) if key is not None else None
        if isinstance(replaced, PositionsReport) and isinstance(report, PositionsReport):
            kept[key] = report.model_copy(update={"sources": _merged(replaced, report)})
        else:
            kept[key or index] = report
    return list(kept.values())


def _merged(replaced: PositionsReport, report: PositionsReport) -> dict[str, dict[int, PartitionProgress]]:
    merged = {source: dict(partitions) for source, partitions in replaced.sources.items()}
    for source, partitions in report.sources.items():
        merged.setdefault(source, {}).update(partitions)
    return merged


def _replaced_by(report: Report) -> tuple[str, str] | None:
    match report:
        case PositionsReport():
            return ("positions", f"{report.run_id}/{report.epoch}")
        case HeartbeatReport():
            return ("heartbeat", f"{report.engine_id}/{report.incarnation}")
        case _:
            return None


def apply(reports: list[Report]) -> None:
    """Store reports in one transaction; a report that cannot be stored is logged and left out.

    Raises:
        OperationalError, InterfaceError: the database is locked or away, or of a newer version of Weir, whose
            relay will store them; nothing was stored.
    """
    kept = newest_only(reports)
    try:
        _apply_all(kept)
    except AWAY:
        raise
    except Exception as error:
        if unknown := unknown_migrations():
            raise OperationalError(f"the database is of a newer version of Weir ({unknown[0]})") from error
        for report in kept:
            _apply_alone(report)


def _apply_all(reports: list[Report]) -> None:
    with transaction.atomic():
        for report in reports:
            with structlog.contextvars.bound_contextvars(**_ids(report)):
                for consume in CONSUMERS:
                    consume(report)


def _ids(report: Report) -> dict[str, str]:
    """What lines of the log say while a report is applied."""
    ids = {"engine": report.engine_id}
    return ids if isinstance(report, HeartbeatReport) else ids | {"run": report.run_id}


def _apply_alone(report: Report) -> None:
    try:
        _apply_all([report])
    except AWAY:
        raise
    except Exception:  # noqa: BLE001 - a report that ended the process would be read again by the next one
        with structlog.contextvars.bound_contextvars(**_ids(report)):
            _LOG.exception("a %s report was left out", report.type)
