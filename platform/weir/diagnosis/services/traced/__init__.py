"""Rows with their trails through steps, over records that were read: which rows a step puts together."""
