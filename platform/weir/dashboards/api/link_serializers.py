"""Serializers of read-only links."""

from typing import Any

from rest_framework import serializers

from weir.dashboards.api.document_fields import DocumentField
from weir.dashboards.models import ShareLink
from weir.retention import SHARE_LINK_DEFAULT_DAYS, SHARE_LINK_MAX_DAYS
from weir.workspaces.api.request_fields import StrictSerializer
from weir.workspaces.services.events import name_of


class ShareLinkSerializer(serializers.Serializer[Any]):
    """A link without its token. `live` is false once it expired or was revoked."""

    id = serializers.CharField()
    note = serializers.CharField()
    created_at = serializers.DateTimeField()
    created_by = serializers.SerializerMethodField()
    expires_at = serializers.DateTimeField()
    revoked_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True)
    live = serializers.BooleanField(source="is_live")

    def get_created_by(self, link: ShareLink) -> str:
        """The username of who created it; empty when that user is gone."""
        return name_of(link.created_by)


class ShareLinkListSerializer(serializers.Serializer[Any]):
    """The links of a dashboard, newest first."""

    results = ShareLinkSerializer(many=True)


class NewShareLinkSerializer(StrictSerializer):
    """Whom a link is for, and for how many days."""

    note = serializers.CharField(max_length=100, allow_blank=True, default="")
    days = serializers.IntegerField(
        min_value=1, max_value=SHARE_LINK_MAX_DAYS, default=SHARE_LINK_DEFAULT_DAYS
    )


class CreatedShareLinkSerializer(ShareLinkSerializer):
    """A new link with its token, shown this once; the address is ``/shared#<token>``."""

    token = serializers.CharField()


class ShareTokenSerializer(StrictSerializer):
    """The token of a link. It is in the body, because addresses are logged."""

    token = serializers.CharField(max_length=100, trim_whitespace=False)


class SharedDashboardSerializer(serializers.Serializer[Any]):
    """What a link shows: the dashboard's panels, and until when."""

    name = serializers.CharField()
    document = DocumentField()
    revision = serializers.IntegerField()
    expires_at = serializers.DateTimeField()
