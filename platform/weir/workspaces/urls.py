"""Routes of people, relative to a workspace."""

from django.urls import path

from weir.workspaces import api

urlpatterns = [
    path("members", api.MembersView.as_view()),
    path("members/<int:member_id>", api.MemberView.as_view()),
    path("live-ticket", api.LiveTicketView.as_view()),
]
