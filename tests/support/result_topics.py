"""Which topic holds the results of a job."""

from collections.abc import Mapping
from typing import Any

from confluent_kafka.admin import AdminClient

from jobs.kafka_messages import RESULTS_PREFIX


def result_topic_of(options: Mapping[str, Any], job_id: str, generation: int = 1) -> str:
    """The result topic of a generation, as the home cluster has it. Its name ends with the run's id.

    Args:
        options: of Kafka clients of the home cluster.
        job_id: of a job that has started that generation.
        generation: its number.
    """
    names = AdminClient(dict(options)).list_topics(timeout=30).topics
    (found,) = (name for name in names if name.startswith(f"{RESULTS_PREFIX}{job_id}.{generation}-"))
    return found
