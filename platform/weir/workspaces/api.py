"""Sign-in, users, tokens: serializers and views."""

import math
from datetime import timedelta
from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth import authenticate, login, logout
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect, ensure_csrf_cookie
from django.views.decorators.http import require_GET
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated, NotFound, Throttled
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from weir.workspaces import services
from weir.workspaces.base_view import WorkspaceView
from weir.workspaces.invitations import invitations_of
from weir.workspaces.models import ApiToken, Membership, Role, User
from weir.workspaces.one_time_tokens import create_ticket, redeem_sign_in
from weir.workspaces.throttling import seconds_to_wait


class UserSerializer(serializers.Serializer[Any]):
    """A user."""

    id = serializers.IntegerField(read_only=True)
    username = serializers.CharField(read_only=True)
    display_name = serializers.SerializerMethodField()

    def get_display_name(self, user: User) -> str:
        """The name that others see."""
        return user.display_name or user.username


class WorkspaceRoleSerializer(serializers.Serializer[Any]):
    """A workspace and one's role there."""

    slug = serializers.CharField(source="workspace.slug")
    name = serializers.CharField(source="workspace.name")
    role = serializers.ChoiceField(choices=Role.choices)


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


class SignInSerializer(serializers.Serializer[Any]):
    """A username and password."""

    username = serializers.CharField(max_length=150)
    password = serializers.CharField(max_length=1000, trim_whitespace=False)


def _session_of(user: User) -> dict[str, Any]:
    memberships = Membership.objects.filter(user=user).select_related("workspace").order_by("workspace__name")
    data: dict[str, Any] = SessionSerializer({"user": user, "workspaces": memberships, "invitations": invitations_of(user)}).data
    return data


@method_decorator(ensure_csrf_cookie, name="dispatch")
class SessionView(APIView):
    """The browser's session."""

    permission_classes = (AllowAny,)
    throttle_scope = "sign-in"
    throttle_methods = ("POST",)
    throttle_addresses = True

    @extend_schema(operation_id="session_get", responses={200: SessionSerializer, 204: None})
    def get(self, request: Request) -> Response:
        """Who is signed in; nothing (204) when nobody is. Sets the CSRF cookie either way."""
        if not isinstance(request.user, User):
            return Response(status=204)
        return Response(_session_of(request.user))

    @extend_schema(operation_id="session_create", request=SignInSerializer, responses=SessionSerializer)
    @method_decorator(csrf_protect)  # a forged sign-in would leave the victim in the attacker's account
    def post(self, request: Request) -> Response:
        """Sign in."""
        form = SignInSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        user = authenticate(request._request, **form.validated_data)
        if getattr(request._request, "axes_locked_out", False):
            # The same words for accounts that exist and for others.
            raise Throttled(
                settings.AXES_COOLOFF_TIME.total_seconds(), ("Too many failed sign-ins. Wait, or ask an administrator for a sign-in link.")
            )
        if not isinstance(user, User):
            raise AuthenticationFailed("Incorrect username or password.")
        login(request._request, user)
        return Response(_session_of(user))

    @extend_schema(operation_id="session_delete", responses={204: None})
    def delete(self, request: Request) -> Response:
        """Sign out."""
        logout(request._request)
        return Response(status=204)


@require_GET
@never_cache
def sign_in_by_link(request: HttpRequest, token: str) -> HttpResponseBase:
    """Sign in with a link that works once; a used or expired one leads to the sign-in page, which says so."""
    wait_s = seconds_to_wait("sign-in-link", request)
    if wait_s is not None:
        return HttpResponse(
            "Too many sign-in links from this address. Wait a minute.",
            status=429,
            content_type="text/plain; charset=utf-8",
            headers={"Retry-After": str(math.ceil(wait_s))},
        )
    user = redeem_sign_in(token)
    if user is None:
        return redirect("/sign-in?link=expired")
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    return HttpResponseRedirect("/")


class TokenSerializer(serializers.Serializer[Any]):
    """A token's visible part."""

    id = serializers.CharField(source="token_key", read_only=True)
    name = serializers.CharField(max_length=100)
    created_at = serializers.DateTimeField(source="created", read_only=True)
    expires_at = serializers.DateTimeField(source="expiry", read_only=True, allow_null=True)


class NewTokenSerializer(serializers.Serializer[Any]):
    """What a token is for, and for how many days; null days: it does not expire."""

    name = serializers.CharField(max_length=100)
    days = serializers.IntegerField(min_value=1, max_value=3650, default=90, allow_null=True)


class CreatedTokenSerializer(TokenSerializer):
    """A new token with its text, shown this once."""

    token = serializers.CharField()


class TokenListSerializer(serializers.Serializer[Any]):
    """One's tokens."""

    results = TokenSerializer(many=True)


class TokensView(APIView):
    """One's own API tokens."""

    throttle_scope = "token"
    throttle_methods = ("POST",)

    @extend_schema(operation_id="tokens_list", responses=TokenListSerializer)
    def get(self, request: Request) -> Response:
        """The tokens, without their texts."""
        rows = ApiToken.objects.filter(user=request.user.pk).order_by("created")
        return Response({"results": TokenSerializer(rows, many=True).data})

    @extend_schema(operation_id="tokens_create", request=NewTokenSerializer, responses={201: CreatedTokenSerializer})
    def post(self, request: Request) -> Response:
        """Create a token; its text is only in this response."""
        form = NewTokenSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        if not isinstance(request.user, User):
            raise NotAuthenticated
        days = form.validated_data["days"]
        created_with = request.auth if isinstance(request.auth, ApiToken) else None
        ttl = timedelta(days=days) if days else None
        row, text = services.create_token(request.user, form.validated_data["name"], ttl, created_with)
        return Response({**TokenSerializer(row).data, "token": text}, status=201)


class TokenView(APIView):
    """One token."""

    @extend_schema(operation_id="tokens_delete", responses={204: None})
    def delete(self, request: Request, token_id: str) -> Response:
        """Revoke it."""
        deleted, _ = ApiToken.objects.filter(user=request.user.pk, token_key=token_id).delete()
        if not deleted:
            raise NotFound
        return Response(status=204)


class TicketSerializer(serializers.Serializer[Any]):
    """A ticket for one WebSocket: append it as ``?ticket=`` within 30 s."""

    ticket = serializers.CharField()


class LiveTicketView(WorkspaceView):
    """Tickets for programs that open a WebSocket."""

    roles: ClassVar[dict[str, Role]] = {"POST": Role.VIEWER}
    throttle_scope = "ticket"

    @extend_schema(operation_id="live_ticket_create", request=None, responses={201: TicketSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """A single-use ticket."""
        if isinstance(request.auth, ApiToken):
            ticket = create_ticket(self.user, token=request.auth)
        else:
            ticket = create_ticket(self.user, session_key=request._request.session.session_key or "")
        return Response({"ticket": ticket}, status=201)
