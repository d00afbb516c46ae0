"""API tokens, and tickets for a WebSocket."""

from datetime import timedelta
from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.api.serializers import (
    CreatedTokenSerializer,
    NewTokenSerializer,
    TicketSerializer,
    TokenListSerializer,
    TokenSerializer,
)
from weir.workspaces.models import ApiToken, User
from weir.workspaces.roles import Right
from weir.workspaces.services.one_time_tokens import create_ticket
from weir.workspaces.services.tokens import create_token, revoke_token


class TokensView(APIView):
    """One's own API tokens."""

    throttle_scope = "token"
    throttle_methods = ("POST",)

    @extend_schema(operation_id="tokens_list", responses=TokenListSerializer)
    def get(self, request: Request) -> Response:
        """The tokens, without their texts."""
        rows = ApiToken.objects.filter(user=request.user.pk).order_by("created")
        return Response({"results": TokenSerializer(rows, many=True).data})

    @extend_schema(
        operation_id="tokens_create", request=NewTokenSerializer, responses={201: CreatedTokenSerializer}
    )
    def post(self, request: Request) -> Response:
        """Create a token; its text is only in this response."""
        form = NewTokenSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        if not isinstance(request.user, User):
            raise NotAuthenticated
        days = form.validated_data["days"]
        created_with = request.auth if isinstance(request.auth, ApiToken) else None
        ttl = timedelta(days=days) if days else None
        row, text = create_token(request.user, form.validated_data["name"], ttl, created_with)
        return Response({**TokenSerializer(row).data, "token": text}, status=201)


class TokenView(APIView):
    """One token."""

    @extend_schema(operation_id="tokens_delete", responses={204: None})
    def delete(self, request: Request, token_id: str) -> Response:
        """Revoke it."""
        if not isinstance(request.user, User):
            raise NotAuthenticated
        revoke_token(request.user, token_id)
        return Response(status=204)


class LiveTicketView(WorkspaceView):
    """Tickets for programs that open a WebSocket."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.OPEN_LIVE_SOCKET}
    throttle_scope = "ticket"

    @extend_schema(operation_id="live_ticket_create", request=None, responses={201: TicketSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """A single-use ticket."""
        if isinstance(request.auth, ApiToken):
            ticket = create_ticket(self.user, token=request.auth)
        else:
            ticket = create_ticket(self.user, session_key=request._request.session.session_key or "")
        return Response({"ticket": ticket}, status=201)
