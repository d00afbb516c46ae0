"""Routes of previews, relative to a workspace."""

from django.urls import path

from weir.preview.api.views import CancelPreviewView, PreviewView

urlpatterns = [
    path("documents/preview", PreviewView.as_view()),
    path("documents/preview/cancel", CancelPreviewView.as_view()),
]
