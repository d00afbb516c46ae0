"""What an engine is started with."""

from typing import Literal

from jobs.connections import ClusterProfile
from jobs.kafka_messages.message import Message


class EngineSettings(Message):
    """What an engine is started with; written to a 0600 file whose path is its only argument."""

    engine_id: str
    incarnation: str
    host: str = ""  # the queue of the host that starts it; empty: an older worker did
    kind: Literal["shared", "dedicated", "isolation"]
    standby: bool = False  # at its start; it may serve later
    home: ClusterProfile
    home_listeners: str = ""  # host:port[,host:port…] at which others reach the home cluster
    master: str  # "local" or an address such as spark://host:7077
    master_secret_file: str = ""  # mode 0600; the secret of a standalone master and its applications
    slots: int  # task slots of a local master
    driver_memory_mb: int
    jars_dir: str
    data_dir: str  # logs, class-data archive, temporary files
    encryption_key_file: str | None = None
    private_clusters: bool = True  # brokers of workspaces' clusters may have loopback and private addresses
