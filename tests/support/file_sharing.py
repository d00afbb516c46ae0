"""Distribution of test files to workers: files that need the same engine go to one worker."""

from typing import Final

from xdist.scheduler import LoadFileScheduling

ENGINE: Final = (
    "engine_deaths",
    "engine_process",
    "listening_sockets",
    "two_queries_process",
    "exchange_process",
    "validator_process",
    "table_join_process",
    "asks",
    "run_logs",
)
_TOGETHER: Final = {f"test_{name}.py": "engine" for name in ENGINE}


def group_of(file: str) -> str:
    """A file's group; its own path when it is alone.

    Args:
        file: path from the repository's root.
    """
    return _TOGETHER.get(file.rpartition("/")[2], file)


class FileSharing(LoadFileScheduling):
    """`--dist loadfile`, by `group_of` a file instead of the file."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid.split("::", 1)[0])
