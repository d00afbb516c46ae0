"""Streams: contracts, browsing and producing records, tables, topics."""
