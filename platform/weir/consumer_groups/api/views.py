"""Views of consumer groups."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.consumer_groups.api.serializers import (
    GroupDetailSerializer,
    GroupHistoryQuerySerializer,
    GroupHistorySerializer,
    GroupListSerializer,
    MovePlanSerializer,
    MoveRequestSerializer,
)
from weir.consumer_groups.services.group_history import read_history, trends
from weir.consumer_groups.services.group_views import group_detail, group_view, severity_of, watch_view
from weir.consumer_groups.services.offset_moves import Plan, Wish, move_offsets, plan_move, remove_group
from weir.consumer_groups.services.visible_groups import find_group, groups_of, watches_of
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.roles import Right


class GroupsView(WorkspaceView):
    """The consumer groups of a workspace's clusters."""

    @extend_schema(operation_id="consumer_groups_list", responses=GroupListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """All groups, the worst first, as the last pass over each cluster found them."""
        views = [(group_view(seen), seen) for seen in groups_of(self.workspace)]
        views.sort(key=lambda each: severity_of(each[0]))
        found = trends([seen for _, seen in views])
        results = [{**view, "trend": found.get((view["cluster"], view["name"]), [])} for view, _ in views]
        watches = [watch_view(cluster, watch) for cluster, watch in watches_of(self.workspace)]
        return Response({"watches": watches, "results": results})


class GroupView(WorkspaceView):
    """One consumer group."""

    rights: ClassVar[dict[str, Right]] = {"DELETE": Right.MOVE_OFFSETS}

    @extend_schema(operation_id="consumer_groups_get", responses=GroupDetailSerializer)
    def get(self, request: Request, slug: str, cluster: str, group: str) -> Response:
        """The group with its members and partitions."""
        return Response(group_detail(find_group(self.workspace, cluster, group)))

    @extend_schema(operation_id="consumer_groups_delete", responses={204: None})
    def delete(self, request: Request, slug: str, cluster: str, group: str) -> Response:
        """Delete a group that has no members, with all its offsets."""
        remove_group(self.workspace, self.user, cluster, group)
        return Response(status=204)


class GroupHistoryView(WorkspaceView):
    """Lag of a group over time."""

    @extend_schema(
        operation_id="consumer_groups_history",
        parameters=[GroupHistoryQuerySerializer],
        responses=GroupHistorySerializer,
    )
    def get(self, request: Request, slug: str, cluster: str, group: str) -> Response:
        """Points of a range: every 10 s of the last hour, every minute of the last day, every 15 min of
        30 days.
        """
        form = GroupHistoryQuerySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        seen = find_group(self.workspace, cluster, group)
        return Response(read_history(seen, form.asked(), form.validated_data["topic"]))


class GroupOffsetsView(WorkspaceView):
    """The committed offsets of a group."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.MOVE_OFFSETS}

    @extend_schema(
        operation_id="consumer_groups_move", request=MoveRequestSerializer, responses=MovePlanSerializer
    )
    def post(self, request: Request, slug: str, cluster: str, group: str) -> Response:
        """Move offsets of a group that has no members, or with `dry_run` say what that would do."""
        form = MoveRequestSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        wish = Wish(asked["target"], asked["offset"], asked["time"], asked["partitions"])
        if asked["dry_run"]:
            plan = plan_move(self.workspace, cluster, group, wish)
        else:
            plan = move_offsets(self.workspace, self.user, cluster, group, wish)
        return Response(_plan(plan, applied=not asked["dry_run"]))


def _plan(plan: Plan, *, applied: bool) -> dict[str, Any]:
    moves = [
        {
            "topic": move.topic,
            "partition": move.partition,
            "before": move.before,
            "after": move.after,
            "start": move.start,
            "end": move.end,
            "change": move.change,
            "cut": move.cut,
        }
        for move in plan.moves
    ]
    return {
        "applied": applied,
        "refused": plan.refused,
        "skipped": sum(max(0, move.change) for move in plan.moves),
        "read_again": sum(max(0, -move.change) for move in plan.moves),
        "moves": moves,
    }
