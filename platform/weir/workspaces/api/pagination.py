"""Pages of long lists by a cursor."""

from collections.abc import Sequence
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request

from weir.workspaces.errors import ServiceError

PAGE_SIZE: Final = 50


class NewestFirst(CursorPagination):
    """A page of 50, the newest first; `ordering` of a subclass says by what."""

    page_size = PAGE_SIZE

    def paginate_queryset(
        self, queryset: QuerySet[Any] | Sequence[Any], request: Request, view: Any = None
    ) -> Any:
        """The rows of the page that the request asks for.

        Raises:
            ServiceError: CURSOR_INVALID, the cursor is none of ours, or not of this list.
        """
        try:
            return super().paginate_queryset(queryset, request, view)
        except (NotFound, ValidationError, ValueError, OverflowError) as error:
            raise ServiceError("CURSOR_INVALID", "Cursor expired or invalid. Restart without it.") from error
