"""Kafka clusters: profiles, reachability, and the one room that makes broker clients."""
