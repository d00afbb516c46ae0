"""Signing in and out: the browser session and links that work once."""

import math
from typing import Any

from django.conf import settings
from django.contrib.auth import authenticate, login, logout
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect, ensure_csrf_cookie
from django.views.decorators.http import require_GET
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from weir.workspaces.api.serializers import SessionSerializer, SignInSerializer
from weir.workspaces.api.throttling import seconds_to_wait
from weir.workspaces.models import Membership, User
from weir.workspaces.services.invitations import invitations_of
from weir.workspaces.services.one_time_tokens import redeem_sign_in


def _session_of(user: User) -> dict[str, Any]:
    memberships = Membership.objects.filter(user=user).select_related("workspace").order_by("workspace__name")
    data: dict[str, Any] = SessionSerializer(
        {"user": user, "workspaces": memberships, "invitations": invitations_of(user)}
    ).data
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
                settings.AXES_COOLOFF_TIME.total_seconds(),
                ("Too many failed sign-ins. Wait, or ask an administrator for a sign-in link."),
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
