"""Routes of people, relative to a workspace."""

from django.urls import path

from weir.workspaces import api, api_members

urlpatterns = [
    path("members", api_members.MembersView.as_view()),
    path("members/<int:member_id>", api_members.MemberView.as_view()),
    path("invitations", api_members.InvitationsView.as_view()),
    path("invitations/<int:invitation_id>", api_members.InvitationView.as_view()),
    path("live-ticket", api.LiveTicketView.as_view()),
]
