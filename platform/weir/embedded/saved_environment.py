"""The variables that reach the running system from another shell: ``environment`` in the data folder."""

from pathlib import Path

from weir.embedded.private_files import write_private

FILE = "environment"


def save(data: Path, variables: dict[str, str]) -> None:
    """Write them; mode 0600, for the passwords in addresses.

    Args:
        data: the data folder.
        variables: name → value, without line breaks.
    """
    write_private(data / FILE, "".join(f"{name}={value}\n" for name, value in variables.items()))


def saved(data: Path) -> dict[str, str]:
    """What the last start wrote; empty before the first one."""
    try:
        lines = (data / FILE).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    return dict(line.split("=", 1) for line in lines if "=" in line)
