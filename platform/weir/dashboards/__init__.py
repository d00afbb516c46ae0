"""Dashboards: panels over the results of several jobs, and links that show one to whoever has them."""
