"""Plays the scripts of a folder (`jobs.job_tests.play_folder`), one at a time."""

from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

from jobs.engine.play import play
from jobs.job_tests.play_folder import PlayFolder


def play_next(
    session: SparkSession, folder: PlayFolder, work: Path, canceled: Callable[[], bool] | None = None
) -> bool:
    """Play the first script that has no result, and write its result.

    Args:
        session: of the application.
        folder: with the scripts.
        work: new; removed at the end.
        canceled: becomes true: the play is broken off, and has no result.

    Returns:
        True while there may be more to play.
    """
    waiting = folder.waiting()
    if not waiting:
        return False
    script = folder.read_script(waiting[0])
    if script is None:  # deleted meanwhile, and nobody waits any more
        return False
    try:
        folder.begin(waiting[0])
        result = play(session, script, work, canceled=canceled)
        if canceled is not None and canceled():
            return False
        folder.write_result(waiting[0], result)
    except FileNotFoundError:
        return False
    return len(waiting) > 1
