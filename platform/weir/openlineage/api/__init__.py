"""REST routes of a workspace's receiver of OpenLineage events."""
