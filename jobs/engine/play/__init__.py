"""Plays jobs over given records, without a broker and without writing anywhere: for previews and tests of jobs.

`play` runs a whole script; a `Player` goes batch by batch.
"""

from jobs.engine.play.player import PLAY_ERRORS, PlayEndedError, Player, play

__all__ = ["PLAY_ERRORS", "PlayEndedError", "Player", "play"]
