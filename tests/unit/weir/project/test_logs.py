"""Each process says in its log which one it is."""

import pytest

from weir.project.logs import process_name


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["/v/site-packages/uvicorn/__main__.py", "weir.project.asgi:application"], "web"),
        (["/v/bin/uvicorn", "weir.project.asgi:application"], "web"),
        (["/v/site-packages/celery/__main__.py", "-A", "weir.project.celery", "worker", "-Q", "a"], "worker"),
        (["/v/bin/celery", "-A", "weir.project.celery", "beat"], "beat"),
        (["manage.py", "relay"], "relay"),
        (["manage.py"], "manage"),
        (["-c"], "-c"),
        ([], ""),
    ],
)
def test_the_process_is_read_from_its_command_line(arguments: list[str], name: str) -> None:
    assert process_name(arguments) == name
