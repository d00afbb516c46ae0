import pytest

from tests.support.kafka_node import KafkaServer
from tests.support.spark_engine import SYSTEM_TOPICS, Bench


@pytest.fixture(scope="session")
def bench(kafka: KafkaServer, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A broker with the system's topics, and a folder for checkpoints."""
    for name, settings in SYSTEM_TOPICS.items():
        kafka.create_topic(name, 1, settings)
    return Bench(kafka, tmp_path_factory.mktemp("engine"))
