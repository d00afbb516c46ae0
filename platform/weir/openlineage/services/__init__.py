"""The work of OpenLineage: events are written where executions change, and delivered by workers."""
