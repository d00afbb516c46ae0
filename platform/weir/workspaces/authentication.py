"""Tokens of programs in the header ``Authorization: Token weir_…``."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from knox.auth import TokenAuthentication as KnoxTokenAuthentication
from rest_framework.exceptions import AuthenticationFailed


class TokenAuthentication(KnoxTokenAuthentication):  # type: ignore[misc]  # knox has no types
    """Knox's, with bytes that are no text answered as any other wrong token."""

    def authenticate_credentials(self, token: bytes) -> tuple[Any, Any]:
        """The user and token row of a token.

        Raises:
            AuthenticationFailed: unknown, expired, or its user is not active.
        """
        if not token.isascii():
            raise AuthenticationFailed("Invalid token.")
        user, row = super().authenticate_credentials(token)
        return user, row


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # of the library
    """How the OpenAPI document describes it; found by drf_spectacular because it is imported."""

    target_class = "weir.workspaces.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:  # noqa: ARG002 - the library's signature
        """The header."""
        return {"type": "apiKey", "in": "header", "name": "Authorization", "description": "`Token weir_…`"}
