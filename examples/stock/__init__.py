"""Trades and quotes of made-up companies: lowest and average ask, and number of trades, per symbol."""
