"""The schema registry: schemas, subjects, versions, compatibility, and their publication to engines."""
