"""REST routes of dashboards."""
