"""The sample that is stored with a stream: records to try its jobs with, whatever the topic holds now."""

from typing import Final

from django.db import transaction

from weir.streams.models import StoredSample, Stream
from weir.streams.services.decoding import page_budget
from weir.streams.services.jsonl_records import TruncatedExportError, filled_lines
from weir.streams.services.record_input import InvalidRecordError, build_line, record_encoder
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Action, User
from weir.workspaces.services.events import record_event

MAX_RECORDS: Final = 1_000
MAX_CHARACTERS: Final = 400_000


def stored_sample(stream: Stream) -> StoredSample | None:
    """The sample; None: the stream has none."""
    return StoredSample.objects.filter(stream=stream).first()


def stored_lines(stream: Stream) -> str:
    """Its lines; empty: the stream has none."""
    found = stored_sample(stream)
    return "" if found is None else found.lines


def save_sample(stream: Stream, lines: str, actor: User) -> StoredSample | None:
    """Store the sample in place of the one before; without records there is none any more.

    A value may break the contract, so that a sample can hold what a job skips.

    Args:
        stream: it belongs to.
        lines: JSON values, or lines of an export.
        actor: who does it.

    Raises:
        ServiceError: SAMPLE_TOO_LARGE, or RECORD_INVALID: a line cannot be a record of the stream.
    """
    given = filled_lines(lines)
    if len(given) > MAX_RECORDS or len(lines) > MAX_CHARACTERS:
        raise ServiceError(
            "SAMPLE_TOO_LARGE",
            f"A sample has at most {MAX_RECORDS:,} records and {MAX_CHARACTERS:,} characters.",
        )
    _require_records(stream, given)
    saved: StoredSample | None = None
    with transaction.atomic():
        if given:
            saved, _ = StoredSample.objects.update_or_create(
                stream=stream, defaults={"lines": lines, "records": len(given), "changed_by": actor.username}
            )
        elif not StoredSample.objects.filter(stream=stream).delete()[0]:
            return None
        record_event(
            stream.workspace,
            "stream",
            f"Sample of {stream.name} {'saved' if given else 'deleted'}",
            actor=actor.username,
            subject=stream.name,
            action=Action.CHANGED,
        )
    return saved


def _require_records(stream: Stream, given: list[tuple[int, str]]) -> None:
    encoder = record_encoder(stream)
    with page_budget():
        for number, line in given:
            try:
                build_line(line, encoder)
            except (InvalidRecordError, TruncatedExportError) as error:
                raise ServiceError("RECORD_INVALID", f"Line {number} {error}") from error
