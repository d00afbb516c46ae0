"""Views for writing a document: functions, examples, the JSON Schema of documents."""

from functools import cache
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jobs.document import document_json_schema
from jobs.expressions import functions_as_json
from jobs.operators import measures_as_json, operators_as_json
from weir.runs.api.authoring_serializers import ExampleListSerializer, ExampleSerializer, FunctionsSerializer
from weir.runs.api.job_serializers import JobSerializer
from weir.runs.services.examples import all_examples, use_example
from weir.runs.services.queries import jobs_json
from weir.workspaces.api.base_view import WorkspaceView


@cache
def _functions() -> dict[str, Any]:
    return {
        "functions": functions_as_json(),
        "measures": measures_as_json(),
        "operators": operators_as_json(),
    }


@cache
def _document_schema() -> dict[str, Any]:
    return document_json_schema()


class FunctionsView(APIView):
    """The function table."""

    @extend_schema(operation_id="functions", responses=FunctionsSerializer)
    def get(self, request: Request) -> Response:
        """Functions of expressions, measures, operators, each with an example."""
        return Response(_functions())


class DocumentSchemaView(APIView):
    """The job document's JSON Schema."""

    @extend_schema(operation_id="document_schema", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """JSON Schema, for editors."""
        return Response(_document_schema())


class ExamplesView(APIView):
    """The examples."""

    @extend_schema(operation_id="examples_list", responses=ExampleListSerializer)
    def get(self, request: Request) -> Response:
        """All examples."""
        return Response({"results": ExampleSerializer(all_examples(), many=True).data})


class UseExampleView(WorkspaceView):
    """Creates streams and a job from an example."""

    @extend_schema(operation_id="examples_use", request=None, responses={201: JobSerializer})
    def post(self, request: Request, slug: str, example_id: str) -> Response:
        """Create the streams and the job of the example; existing ones are kept."""
        job = use_example(self.workspace, self.user, example_id)
        return Response(JobSerializer(jobs_json([job])[0]).data, status=201)
