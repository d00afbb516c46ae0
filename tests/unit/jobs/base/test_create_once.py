"""Of several that find no file, one makes it."""

import threading
from pathlib import Path

from jobs.base.create_once import create_once


def test_the_first_wins_and_leaves_no_drafts(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    together = threading.Barrier(4)

    def make(name: str) -> None:
        def write(draft: Path) -> None:
            draft.write_text(name)
            together.wait(10)

        create_once(path, write)

    threads = [threading.Thread(target=make, args=(str(number),)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    first = path.read_text()
    assert first in {"0", "1", "2", "3"}
    create_once(path, lambda draft: draft.write_text("later"))
    assert path.read_text() == first
    assert list(tmp_path.iterdir()) == [path]
