"""Routes of OpenLineage events, relative to a workspace."""

from django.urls import path

from weir.openlineage.api.views import EventsView, ReceiverTestView, ReceiverView

urlpatterns = [
    path("openlineage", ReceiverView.as_view()),
    path("openlineage/events", EventsView.as_view()),
    path("openlineage/test", ReceiverTestView.as_view()),
]
