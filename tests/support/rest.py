"""A REST client that is signed in as a browser is: session cookie and CSRF header."""

from typing import Any

import requests
from websockets.sync.client import ClientConnection, connect


class Answer(Exception):  # noqa: N818 - it is an answer, and only sometimes an error
    """An answer that is not a success."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(f"{status}: {body}")
        self.status, self.body = status, body


class Rest:
    """Speaks to one workspace.

    Paths that begin with ``/`` are under ``/api/v1``; others under ``/api/v1/workspaces/<workspace>/``.
    """

    def __init__(self, base_url: str, workspace: str, sign_in_path: str) -> None:
        self.base_url, self.workspace = base_url, workspace
        self._session = requests.Session()
        self._session.get(base_url + sign_in_path, timeout=30, allow_redirects=False).raise_for_status()
        assert self._session.cookies.get("weir_session"), "the link did not sign in"

    def get(self, path: str, **query: Any) -> Any:
        """GET; the body as JSON."""
        return self.request("GET", path, query=query)

    def post(self, path: str, body: Any = None) -> Any:
        """POST; the body of the answer as JSON."""
        return self.request("POST", path, body if body is not None else {})

    def delete(self, path: str) -> None:
        """DELETE."""
        self.request("DELETE", path)

    def request(self, method: str, path: str, body: Any = None, query: dict[str, Any] | None = None) -> Any:
        """Any method.

        Raises:
            Answer: the status is 400 or above.
            requests.ConnectionError: nobody answers.
        """
        root = "/api/v1" if path.startswith("/") else f"/api/v1/workspaces/{self.workspace}/"
        if "csrftoken" not in self._session.cookies:
            self._session.get(f"{self.base_url}/api/v1/session", timeout=30)
        headers = {"X-CSRFToken": self._session.cookies.get("csrftoken", ""), "Origin": self.base_url}
        answer = self._session.request(
            method, f"{self.base_url}{root}{path}", json=body, params=query, headers=headers, timeout=30
        )
        content = answer.json() if "json" in answer.headers.get("Content-Type", "") else answer.text
        if answer.status_code >= 400:
            raise Answer(answer.status_code, content)
        return content

    @property
    def cookies(self) -> dict[str, str]:
        """The session's cookies, for a browser."""
        return dict(self._session.cookies.items())

    def socket(self, **options: Any) -> ClientConnection:
        """A connection to ``/ws/live``, from the right origin and without compression."""
        cookie = "; ".join(f"{name}={value}" for name, value in self._session.cookies.items())
        url = self.base_url.replace("http", "ws", 1) + "/ws/live"
        options = {
            "additional_headers": {"Cookie": cookie},
            "origin": self.base_url,
            "compression": None,
            "max_size": 64 << 20,
        } | options
        return connect(url, **options)
