"""Serializers of users, sessions, tokens, members and invitations."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from weir.retention import API_TOKEN_DEFAULT_DAYS, API_TOKEN_MAX_DAYS
from weir.workspaces.api.request_fields import StrictSerializer
from weir.workspaces.models import Membership, User
from weir.workspaces.roles import Right, Role


class UsernameField(serializers.CharField):
    """A username in the form in which users are stored (NFKC): keyboards write the same letter in several."""

    def __init__(self, **more: Any) -> None:
        super().__init__(max_length=150, **more)

    def to_internal_value(self, data: Any) -> str:
        """The name."""
        return str(User.normalize_username(super().to_internal_value(data)))


class UserSerializer(serializers.Serializer[Any]):
    """A user."""

    id = serializers.IntegerField(read_only=True)
    username = serializers.CharField(read_only=True)
    display_name = serializers.SerializerMethodField()

    def get_display_name(self, user: User) -> str:
        """The name that others see."""
        return user.display_name or user.username


class WorkspaceRoleSerializer(serializers.Serializer[Any]):
    """A workspace, one's role there, and what it allows."""

    slug = serializers.CharField(source="workspace.slug")
    name = serializers.CharField(source="workspace.name")
    role = serializers.ChoiceField(choices=Role.choices)
    rights = serializers.SerializerMethodField()

    @extend_schema_field(serializers.ListField(child=serializers.ChoiceField(choices=Right.choices)))
    def get_rights(self, membership: Membership) -> list[Right]:
        """What the role allows."""
        return Role(membership.role).rights


class InvitationSerializer(serializers.Serializer[Any]):
    """A role that one is offered."""

    id = serializers.IntegerField()
    workspace_name = serializers.CharField(source="workspace.name")
    role = serializers.ChoiceField(choices=Role.choices)
    invited_by = serializers.CharField()


class SessionSerializer(serializers.Serializer[Any]):
    """Who is signed in, where they may go, and where they are invited."""

    user = UserSerializer()
    workspaces = WorkspaceRoleSerializer(many=True)
    invitations = InvitationSerializer(many=True)


class SignInSerializer(StrictSerializer):
    """A username and password."""

    username = UsernameField()
    password = serializers.CharField(max_length=1000, trim_whitespace=False)


class TokenSerializer(serializers.Serializer[Any]):
    """A token's visible part."""

    id = serializers.CharField(source="token_key", read_only=True)
    name = serializers.CharField(max_length=100)
    created_at = serializers.DateTimeField(source="created", read_only=True)
    expires_at = serializers.DateTimeField(source="expiry", read_only=True, allow_null=True)


class NewTokenSerializer(StrictSerializer):
    """What a token is for, and for how many days; null days: it does not expire."""

    name = serializers.CharField(max_length=100)
    days = serializers.IntegerField(
        min_value=1, max_value=API_TOKEN_MAX_DAYS, default=API_TOKEN_DEFAULT_DAYS, allow_null=True
    )


class CreatedTokenSerializer(TokenSerializer):
    """A new token with its text, shown this once."""

    token = serializers.CharField()


class TokenListSerializer(serializers.Serializer[Any]):
    """One's tokens."""

    results = TokenSerializer(many=True)


class TicketSerializer(serializers.Serializer[Any]):
    """A ticket for one WebSocket: append it as ``?ticket=`` within 30 s."""

    ticket = serializers.CharField()


class MemberSerializer(serializers.Serializer[Any]):
    """A member and their role."""

    id = serializers.IntegerField(read_only=True)
    user = UserSerializer(read_only=True)
    role = serializers.ChoiceField(choices=Role.choices)


class NewRoleSerializer(StrictSerializer):
    """A role."""

    role = serializers.ChoiceField(choices=Role.choices)


class MemberListSerializer(serializers.Serializer[Any]):
    """The members."""

    results = MemberSerializer(many=True)


class NewInvitationSerializer(StrictSerializer):
    """A username and the role to offer."""

    username = UsernameField()
    role = serializers.ChoiceField(choices=Role.choices)


class OpenInvitationSerializer(NewInvitationSerializer):
    """An invitation that is not accepted yet."""

    id = serializers.IntegerField(read_only=True)
    invited_by = serializers.CharField(read_only=True)
    created_at = serializers.DateTimeField(read_only=True)


class OpenInvitationListSerializer(serializers.Serializer[Any]):
    """The open invitations of a workspace."""

    results = OpenInvitationSerializer(many=True)
