"""Nothing depends on the broker's class-data archive."""

from pathlib import Path

from weir.embedded.kafka_classes import recording
from weir.embedded.kafka_node import KafkaNode


def test_where_no_archive_can_be_written_the_system_runs_without(tmp_path: Path) -> None:
    (tmp_path / "no folder").touch()
    node = KafkaNode(tmp_path, 1, 2, archive=tmp_path / "no folder" / "archive.jsa")
    node.class_list.write_text("java/lang/Object\n")
    ran = []
    with recording(node, {}):
        ran.append("the system")
    assert ran
