"""The queue of this host's worker. It stays with the data folder, whose database says of each engine on which
host's queue it is: under another name of the machine nobody would serve the queues that it knows. Standard
library only.
"""

import os

from weir.embedded.layout import Layout
from weir.embedded.saved_environment import saved

VARIABLE = "WEIR_HOST_QUEUE"


def host_queue(layout: Layout) -> str:
    """The environment's; else that of the last start, and at the first one of the machine's name."""
    return os.environ.get(VARIABLE) or saved(layout.data).get(VARIABLE) or f"engines.{os.uname().nodename}"
