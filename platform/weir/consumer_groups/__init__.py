"""Consumer groups of every cluster: how far each is behind, what that means, and moving their offsets."""
