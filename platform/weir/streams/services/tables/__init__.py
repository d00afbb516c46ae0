"""The current rows of a table: of all records of a compacted topic, or of change
events, the newest of each key.
"""
