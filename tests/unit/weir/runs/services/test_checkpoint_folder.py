"""The platform finds checkpoints where Spark puts them."""

from pathlib import Path

import pytest

from weir.runs.services.checkpoint_folder import local_folder


@pytest.mark.parametrize(
    ("url", "folder"),
    [
        ("file:///data/checkpoints", "/data/checkpoints"),
        ("file:/data/checkpoints", "/data/checkpoints"),
        ("/data/checkpoints", "/data/checkpoints"),
        ("/data/a:b", "/data/a:b"),
        ("file:///my data/a#b?c", "/my data/a#b?c"),
        ("file:///my%20data", "/my%20data"),
        ("s3a://bucket/checkpoints", None),
        ("hdfs://host:8020/checkpoints", None),
    ],
)
def test_a_folder_of_an_address(url: str, folder: str | None) -> None:
    assert local_folder(url) == (None if folder is None else Path(folder))
