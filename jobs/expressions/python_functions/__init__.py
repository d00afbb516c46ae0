"""The functions that `jobs.expressions.interpreter` computes in Python, by their names in checked trees;
others it refuses by name.
"""

from typing import Final

from jobs.expressions.python_functions.arrays import ARRAYS_AND_MAPS
from jobs.expressions.python_functions.hashes import HASHES
from jobs.expressions.python_functions.json import JSONS
from jobs.expressions.python_functions.logic import LOGIC
from jobs.expressions.python_functions.numbers import NUMBERS
from jobs.expressions.python_functions.python_function import PythonFunction, ordered
from jobs.expressions.python_functions.regex import PATTERNS
from jobs.expressions.python_functions.strings import TEXTS
from jobs.expressions.python_functions.times import TIMES

_LOGIC: Final = {name: (form,) for name, form in LOGIC.items()}

CALLS: Final[dict[str, tuple[PythonFunction, ...]]] = {
    **_LOGIC,
    **TEXTS,
    **PATTERNS,
    **NUMBERS,
    **TIMES,
    **ARRAYS_AND_MAPS,
    **JSONS,
    **HASHES,
}

__all__ = ["CALLS", "PythonFunction", "ordered"]
