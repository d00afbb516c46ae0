"""A subject of Avro orders, a stream with it and two jobs that read the stream.

Requests as Confluent's clients.
"""

import json
from typing import Any

from tests.support.users import client_of
from weir.clusters.services.clusters import home_cluster
from weir.runs.models import Job, JobVersion
from weir.schemas.services.contract_schemas import with_schemas
from weir.streams.models import Stream, StreamUse
from weir.streams.services.contracts import read_contract
from weir.workspaces.models import User, Workspace

ID, NAME = {"name": "id", "type": "long"}, {"name": "name", "type": "string"}
DOCUMENTS = {
    "by-name": {"named": {"op": "filter", "input": "orders", "where": "name = 'a'"}},
    "by-id": {"chosen": {"op": "select", "input": "orders", "fields": ["id"]}},
}


def order(*fields: dict[str, Any]) -> str:
    return json.dumps({"type": "record", "name": "Order", "fields": list(fields)})


class OrderSchemas:
    def __init__(self, workspace: Workspace, owner: User) -> None:
        self.client, self.base = client_of(owner), f"/registry/{workspace.slug}/"

    def post(self, route: str, schema: str) -> Any:
        body = json.dumps({"schema": schema})
        return self.client.post(
            self.base + route, data=body, content_type="application/vnd.schemaregistry.v1+json"
        )


def orders(workspace: Workspace, owner: User) -> OrderSchemas:
    """The subject at level NONE, its stream, and a job per document."""
    found = OrderSchemas(workspace, owner)
    found.client.put(
        f"{found.base}config", data=json.dumps({"compatibility": "NONE"}), content_type="application/json"
    )
    assert found.post("subjects/orders-value/versions", order(ID, NAME)).status_code == 200
    declared = [{"name": "id", "type": "long"}, {"name": "name", "type": "string"}]
    contract = {
        "encoding": {"format": "avro", "subject": "orders-value", "framing": "confluent"},
        "fields": declared,
    }
    stream = Stream.objects.create(
        workspace=workspace,
        name="orders",
        cluster=home_cluster(),
        topic="orders",
        topic_id="t",
        partitions=1,
        contract=read_contract(with_schemas(workspace, contract)).as_json(),
    )
    for name, steps in DOCUMENTS.items():
        outputs = {"live": {"input": next(iter(steps)), "to": "result"}}
        document = {
            "format": 1,
            "name": name,
            "sources": {"orders": {"stream": "orders"}},
            "steps": steps,
            "outputs": outputs,
        }
        job = Job.objects.create(workspace=workspace, name=name)
        JobVersion.objects.create(
            job=job,
            number=1,
            document_text=json.dumps(document),
            document=document,
            fingerprint="f",
            mode="microbatch",
        )
        StreamUse.objects.create(stream=stream, job_id=job.id, job_name=name)
    return found
