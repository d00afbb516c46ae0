"""Reports on their way into the control tables."""

import logging
from typing import Final

from confluent_kafka import Message
from django.db import DatabaseError, OperationalError, transaction
from pydantic import ValidationError

from jobs.messages import REPORT, GuardReport, HeartbeatReport, PartitionProgress, PositionsReport, Report
from weir.guards.services.counting import record_counts
from weir.runs import report_handlers

_LOG: Final = logging.getLogger(__name__)


def read_reports(messages: list[Message]) -> list[Report]:
    """The reports in these records; what is none is logged and left out."""
    found: list[Report] = []
    for message in messages:
        value = message.value()
        if value is None:
            continue
        try:
            found.append(REPORT.validate_json(value))
        except ValidationError as error:
            _LOG.warning("record %s of weir.reports is not a report: %s", message.offset(), error.errors(include_input=False)[0]["msg"])
    return found


def newest_only(reports: list[Report]) -> list[Report]:
    """Leave out positions and heartbeats that a later one of the same run or engine replaces; the order stays.

    A positions report names the partitions that moved, so what is left out is merged into its successor. States and
    progress are all kept: each of them says something that the next does not repeat.
    """
    kept: dict[object, Report] = {}
    for place, report in enumerate(reports):
        key = _replaced_by(report)
        held = kept.pop(key, None) if key is not None else None
        if isinstance(held, PositionsReport) and isinstance(report, PositionsReport):
            kept[key] = report.model_copy(update={"sources": _merged(held, report)})
        else:
            kept[key or place] = report
    return list(kept.values())


def _merged(held: PositionsReport, report: PositionsReport) -> dict[str, dict[int, PartitionProgress]]:
    merged = {source: dict(partitions) for source, partitions in held.sources.items()}
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
    """Write what these reports say, in one transaction; a report that cannot be written is logged and left out.

    Raises:
        OperationalError: the database is locked or away; nothing was written.
    """
    kept = newest_only(reports)
    try:
        _apply_all(kept)
    except OperationalError:
        raise
    except (DatabaseError, ValueError, OverflowError):
        for report in kept:
            _apply_alone(report)


def _apply_all(reports: list[Report]) -> None:
    with transaction.atomic():
        for report in reports:
            if isinstance(report, GuardReport):
                record_counts(report)
            else:
                report_handlers.apply_report(report)


def _apply_alone(report: Report) -> None:
    try:
        _apply_all([report])
    except OperationalError:
        raise
    except (DatabaseError, ValueError, OverflowError):
        _LOG.exception("a %s report was left out", report.type)
