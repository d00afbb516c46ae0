"""How long tests wait for what has to come, and may take."""

from typing import Final

PATIENCE: Final = 3.0
"""Times as long as a test says, which is ample on a machine of its own: another is slower, or has more to do.
A promised time is no wait: tests measure it.
"""
