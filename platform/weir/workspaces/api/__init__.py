"""REST routes of sign-in, tokens, members and invitations, and what all views inherit."""
