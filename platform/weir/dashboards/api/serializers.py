"""Serializers of dashboards."""

from typing import Any

from rest_framework import serializers

from weir.dashboards.api.document_fields import DocumentField
from weir.dashboards.models import Dashboard
from weir.runs.api.job_serializers import ResultShapeSerializer
from weir.workspaces.api.request_fields import StrictSerializer
from weir.workspaces.services.events import name_of


class DashboardSummarySerializer(serializers.Serializer[Any]):
    """A dashboard without its panels. `changed_by` is empty when that user is gone."""

    id = serializers.CharField()
    name = serializers.CharField()
    panels = serializers.SerializerMethodField()
    revision = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    changed_at = serializers.DateTimeField()
    changed_by = serializers.SerializerMethodField()

    def get_panels(self, dashboard: Dashboard) -> int:
        """How many panels it has."""
        return len(dashboard.document["panels"])

    def get_changed_by(self, dashboard: Dashboard) -> str:
        """The username of who changed it last."""
        return name_of(dashboard.changed_by)


class DashboardListSerializer(serializers.Serializer[Any]):
    """The dashboards of a workspace, by name."""

    results = DashboardSummarySerializer(many=True)


class DashboardSerializer(DashboardSummarySerializer):
    """A dashboard with its document."""

    document = DocumentField()


class NewDashboardSerializer(StrictSerializer):
    """A name and a document."""

    name = serializers.CharField(max_length=100)
    document = DocumentField()


class DashboardChangeSerializer(NewDashboardSerializer):
    """Name and document, and the revision that the change was made on."""

    revision = serializers.IntegerField(min_value=1)


class LiveOutputSerializer(serializers.Serializer[Any]):
    """A job's live result, which a panel can show."""

    job = serializers.CharField()
    job_name = serializers.CharField()
    output = serializers.CharField()
    result = ResultShapeSerializer()


class LiveOutputListSerializer(serializers.Serializer[Any]):
    """The live results of a workspace, by the name of the job."""

    results = LiveOutputSerializer(many=True)
