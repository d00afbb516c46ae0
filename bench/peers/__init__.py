"""What Weir is compared with. Each counts events per key in ten-second windows, Kafka to Kafka, as JSON."""
