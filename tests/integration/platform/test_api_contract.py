"""Whatever the OpenAPI document allows is answered without a server error, and as the document says."""

import pytest
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, given, settings

from tests.support.kafka_node import KafkaServer
from weir.workspaces.models import User, Workspace
from weir.workspaces.services.tokens import create_token

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
    # Files are streamed for ASGI, which serves Weir; this test asks by WSGI.
    pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume asynchronous iterators"),
    pytest.mark.thorough,
]


def test_every_operation(broker: KafkaServer, workspace: Workspace, owner: User) -> None:
    # Each process that collects this file would load them, which takes a second.
    import schemathesis  # noqa: PLC0415
    from schemathesis.checks import not_a_server_error  # noqa: PLC0415
    from schemathesis.specs.openapi.checks import response_schema_conformance  # noqa: PLC0415

    token = create_token(owner, "contract", None)[1]
    schema = schemathesis.openapi.from_wsgi("/api/v1/schema?format=json", get_wsgi_application())
    failures: list[str] = []
    for found in schema.get_all_operations():
        operation = found.ok()
        if (operation.method.upper(), operation.path) == ("DELETE", "/api/v1/session"):
            continue

        @settings(
            max_examples=6,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def ask(case: schemathesis.Case) -> None:
            if "slug" in case.path_parameters:
                case.path_parameters["slug"] = workspace.slug
            checks = [not_a_server_error, response_schema_conformance]
            case.call_and_validate(headers={"Authorization": f"Bearer {token}"}, checks=checks)

        try:
            ask()
        except Exception as error:  # noqa: BLE001 - all operations are asked before the test fails
            failures.append(f"{operation.label}: {error}")
    assert not failures, "\n\n".join(failures)
