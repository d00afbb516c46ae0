"""Registered topics: contracts, browsing, inference, and who uses them."""
