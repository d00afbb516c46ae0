"""Routes of dashboards, relative to a workspace."""

from django.urls import path

from weir.dashboards.api.link_views import LinksView, LinkView
from weir.dashboards.api.views import DashboardsView, DashboardView, OutputsView

urlpatterns = [
    path("dashboard-outputs", OutputsView.as_view()),
    path("dashboards", DashboardsView.as_view()),
    path("dashboards/<str:dashboard_id>", DashboardView.as_view()),
    path("dashboards/<str:dashboard_id>/links", LinksView.as_view()),
    path("dashboards/<str:dashboard_id>/links/<str:link_id>", LinkView.as_view()),
]
