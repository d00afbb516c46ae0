"""Class-data archives of engines and brokers, kept in pytest's cache: starts as fast as a user's second."""

from pathlib import Path
from typing import Final

KEPT: Final = Path(__file__).resolve().parents[2] / ".pytest_cache" / "class-data"


def share_class_data(data_dir: Path) -> None:
    """Let engines and the broker over this data folder use, or record, the archives that all tests share."""
    KEPT.mkdir(parents=True, exist_ok=True)
    data_dir.mkdir(parents=True, exist_ok=True)
    link = data_dir / "class-data"
    if not link.is_symlink():
        link.symlink_to(KEPT, target_is_directory=True)
