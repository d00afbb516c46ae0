"""The folder by which the platform hands scripts to what plays them, a process or an engine of its host, and
reads back what came.
"""

import uuid
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jobs.play import PlayResult, PlayScript

_ALL: Final = "job-tests"
_SCRIPTS: Final = "scripts"
_RESULTS: Final = "results"


def play_folder(data_dir: Path, run_id: str) -> "PlayFolder":
    """The folder of a run of tests."""
    return PlayFolder(data_dir / _ALL / run_id)


def played_runs(data_dir: Path) -> list[str]:
    """The runs of tests that have a folder, by id."""
    return [path.name for path in (data_dir / _ALL).glob("*")]


@dataclass(frozen=True)
class PlayFolder:
    """Scripts and results, one JSON file each, numbered as the tests of the run.

    Attributes:
        path: the folder; only its owner may read it, because records may be confidential.
    """

    path: Path

    def make(self) -> None:
        """Make the folder, empty."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.mkdir(mode=0o700)
        for name in (_SCRIPTS, _RESULTS):
            (self.path / name).mkdir()

    def write_script(self, number: int, script: PlayScript) -> None:
        """Add a script to play."""
        self._file(_SCRIPTS, number).write_text(script.model_dump_json(), "utf-8")

    def read_script(self, number: int) -> PlayScript | None:
        """The script of a test; None: there is none."""
        path = self._file(_SCRIPTS, number)
        return PlayScript.model_validate_json(path.read_bytes()) if path.exists() else None

    def waiting(self) -> list[int]:
        """The scripts without a result, in order; none where the folder is gone."""
        scripts, results = self._numbers(_SCRIPTS), self._numbers(_RESULTS)
        return sorted(scripts - results)

    def is_waiting(self, number: int) -> bool:
        """Whether a script is there and its result is not."""
        return self._file(_SCRIPTS, number).exists() and not self._file(_RESULTS, number).exists()

    def write_result(self, number: int, result: PlayResult) -> None:
        """Keep what a script gave; it appears as a whole, also when two play the same script.

        Raises:
            FileNotFoundError: the folder is gone; nobody waits for the result.
        """
        hidden = self.path / _RESULTS / f".{uuid.uuid4().hex}"
        hidden.write_text(result.model_dump_json(), "utf-8")
        hidden.rename(self._file(_RESULTS, number))

    def read_result(self, number: int) -> PlayResult | None:
        """What a script gave; None: nobody has played it yet."""
        path = self._file(_RESULTS, number)
        return PlayResult.model_validate_json(path.read_bytes()) if path.exists() else None

    def begin(self, number: int | None) -> None:
        """Say which script is being played; None: none is yet.

        Raises:
            FileNotFoundError: the folder is gone.
        """
        self._playing.write_text("" if number is None else str(number), "utf-8")

    @property
    def playing(self) -> int | None:
        """The script that was begun last; None: none was."""
        said = self._playing.read_text("utf-8") if self._playing.exists() else ""
        return int(said) if said else None

    def accept(self) -> None:
        """Say that these scripts are going to be played.

        Raises:
            FileNotFoundError: the folder is gone.
        """
        self._accepted.touch()

    def decline(self) -> None:
        """Say that they are not going to be played, not even where that was said; nothing where the folder is
        gone.

        Raises:
            OSError: nothing can be written, as on a full disk.
        """
        with suppress(FileNotFoundError):
            self._declined.touch()

    @property
    def is_declined(self) -> bool:
        """Whether who was asked to play them has declined."""
        return self._declined.exists()

    @property
    def is_accepted(self) -> bool:
        """Whether somebody is going to play them, and has said so."""
        return self._accepted.exists() and not self.is_declined

    @property
    def _accepted(self) -> Path:
        return self.path / "accepted"

    @property
    def _declined(self) -> Path:
        return self.path / "declined"

    @property
    def _playing(self) -> Path:
        return self.path / "playing"

    def _numbers(self, kind: str) -> set[int]:
        return {int(path.stem) for path in (self.path / kind).glob("[0-9]*.json")}

    def _file(self, kind: str, number: int) -> Path:
        return self.path / kind / f"{number:04}.json"
