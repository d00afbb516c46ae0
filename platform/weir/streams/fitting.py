"""How many records of a sample fit a contract, before anybody relies on it."""

from collections import Counter
from typing import Any

from jobs.formats.records import Malformed, Skipped
from weir.clusters.models import Cluster
from weir.schemas.resolving import with_schemas, writer_schemas
from weir.streams.decoding import decoded
from weir.streams.sampling import newest_records
from weir.streams.services import read_contract
from weir.streams.topics import topic_place
from weir.workspaces.models import Workspace
from weir.workspaces.refusals import RefusalError


def fit_of(cluster: Cluster, workspace: Workspace, topic: str, contract: Any, limit: int) -> dict[str, Any]:
    """What the newest records of a topic would be under a contract.

    Args:
        cluster: where.
        workspace: who asks.
        topic: which.
        contract: in the API's form.
        limit: records to look at.

    Returns:
        ``records`` looked at; of them ``fit``, ``skipped`` (heartbeats, deletions in change events) and malformed; ``unfit``: reasons,
        most frequent first, with a count, the words and the place of one such record; ``looked``. ``fault``: why the contract is none;
        then nothing was looked at. Otherwise null.

    Raises:
        MissingError: no such topic, or it belongs to the system or to another workspace.
        UnreachableError: the cluster does not answer.
    """
    try:
        typed = read_contract(with_schemas(workspace, contract))
    except RefusalError as error:
        return {"records": 0, "fit": 0, "skipped": 0, "unfit": [], "looked": None, "fault": error.detail}
    found = newest_records(topic_place(cluster, workspace, topic), limit)
    schema_of = writer_schemas(workspace)
    counts: Counter[str] = Counter()
    examples: dict[str, dict[str, Any]] = {}
    skipped = 0
    for message in found.messages:
        row = decoded(message, typed, schema_of)
        if isinstance(row, Malformed):
            counts[row.reason] += 1
            examples.setdefault(row.reason, {"detail": row.detail, "partition": message.partition(), "offset": message.offset()})
        skipped += isinstance(row, Skipped)
    records = len(found.messages)
    return {
        "records": records,
        "fit": records - skipped - counts.total(),
        "skipped": skipped,
        "unfit": [{"reason": reason, "records": count, **examples[reason]} for reason, count in counts.most_common()],
        "looked": found.looked(),
        "fault": None,
    }
