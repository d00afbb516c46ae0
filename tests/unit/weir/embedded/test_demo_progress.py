"""What the start of the system hears from the demo's process."""

from pathlib import Path
from typing import Any, cast

import pytest

from weir.embedded.demo_progress import running_demo
from weir.embedded.layout import Layout, read_layout
from weir.embedded.readiness import NotReadyError
from weir.embedded.supervisor import GoneError, Supervisor


class Demo:
    """A supervisor whose program writes these lines, one each time that it is asked for, and ends."""

    def __init__(self, layout: Layout, *lines: str) -> None:
        self.file, self.lines = layout.demo_progress, list(lines)
        self.calls: list[str] = []
        self.gone = False

    def start(self, name: str) -> None:
        self.calls.append(f"start {name}")
        assert self.file.stat().st_mode & 0o777 == 0o600, "it will hold a sign-in link"

    def stop(self, name: str) -> None:
        self.calls.append(f"stop {name}")
        if self.gone:
            raise GoneError

    def has_ended(self, _name: str) -> bool:
        if self.gone:
            raise GoneError
        if not self.lines:
            return True
        with self.file.open("a") as file:
            file.write(self.lines.pop(0))
        return False


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return read_layout({"WEIR_DATA_DIR": str(tmp_path)})


def as_supervisor(demo: Demo) -> Supervisor:
    return cast(Supervisor, cast(Any, demo))


def test_lines_come_in_their_order(layout: Layout) -> None:
    demo = Demo(layout, "", "seeded flights words\n", "running \n", "", "link /sign-in/x/\n")
    with running_demo(as_supervisor(demo), layout) as progress:
        assert progress.expect("seeded") == "flights words"
        assert progress.expect("running") == ""
        assert progress.expect("link") == "/sign-in/x/"
    assert demo.calls == ["start demo", "stop demo"]
    assert not layout.demo_progress.exists(), "the link is nowhere but on the screen"


def test_what_it_could_not_do_is_said(layout: Layout) -> None:
    with (
        running_demo(as_supervisor(Demo(layout, "failed Kafka is unreachable\n")), layout) as progress,
        pytest.raises(NotReadyError, match=r"demo.*Kafka is unreachable"),
    ):
        progress.expect("seeded")


def test_a_process_that_ends_without_a_word_is_noticed(layout: Layout) -> None:
    with (
        running_demo(as_supervisor(Demo(layout)), layout) as progress,
        pytest.raises(NotReadyError, match="demo"),
    ):
        progress.expect("seeded")


def test_a_system_that_is_stopped_meanwhile_is_gone(layout: Layout) -> None:
    demo = Demo(layout)

    def follow() -> None:
        with running_demo(as_supervisor(demo), layout) as progress:
            demo.gone = True
            progress.expect("seeded")

    with pytest.raises(GoneError):
        follow()
    assert not layout.demo_progress.exists()
