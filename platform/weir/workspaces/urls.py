"""Routes of people, relative to a workspace."""

from django.urls import path

from weir.workspaces.api.audit_views import AuditTrailExportView, AuditTrailView
from weir.workspaces.api.invitation_views import InvitationsView, InvitationView
from weir.workspaces.api.member_views import MembersView, MemberView
from weir.workspaces.api.token_views import LiveTicketView

urlpatterns = [
    path("members", MembersView.as_view()),
    path("members/<int:member_id>", MemberView.as_view()),
    path("invitations", InvitationsView.as_view()),
    path("invitations/<int:invitation_id>", InvitationView.as_view()),
    path("audit-trail", AuditTrailView.as_view()),
    path("audit-trail/export", AuditTrailExportView.as_view()),
    path("live-ticket", LiveTicketView.as_view()),
]
