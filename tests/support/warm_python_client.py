"""Started by Spark as Python: passes streams, arguments and environment to `tests.support.warm_python`.

Runs without site packages, which takes 10 ms.
"""

import json
import os
import socket
import sys

address, python, *arguments = sys.argv[1:]
with socket.socket(socket.AF_UNIX) as server:
    try:
        server.connect(address)
        socket.send_fds(server, [b"s"], [0, 1, 2])
        asked = {"arguments": arguments, "environment": dict(os.environ), "folder": os.getcwd()}
        server.sendall(json.dumps(asked).encode() + b"\n")
    except OSError:
        os.execv(python, [python, *arguments])
    for stream in (0, 1, 2):
        os.close(stream)  # so that their ends are seen when the other process ends
    server.recv(1)
