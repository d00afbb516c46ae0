"""The engines' class-data archive, kept in pytest's cache, so that starts are as fast as a user's second."""

from pathlib import Path

_KEPT = Path(__file__).resolve().parents[2] / ".pytest_cache" / "class-data"


def share_class_data(data_dir: Path) -> None:
    """Let engines over this data folder use, or record, the archive that all tests share."""
    _KEPT.mkdir(parents=True, exist_ok=True)
    data_dir.mkdir(parents=True, exist_ok=True)
    link = data_dir / "class-data"
    if not link.is_symlink():
        link.symlink_to(_KEPT, target_is_directory=True)
