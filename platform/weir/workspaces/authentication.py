"""Tokens of programs in the header ``Authorization: Token weir_…``."""

from typing import Any

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
