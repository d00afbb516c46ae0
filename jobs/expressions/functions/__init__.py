"""The function table: what an expression may call. Nothing that is not here reaches Spark."""

from typing import Final

from jobs.expressions.constructors import CONSTRUCTORS
from jobs.expressions.functions.arrays import ARRAYS
from jobs.expressions.functions.bits import BITS
from jobs.expressions.functions.calendars import CALENDARS
from jobs.expressions.functions.conversions import TEXT_FORMS
from jobs.expressions.functions.function import Function
from jobs.expressions.functions.geography import GEOGRAPHY
from jobs.expressions.functions.hashes import HASHES
from jobs.expressions.functions.higher_order import HIGHER_ORDER
from jobs.expressions.functions.json import JSONS
from jobs.expressions.functions.maps import MAPS
from jobs.expressions.functions.math import MATHS
from jobs.expressions.functions.nulls import NULLS
from jobs.expressions.functions.numbers import NUMBERS
from jobs.expressions.functions.regex import PATTERNS
from jobs.expressions.functions.sequences import SEQUENCES
from jobs.expressions.functions.strings import STRINGS
from jobs.expressions.functions.times import TIMES

_TABLES: Final = (
    STRINGS,
    TEXT_FORMS,
    PATTERNS,
    NUMBERS,
    BITS,
    MATHS,
    TIMES,
    CALENDARS,
    NULLS,
    ARRAYS,
    SEQUENCES,
    MAPS,
    HIGHER_ORDER,
    JSONS,
    HASHES,
    GEOGRAPHY,
)

FUNCTIONS: Final[dict[str, Function]] = {function.name: function for table in _TABLES for function in table}
ALIASES: Final[dict[str, str]] = {
    alias: function.name for function in FUNCTIONS.values() for alias in function.aliases
}

SPECIAL_FORMS: Final = {
    "if": "if(condition, then, otherwise): the same as CASE WHEN … THEN … ELSE … END; otherwise is optional",
    "nvl2": "nvl2(x, a, b): a when x is not null, else b",
    "duration": "duration('1h30m'): a duration; also INTERVAL '5' SECONDS",
    "cast": "cast(x as type), x::type: null if the value can't be converted, counted as an error",
    "try_cast": "try_cast(x as type): like cast, but not counted",
    "try_add": "try_add(a, b): like +, but failures aren't counted",
    "try_subtract": "try_subtract(a, b): like -, but failures aren't counted",
    "try_multiply": "try_multiply(a, b): like *, but failures aren't counted",
    "try_divide": "try_divide(a, b): like /, but failures aren't counted",
    "try_mod": "try_mod(a, b): like %, but failures aren't counted",
    "extract": "extract(part from time): the same as date_part('part', time)",
    **CONSTRUCTORS,
}

NONDETERMINISTIC: Final = frozenset(
    {
        "rand",
        "randn",
        "random",
        "randstr",
        "uniform",
        "uuid",
        "shuffle",
        "now",
        "current_timestamp",
        "current_date",
        "current_time",
        "current_timezone",
        "localtimestamp",
        "unix_timestamp",
        "monotonically_increasing_id",
        "spark_partition_id",
        "input_file_name",
        "curdate",
        "getdate",
        "sysdate",
        "systimestamp",
        "current_user",
        "session_user",
        "user",
        "current_database",
        "current_schema",
        "current_catalog",
        "version",
    }
)
"""Calls whose value depends on when, where or by whom they are run; a replay would change it."""
