"""The OpenAPI document. Anybody may ask for it, so it is written once per process."""

import threading
from functools import cache
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from rest_framework.renderers import BaseRenderer

_RENDERERS: Final[dict[str, type[BaseRenderer]]] = {"yaml": OpenApiYamlRenderer, "json": OpenApiJsonRenderer}
_lock: Final = threading.Lock()


def openapi_document(request: HttpRequest) -> HttpResponse:
    """The document as YAML, or as JSON with ``?format=json`` or where only JSON is accepted."""
    accepts_json = "json" in request.headers.get("Accept", "") and "yaml" not in request.headers["Accept"]
    name = "json" if request.GET.get("format", "json" if accepts_json else "yaml") == "json" else "yaml"
    with _lock:
        body = _written(name)
    return HttpResponse(body, content_type=_RENDERERS[name].media_type)


@cache
def _written(name: str) -> bytes:
    generator: Any = SchemaGenerator
    rendered: Any = _RENDERERS[name]().render(generator().get_schema(request=None, public=True))
    return bytes(rendered)
