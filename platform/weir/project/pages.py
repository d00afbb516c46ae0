"""What is served beside the API: health, and the single-page application."""

from typing import Final

from django.conf import settings
from django.db import DatabaseError, connections
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from weir.clusters.models import HOME, Cluster

_NOT_BUILT: Final = "The frontend isn't built. Run `make run`, or `npm ci && npm run build` in frontend/."


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - Django's signature
    """This process answers."""
    return JsonResponse({"status": "ok"})


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - Django's signature
    """This process can serve: its databases answer. What was last seen of the broker is
    told, but not waited for.
    """
    checks: dict[str, bool | None] = {}
    for alias in connections:
        try:
            with connections[alias].cursor() as cursor:
                cursor.execute("SELECT 1")
            checks[alias] = True
        except DatabaseError:
            checks[alias] = False
    checks["broker"] = None
    if checks["default"]:
        try:
            checks["broker"] = Cluster.objects.filter(pk=HOME).values_list("reachable", flat=True).first()
        except DatabaseError:  # no tables yet
            checks["default"] = False
    ready = all(checks[alias] for alias in connections)
    return JsonResponse(
        {"status": "ok" if ready else "not ready", "checks": checks}, status=200 if ready else 503
    )


@require_safe
@never_cache
@ensure_csrf_cookie
def application(request: HttpRequest, page: str = "") -> HttpResponse:  # noqa: ARG001 - Django's signature
    """The frontend's page, for every address that is its own."""
    index = settings.FRONTEND_DIST / "index.html"
    if not index.is_file():
        return HttpResponse(_NOT_BUILT, status=503, content_type="text/plain; charset=utf-8")
    return HttpResponse(index.read_bytes(), content_type="text/html; charset=utf-8")
