"""The functions that `jobs.expressions.evaluation` computes in Python, by their names in checked trees; others it refuses by name."""

from typing import Final

from jobs.expressions.evaluated.arrays import ARRAYS_AND_MAPS
from jobs.expressions.evaluated.call import Evaluated, ordered
from jobs.expressions.evaluated.hashes import HASHES
from jobs.expressions.evaluated.json import JSONS
from jobs.expressions.evaluated.logic import LOGIC
from jobs.expressions.evaluated.numbers import NUMBERS
from jobs.expressions.evaluated.patterns import PATTERNS
from jobs.expressions.evaluated.texts import TEXTS
from jobs.expressions.evaluated.times import TIMES

_LOGIC: Final = {name: (form,) for name, form in LOGIC.items()}

CALLS: Final[dict[str, tuple[Evaluated, ...]]] = {**_LOGIC, **TEXTS, **PATTERNS, **NUMBERS, **TIMES, **ARRAYS_AND_MAPS, **JSONS, **HASHES}

__all__ = ["CALLS", "Evaluated", "ordered"]
