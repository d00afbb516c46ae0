"""Validates a sample of records against a contract, before the contract is saved."""

from collections import Counter
from contextlib import suppress
from typing import Any

from confluent_kafka import Message

from jobs.base.budget import OverBudget
from jobs.formats.avro_records import SchemaOf
from jobs.formats.contract import StreamContract
from jobs.formats.records import Malformed, Row, Skipped
from weir.clusters.models import Cluster
from weir.schemas.services.contract_schemas import with_schemas, writer_schemas
from weir.streams.services.contracts import read_contract
from weir.streams.services.decoding import decoded, page_budget
from weir.streams.services.sampling import newest_records
from weir.streams.services.topics import topic_ref
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Workspace


def validate_sample(
    cluster: Cluster, workspace: Workspace, topic: str, contract: Any, limit: int
) -> dict[str, Any]:
    """Validate the newest records of a topic against a contract.

    Args:
        cluster: of the topic.
        workspace: the one that reads.
        topic: its name.
        contract: in the API's form.
        limit: number of records to sample.

    Returns:
        ``records``: number of sampled records that were validated, as far as one answer may decode; ``valid``
        and ``skipped`` (heartbeats, deletions in change
        events) ones among them; ``malformed``: the reasons, most frequent first, with a count and the detail
        and coordinates of one such record; ``scan``. ``error``: why the contract is invalid, in which case
        nothing was read; otherwise null.

    Raises:
        NotFoundError: no such topic, or it belongs to the system or to another workspace.
        UnreachableError: the cluster does not answer.
    """
    try:
        typed = read_contract(with_schemas(workspace, contract))
    except ServiceError as error:
        return {"records": 0, "valid": 0, "skipped": 0, "malformed": [], "scan": None, "error": error.detail}
    found = newest_records(topic_ref(cluster, workspace, topic), limit)
    rows = _decoded(found.messages, typed, writer_schemas(workspace))
    counts: Counter[str] = Counter()
    examples: dict[str, dict[str, Any]] = {}
    for message, row in zip(found.messages, rows, strict=False):
        if isinstance(row, Malformed):
            counts[row.reason] += 1
            examples.setdefault(
                row.reason,
                {"detail": row.detail, "partition": message.partition(), "offset": message.offset()},
            )
    skipped = sum(isinstance(row, Skipped) for row in rows)
    return {
        "records": len(rows),
        "valid": len(rows) - skipped - counts.total(),
        "skipped": skipped,
        "malformed": [
            {"reason": reason, "records": count, **examples[reason]} for reason, count in counts.most_common()
        ],
        "scan": found.as_json(),
        "error": None,
    }


def _decoded(
    messages: list[Message], contract: StreamContract, schema_of: SchemaOf
) -> list[Row | Malformed | Skipped]:
    """The first records, as far as one answer may decode."""
    rows: list[Row | Malformed | Skipped] = []
    with page_budget(), suppress(OverBudget):
        for message in messages:
            rows.append(decoded(message, contract, schema_of))
    return rows
