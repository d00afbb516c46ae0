"""The live connection of a page to the stand-in server: a test changes its frames, and cuts it."""

import json
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, WebSocketRoute

Frame = dict[str, Any]


class LiveConnection:
    """Stands between a page, which has not been opened yet, and the server.

    Attributes:
        change: makes of each of the server's frames what the page gets instead; None: nothing.
    """

    def __init__(self, page: Page, change: Callable[[Frame], Frame | None] = lambda frame: frame) -> None:
        self.change = change
        self._sides: list[WebSocketRoute] = []
        page.route_web_socket(re.compile("/ws/live"), self._opened)

    def cut(self) -> None:
        """End the connection; the page makes another one."""
        sides, self._sides = self._sides, []
        for side in sides:
            side.close()

    def _opened(self, page_side: WebSocketRoute) -> None:
        server_side = page_side.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            frame = self.change(json.loads(message))
            if frame is not None:
                page_side.send(json.dumps(frame))

        server_side.on_message(pass_on)
        self._sides += [page_side, server_side]  # the page must not send to a side that is closed
