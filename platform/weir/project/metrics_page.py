"""``/metrics``: what Prometheus reads of this process and, with a token, of all workspaces."""

import secrets
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from weir.live.metrics import REGISTRY
from weir.monitoring.services.collector import DatabaseCollector
from weir.project.problem_details import CONTENT_TYPE, details

_SCHEME: Final = "Bearer "


@require_safe
@never_cache
def metrics_page(request: HttpRequest) -> HttpResponseBase:
    """Numbers of this process's live hub, which name nobody and nothing, for anybody who reaches the process.

    With ``Authorization: Bearer`` and the text of `WEIR_METRICS_TOKEN_FILE` also the series of all
    workspaces, which have names. A wrong token is 401, so that a scraper's mistake is seen.
    """
    given = request.headers.get("Authorization", "")
    if not given:
        return _text(generate_latest(REGISTRY))
    if not _is_installations(given):
        body = details(
            401, "Invalid token. WEIR_METRICS_TOKEN_FILE names the file.", code="NOT_AUTHENTICATED"
        )
        return JsonResponse(
            body, status=401, content_type=CONTENT_TYPE, headers={"WWW-Authenticate": "Bearer"}
        )
    return _text(generate_latest(REGISTRY) + generate_latest(DatabaseCollector(None)))


def _is_installations(authorization: str) -> bool:
    expected = (_SCHEME + settings.METRICS_TOKEN).encode()
    return secrets.compare_digest(authorization.encode(), expected)


def _text(body: bytes) -> HttpResponse:
    return HttpResponse(body, content_type=CONTENT_TYPE_LATEST)
