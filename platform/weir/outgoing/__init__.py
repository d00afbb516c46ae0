"""Posting to addresses that people give: where that may go, how failures are told, when it is tried again."""
