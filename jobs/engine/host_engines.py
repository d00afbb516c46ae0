"""What the engines of one host tell each other through files: how many runs they have, what these use, and
when the last ones started. So that the limits of starts are the host's, however many engines share it.

Each engine writes a file of its own, and reads those of the others; a lock is held while one decides whether
a run may start. Another engine may be stopped while it holds the lock, so nobody waits for it for long.
"""

import fcntl
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

TOLD_EVERY_S: Final = 2.0
FRESH_S: Final = 10.0  # an engine that has told nothing for so long is gone, or stopped
LOCK_WAIT_S: Final = 5.0
LOCK_TRIED_EVERY_S: Final = 2.0  # at least, by a run that waits for it; an older attempt was of another wait
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")

log = logging.getLogger(__name__)


class EngineShare(BaseModel):
    """What an engine has of its host.

    Attributes:
        engine_id: of the engine.
        boot_id: of the host's start, by whose clock the times are.
        at: when this was written, seconds of the host's monotonic clock.
        running: runs whose queries have been started.
        cores: that its processes use.
        admitted: when runs were last let in, seconds of that clock.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    engine_id: str
    boot_id: str
    at: float
    running: int
    cores: float
    admitted: tuple[float, ...] = ()


class HostEngines:
    """The shares of the engines of this host. Thread-safe.

    Args:
        folder: that all engines of the host share.
        engine_id: of this engine.
        clock: seconds of the host's monotonic clock.
    """

    def __init__(self, folder: Path, engine_id: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._folder = folder
        self._engine_id = engine_id
        self._clock = clock
        self._boot_id = _BOOT_ID.read_text().strip()
        self._stopped = threading.Event()
        # When the present wait for the lock began, and its last attempt; None: the lock was got.
        self._locked_out: tuple[float, float] | None = None

    def start(self, tell: Callable[[], None]) -> None:
        """Call `tell`, which tells this engine's share, every `TOLD_EVERY_S`, in a thread of its own."""

        def loop() -> None:
            while not self._stopped.wait(TOLD_EVERY_S):
                tell()

        threading.Thread(target=loop, name="host engines", daemon=True).start()

    def stop(self) -> None:
        """Tell nothing more: this engine has no runs any longer."""
        self._stopped.set()
        with suppress(OSError):
            self._file(self._engine_id).unlink(missing_ok=True)

    def tell(self, running: int, cores: float, admitted: tuple[float, ...]) -> None:
        """Tell this engine's share; the arguments are those of `EngineShare`. A full disk ends nothing."""
        if self._stopped.is_set():
            return
        share = EngineShare(
            engine_id=self._engine_id,
            boot_id=self._boot_id,
            at=self._clock(),
            running=running,
            cores=cores,
            admitted=admitted,
        )
        file = self._file(self._engine_id)
        written = file.with_suffix(f".{threading.get_ident()}.new")
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            written.write_text(share.model_dump_json(), encoding="utf-8")
            written.replace(file)
        except OSError as error:
            log.warning("the host's other engines cannot be told what this one uses: %s", error)

    def others(self) -> list[EngineShare]:
        """What the other engines told lately."""
        found: list[EngineShare] = []
        for file in self._folder.glob("*.json"):
            if file == self._file(self._engine_id):
                continue
            with suppress(OSError, ValidationError):  # removed meanwhile, or of another version
                share = EngineShare.model_validate_json(file.read_bytes())
                if share.boot_id == self._boot_id and self._clock() - share.at < FRESH_S:
                    found.append(share)
        return found

    @contextmanager
    def deciding(self) -> Iterator[bool]:
        """Hold the lock of those who decide; False: another engine does, so try again soon."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = os.open(self._folder / "lock", os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            log.warning("this engine decides about starts alone: %s", error)
            yield True
            return
        try:
            yield self._lock(lock)
        finally:
            os.close(lock)

    def _lock(self, lock: int) -> bool:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            now = self._clock()
            since, last = self._locked_out or (now, now)
            if now - last > LOCK_TRIED_EVERY_S:
                since = now
            self._locked_out = since, now
            return now - since > LOCK_WAIT_S  # its holder hangs
        self._locked_out = None
        return True

    def _file(self, engine_id: str) -> Path:
        return self._folder / f"{engine_id}.json"
