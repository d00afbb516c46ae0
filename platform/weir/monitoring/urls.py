"""Routes of monitoring, relative to a workspace."""

from django.urls import path

from weir.monitoring.api.metrics_views import MetricsView

urlpatterns = [path("metrics", MetricsView.as_view())]
