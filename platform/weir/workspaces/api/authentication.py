"""Tokens of programs in the header ``Authorization: Bearer weir_…``; ``Token weir_…`` is taken as well."""

from typing import Any, Final

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from knox.auth import TokenAuthentication as KnoxTokenAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from weir.workspaces.models import ApiToken

SCHEMES: Final = ("bearer", "token")


class TokenAuthentication(KnoxTokenAuthentication):  # type: ignore[misc]  # knox has no types
    """Knox's, under both names of the scheme; bytes that are no text are answered as any
    other wrong token.
    """

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        """The user and token row; None without a token, so that the next kind of credentials is looked at.

        Raises:
            AuthenticationFailed: the header holds no token, or a wrong one.
        """
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() not in SCHEMES:
            return None
        return self.authenticate_text(given.strip())

    def authenticate_text(self, text: str) -> tuple[Any, Any]:
        """The user and token row of a token's text.

        Raises:
            AuthenticationFailed: empty, unknown, expired, or its user is not active.
        """
        if not text or not text.isascii() or not text.isprintable():
            raise AuthenticationFailed("Invalid token.")
        user, row = self.authenticate_credentials(text.encode())
        return user, row

    def _cleanup_token(self, auth_token: ApiToken) -> bool:
        """True when the token has expired. Knox would delete all expired tokens of the person here, which are
        listed until they are purged, so that people see why a program is refused.
        """
        return not auth_token.is_live

    def authenticate_header(self, request: Request) -> str:
        """What a 401 asks for."""
        return "Bearer"


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # of the library
    """How the OpenAPI document describes it; found by drf_spectacular because it is imported."""

    target_class = "weir.workspaces.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """The header."""
        return {"type": "http", "scheme": "bearer", "description": "`Authorization: Bearer weir_…`"}
