"""Kafka clusters: their connections, the clients that use them, and topics."""
