"""Serializers of the audit trail."""

from typing import Any

from rest_framework import serializers

from weir.workspaces.models import Action, Event
from weir.workspaces.services.audit_trail import FORMATS


class AuditEventSerializer(serializers.Serializer[Any]):
    """One event. `actor` is empty when the system acted by itself; `action` is empty and `address` null where
    they were not recorded.
    """

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    actor = serializers.CharField(allow_blank=True)
    action = serializers.ChoiceField(choices=Action.choices, allow_blank=True)
    kind = serializers.ChoiceField(choices=Event.Kind.choices)
    subject = serializers.CharField(allow_blank=True)
    text = serializers.CharField()
    address = serializers.IPAddressField(allow_null=True)


class AuditPageSerializer(serializers.Serializer[Any]):
    """A page of events, newest first; `next` and `previous` are the addresses of the pages beside it."""

    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = AuditEventSerializer(many=True)


class AuditFilterSerializer(serializers.Serializer[Any]):
    """Which events: by person, action, kind of object, object (its id or name, or a part of what happened),
    from `since` to before `until`.
    """

    actor = serializers.CharField(required=False, default="", allow_blank=True, max_length=150)
    action = serializers.ChoiceField(choices=Action.choices, required=False, default="", allow_blank=True)
    kind = serializers.ChoiceField(choices=Event.Kind.choices, required=False, default="", allow_blank=True)
    object = serializers.CharField(required=False, default="", allow_blank=True, max_length=100)
    since = serializers.DateTimeField(required=False, default=None)
    until = serializers.DateTimeField(required=False, default=None)


class AuditExportSerializer(AuditFilterSerializer):
    """Which events, and the form of the file."""

    format = serializers.ChoiceField(choices=list(FORMATS), required=False, default="jsonl")
