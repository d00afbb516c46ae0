"""URL routes of WebSockets."""

from django.urls import path

from weir.live.consumer import LiveConsumer

websocket_urlpatterns = [path("ws/live", LiveConsumer.as_asgi())]
