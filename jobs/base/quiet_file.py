"""The file by which an engine signals on its host that it no longer needs other processes.

By itself, so that `make run` and `make stop` need not load the messages.
"""

from pathlib import Path


def quiet_file(data_dir: Path, engine_id: str) -> Path:
    """The file of an engine.

    The engine creates the file when it begins, removes it before it serves, and creates it again once its
    queries have ended and its last report was sent.

    Args:
        data_dir: of the installation.
        engine_id: of the engine.
    """
    return data_dir / "engines" / f"{engine_id}.quiet"
