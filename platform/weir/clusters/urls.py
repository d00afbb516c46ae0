"""Routes of clusters, relative to a workspace."""

from django.urls import path

from weir.clusters.api.views import ClustersView, ClusterView, ConnectionTestView

urlpatterns = [
    path("clusters", ClustersView.as_view()),
    path("clusters/test", ConnectionTestView.as_view()),
    path("clusters/<str:cluster>", ClusterView.as_view()),
]
