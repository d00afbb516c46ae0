"""Base class of the registry's views: authentication as Confluent's clients send it, and
errors in Confluent's form.
"""

import base64
import binascii
from typing import Any

from django.http import Http404
from rest_framework import exceptions
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from weir.schemas.errors import RegistryError
from weir.workspaces.api.authentication import TokenAuthentication
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.api.parsing import BoundedJSONParser

MEDIA_TYPE = "application/vnd.schemaregistry.v1+json"
CHALLENGE = "Bearer, Basic"


class RegistryTokenAuthentication(TokenAuthentication):
    """A token as elsewhere in our API, or as the password of ``Basic`` (any user name)."""

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        """The user and token row; None without credentials.

        Raises:
            AuthenticationFailed: they are wrong.
        """
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "basic":
            return super().authenticate(request)
        try:
            password = base64.b64decode(given.strip(), validate=True).decode("ascii").partition(":")[2]
        except (binascii.Error, ValueError) as error:
            raise exceptions.AuthenticationFailed("Invalid token.") from error
        return self.authenticate_text(password)


class RegistryParser(BoundedJSONParser):
    """JSON with the registry's own media type."""

    media_type = MEDIA_TYPE


class SchemaRegistryRenderer(JSONRenderer):
    """JSON with the registry's own media type."""

    media_type = MEDIA_TYPE


class RegistryView(WorkspaceView):
    """The base of the registry's views."""

    authentication_classes = [RegistryTokenAuthentication]
    parser_classes = [RegistryParser, BoundedJSONParser]
    renderer_classes = [SchemaRegistryRenderer, JSONRenderer]
    schema = None  # the routes are Confluent's, not of our OpenAPI document

    def handle_exception(self, exc: Exception) -> Response:
        """Every error in the registry's form."""
        if isinstance(exc, RegistryError):
            return Response({"error_code": exc.code, "message": exc.message, **exc.more}, status=exc.status)
        if isinstance(exc, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
            return Response(
                {"error_code": 401, "message": "Unauthorized"},
                status=401,
                headers={"WWW-Authenticate": CHALLENGE},
            )
        if isinstance(exc, Http404 | exceptions.NotFound):
            return Response({"error_code": 404, "message": "Not found"}, status=404)
        if isinstance(exc, exceptions.PermissionDenied):
            return Response({"error_code": 40301, "message": str(exc.detail)}, status=403)
        if isinstance(exc, exceptions.APIException):
            return Response(
                {"error_code": exc.status_code, "message": str(exc.detail)[:300]}, status=exc.status_code
            )
        return super().handle_exception(exc)

    def flag(self, name: str, *others: str) -> bool:
        """A query parameter that is true or false."""
        return any(self.request.query_params.get(key, "").lower() == "true" for key in (name, *others))


def requested_format(request: Request) -> str:
    """The form in which a schema is wanted; empty: as it is kept."""
    return request.query_params.get("format", "")


def page(request: Request, rows: list[Any]) -> list[Any]:
    """The part of a list that ``offset`` and ``limit`` ask for."""
    try:
        offset, limit = int(request.query_params.get("offset", 0)), int(request.query_params.get("limit", -1))
    except ValueError:
        return rows
    return rows[max(0, offset) :][: limit if limit >= 0 else None]
