"""The ASGI application: HTTP by Django, WebSockets by Channels."""

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "weir.project.settings")
http = get_asgi_application()

# Models can only be imported after the line above.
from weir.live.routing import websocket_urlpatterns  # noqa: E402
from weir.live.socket_scope import SocketScope  # noqa: E402
from weir.project.body_limit import BodyLimit  # noqa: E402
from weir.project.websocket_auth import WebSocketAuth  # noqa: E402

application = ProtocolTypeRouter(
    {"http": BodyLimit(http), "websocket": SocketScope(WebSocketAuth(URLRouter(websocket_urlpatterns)))}
)
