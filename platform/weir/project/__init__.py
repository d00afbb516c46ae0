"""Settings, routes and entry points of the processes."""
