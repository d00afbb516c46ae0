"""Views of objectives."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.alerts.api.objective_serializers import (
    NewObjectiveSerializer,
    ObjectiveHistorySerializer,
    ObjectiveListSerializer,
    ObjectiveSerializer,
)
from weir.alerts.models import Objective
from weir.alerts.services import queries
from weir.alerts.services.budgets import budgets_of
from weir.alerts.services.objectives import create_objective, delete_objective, history, part_seconds
from weir.runs.services.queries import get_job
from weir.workspaces.api.base_view import WorkspaceView


class ObjectivesView(WorkspaceView):
    """The objectives of a workspace."""

    @extend_schema(operation_id="objectives_list", responses=ObjectiveListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """The objectives by job, with what is left of their budgets."""
        listed = _with_budgets(list(queries.objectives_of(self.workspace)))
        return Response(ObjectiveListSerializer({"results": listed}).data)

    @extend_schema(
        operation_id="objectives_create",
        request=NewObjectiveSerializer,
        responses={201: ObjectiveSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create an objective; it is judged from now on."""
        form = NewObjectiveSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        made = create_objective(
            get_job(self.workspace, data["job_id"]),
            self.user,
            data["kind"],
            data["threshold"],
            data["target"],
            data["window_days"],
            data["output"],
        )
        return Response(ObjectiveSerializer(_with_budgets([made])[0]).data, status=201)


class ObjectiveView(WorkspaceView):
    """One objective."""

    @extend_schema(operation_id="objectives_get", responses=ObjectiveHistorySerializer)
    def get(self, request: Request, slug: str, objective_id: str) -> Response:
        """The objective with its history."""
        found = queries.found(queries.objectives_of(self.workspace), "Objective", pk=objective_id)
        parts = history(found, timezone.now())
        points = [{"at": at, "good_s": good, "judged_s": judged} for at, good, judged in parts]
        parts_of = {"part_s": part_seconds(found), "history": points}
        return Response(ObjectiveHistorySerializer({**_with_budgets([found])[0], **parts_of}).data)

    @extend_schema(operation_id="objectives_delete", responses={204: None})
    def delete(self, request: Request, slug: str, objective_id: str) -> Response:
        """Delete the objective with its history."""
        delete_objective(
            queries.found(queries.objectives_of(self.workspace), "Objective", pk=objective_id), self.user
        )
        return Response(status=204)


def _with_budgets(objectives: list[Objective]) -> list[dict[str, Any]]:
    budgets = budgets_of(objectives, timezone.now())
    names = ("id", "job_id", "job", "kind", "output", "threshold", "target", "window_days", "created_at")
    return [{**{name: getattr(one, name) for name in names}, "budget": budgets[one.pk]} for one in objectives]
