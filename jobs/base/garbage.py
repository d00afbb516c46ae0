"""Python's garbage collection in processes that run for months."""

import gc
from typing import Final

# Python's own are 700, 10 and 10. A result that goes to a thousand viewers makes thousands of objects that
# live for a moment: by those the collector was called until it looked through everything.
_NEW_OBJECTS: Final = 10_000
_OLDER: Final = 10
_WHILE_LOADING: Final = 200_000


def load_first() -> None:
    """Hardly look for garbage until `keep_loaded`: what is loaded stays, and looking through it again and
    again takes a sixth of the time that loading takes. Not for engines: what they collect frees objects of
    the JVM.
    """
    gc.set_threshold(_WHILE_LOADING, _OLDER, _OLDER)


def keep_loaded() -> None:
    """Leave what is loaded by now out of garbage collection, since it stays, and look for garbage less
    often.

    A look through half a million objects holds the process for a tenth of a second.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, _OLDER, _OLDER)
