"""Values that every other layer speaks in: types, schemas, times, names, identities, problems."""
