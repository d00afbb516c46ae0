"""Routes of clusters, relative to a workspace."""

from django.urls import path

from weir.clusters import api

urlpatterns = [
    path("clusters", api.ClustersView.as_view()),
    path("clusters/test", api.ConnectionTestView.as_view()),
    path("clusters/<str:cluster>", api.ClusterView.as_view()),
]
