"""The work of dashboards."""
