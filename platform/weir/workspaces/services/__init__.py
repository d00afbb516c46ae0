"""Services for people: workspaces, members, invitations, tokens, the audit trail."""
