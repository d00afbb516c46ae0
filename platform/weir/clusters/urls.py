"""Routes of clusters, relative to a workspace."""

from django.urls import path

from weir.clusters import api

urlpatterns = [path("clusters", api.ClustersView.as_view())]
