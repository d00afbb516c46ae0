"""The work of alerts: rules are evaluated in the relay, notifications are delivered by workers."""
