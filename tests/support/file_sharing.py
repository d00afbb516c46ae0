"""How files are shared out to two workers: those that need the same engine or system, which takes long to start, go to one of them."""

from typing import Final

from xdist.scheduler import LoadFileScheduling

ENGINE: Final = ("engine_process", "listening_sockets", "two_queries_process", "exchange_process", "validator_process")
SYSTEM: Final = ("flights_full", "clicks_end_to_end", "secured_cluster")
_TOGETHER: Final = {f"test_{name}.py": "engine" for name in ENGINE} | {f"test_{name}.py": "system" for name in SYSTEM}
_FOLDERS: Final = ("tests/e2e/", "tests/chaos/")


def shared_out_as(file: str) -> str:
    """What a file, by its path from the repository, is shared out with; itself where it is alone."""
    folder = next((folder for folder in _FOLDERS if file.startswith(folder)), None)
    return folder or _TOGETHER.get(file.rpartition("/")[2], file)


class FileSharing(LoadFileScheduling):
    """`--dist loadfile` with `shared_out_as` in the place of the file."""

    def _split_scope(self, nodeid: str) -> str:
        return shared_out_as(nodeid.split("::", 1)[0])
