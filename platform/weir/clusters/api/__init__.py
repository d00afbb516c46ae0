"""REST routes of Kafka clusters."""
