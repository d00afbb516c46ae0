"""Machines that warm up faster than they should, and the runs between their stops."""
