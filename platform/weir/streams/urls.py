"""Routes of streams and topics, relative to a workspace."""

from django.urls import path

from weir.streams import api

urlpatterns = [
    path("streams", api.StreamsView.as_view()),
    path("streams/infer", api.InferView.as_view()),
    path("streams/<str:name>", api.StreamView.as_view()),
    path("streams/<str:name>/records", api.RecordsView.as_view()),
    path("topics", api.TopicsView.as_view()),
]
