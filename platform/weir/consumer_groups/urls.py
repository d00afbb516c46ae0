"""Routes of consumer groups, relative to a workspace. A group's id may contain slashes, so it stands last."""

from django.urls import path

from weir.consumer_groups.api.views import GroupHistoryView, GroupOffsetsView, GroupsView, GroupView

urlpatterns = [
    path("consumer-groups", GroupsView.as_view()),
    path("consumer-groups/<str:cluster>/<path:group>", GroupView.as_view()),
    path("consumer-group-history/<str:cluster>/<path:group>", GroupHistoryView.as_view()),
    path("consumer-group-offsets/<str:cluster>/<path:group>", GroupOffsetsView.as_view()),
]
