"""People, workspaces, roles, tokens, audit."""
