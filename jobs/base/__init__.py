"""Values that every other layer uses: types, schemas, times, names, identities, problems."""
