"""Views of rules."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.alerts.api.rule_serializers import (
    MetricListSerializer,
    NewRuleSerializer,
    RuleChangeSerializer,
    RuleCheckResultSerializer,
    RuleCheckSerializer,
    RuleListSerializer,
    RuleSerializer,
)
from weir.alerts.services import queries
from weir.alerts.services.messages import condition_text
from weir.alerts.services.metrics import METRICS
from weir.alerts.services.preview import preview
from weir.alerts.services.rules import change_rule, checked_rule, create_rule, delete_rule
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.errors import ServiceError
from weir.workspaces.roles import Right


class RulesView(WorkspaceView):
    """The rules of a workspace."""

    @extend_schema(operation_id="alert_rules_list", responses=RuleListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """The rules by name."""
        return Response(RuleListSerializer({"results": queries.rules_of(self.workspace)}).data)

    @extend_schema(
        operation_id="alert_rules_create", request=NewRuleSerializer, responses={201: RuleSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create a rule; it is evaluated from now on."""
        form = NewRuleSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        made = create_rule(self.workspace, self.user, data["name"], data["document"], enabled=data["enabled"])
        return Response(RuleSerializer(made).data, status=201)


class RuleView(WorkspaceView):
    """One rule."""

    @extend_schema(operation_id="alert_rules_get", responses=RuleSerializer)
    def get(self, request: Request, slug: str, rule_id: str) -> Response:
        """The rule with its document."""
        return Response(
            RuleSerializer(queries.found(queries.rules_of(self.workspace), "Rule", pk=rule_id)).data
        )

    @extend_schema(operation_id="alert_rules_change", request=RuleChangeSerializer, responses=RuleSerializer)
    def put(self, request: Request, slug: str, rule_id: str) -> Response:
        """Replace the rule, if nobody changed it since `revision`."""
        found = queries.found(queries.rules_of(self.workspace), "Rule", pk=rule_id)
        form = RuleChangeSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        changed = change_rule(
            found, self.user, data["name"], data["document"], data["revision"], enabled=data["enabled"]
        )
        return Response(RuleSerializer(changed).data)

    @extend_schema(operation_id="alert_rules_delete", responses={204: None})
    def delete(self, request: Request, slug: str, rule_id: str) -> Response:
        """Delete the rule with its alerts; one that every workspace has can only be turned off.

        Refused (RULE_FIRES) while channels were told that its alerts fire, and not yet of the end.
        """
        delete_rule(queries.found(queries.rules_of(self.workspace), "Rule", pk=rule_id), self.user)
        return Response(status=204)


class RuleCheckView(WorkspaceView):
    """Checking a rule before it is saved."""

    rights: ClassVar = {"POST": Right.CHECK}

    @extend_schema(
        operation_id="alert_rules_check", request=RuleCheckSerializer, responses=RuleCheckResultSerializer
    )
    def post(self, request: Request, slug: str) -> Response:
        """The problems of a rule, or how often it would have fired over what is stored."""
        form = RuleCheckSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        try:
            document = checked_rule(self.workspace, form.validated_data["document"])
        except ServiceError as error:
            if not error.problems:
                raise
            problems = [one.as_json() for one in error.problems]
            return Response({"problems": problems, "condition": "", "preview": None})
        result = {
            "problems": [],
            "condition": condition_text(document),
            "preview": preview(self.workspace, document),
        }
        return Response(RuleCheckResultSerializer(result).data)


class MetricsView(WorkspaceView):
    """The metrics that rules can watch."""

    @extend_schema(operation_id="alert_metrics_list", responses=MetricListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Every metric with its unit and what it is about."""
        return Response(MetricListSerializer({"results": METRICS}).data)
