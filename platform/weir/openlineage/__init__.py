"""Sends the lineage of jobs to a catalog of the user's, as OpenLineage events."""
