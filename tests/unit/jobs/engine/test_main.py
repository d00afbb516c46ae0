"""Spark runs main.py as a script, so its folder comes first where Python looks for modules."""

import sys
from pathlib import Path

from jobs.engine import submit

FOLDER = Path(submit.__file__).parent


def test_no_module_beside_it_hides_one_of_python() -> None:
    beside = {path.stem for path in FOLDER.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert not beside & sys.stdlib_module_names
