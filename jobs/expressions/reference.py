"""The page docs/reference/expressions.md, written from the tables."""

import sys
from pathlib import Path
from typing import Any, Final

from jobs.expressions.bind import MAX_DEPTH
from jobs.expressions.failing_depth import MAX_FAILING_DEPTH
from jobs.expressions.function_list import functions_as_json
from jobs.expressions.functions import FUNCTIONS
from jobs.expressions.functions.sequences import MAX_SEQUENCE
from jobs.expressions.functions.strings import MAX_REPLACED_BYTES
from jobs.expressions.interpreter import COMPUTED
from jobs.expressions.lambdas import MAX_NESTED
from jobs.expressions.parse import MAX_TEXT
from jobs.expressions.python_functions.arrays import SUMMED_DIGITS
from jobs.expressions.refused_tokens import MAX_PARENTHESES
from jobs.expressions.regex_safety import MAX_GROUPS, MAX_PATTERN, MAX_SIZE
from jobs.expressions.size_bound import (
    MAX_MADE_BYTES,
    MAX_REPLACED,
    MAX_SIZE_FACTOR,
    MAX_VALUE_BYTES,
    UNCHECKED_FACTOR,
)

_INTRODUCTION: Final = f"""# Expressions

This page is generated (`python -m jobs.expressions.reference docs/reference/expressions.md`). The meaning of
types, nulls and errors is that of the semantics: nothing inside an expression fails a job; what cannot be
computed is null and is counted.

An expression is text such as `price * quantity > 100 and symbol in ('A', 'B')`. It is parsed, checked against
the tables below, and written anew for Spark; what is not listed here is refused.

## Values

| form | type |
|---|---|
| `5`, `5L`, `3000000000` | int, long, long |
| `1.50`, `5BD` | decimal(3,2), decimal(1,0) |
| `1e3`, `5D` | double |
| `'text'`, `"text"`; inside: `\\\\'` `\\\\\\\\` `\\\\n` `\\\\t` `\\\\u00e9`; \
for the `\\\\d` of a pattern, write `\\\\\\\\d` | string |
| `true`, `false`, `null` | boolean; null takes the type of what stands beside it |
| `timestamp '2026-01-01T10:00:00Z'`, `date '2026-01-01'` | timestamp, date |
| `duration('1h30m')`, `interval '1h30m'`, `interval '5' seconds` | \
duration: units us, ms, s, m, h, d, w; only inside expressions |
| `field`, `` `field` ``, `struct.member`, `list[0]`, `map['key']` | \
of the field; an index or key that is not there is null and counted |
| `list_of_structs.member` | array of that member of each |

## Operators

| operator | takes | gives |
|---|---|---|
| `+ - *` | int, long, decimal, double | \
int; long beside a long; decimal beside a decimal; double beside a double; overflow is null |
| `/` | numbers | double for integers; decimal with a decimal; by zero: null |
| `%`, `div` | numbers; integers | remainder with the dividend's sign; quotient cut towards zero |
| `& \\| ^ ~ << >>` | integers; different ones side by side need parentheses | int, long beside a long |
| `timestamp + duration`, `timestamp - duration`, `timestamp - timestamp` | | timestamp, timestamp, duration |
| `date + days`, `date - days`, `date - date` | integer, or a duration literal of whole days | \
date, date, duration |
| `duration + duration`, `duration * integer`, `duration / duration` | | duration, duration, double |
| `= <> != < <= > >=` | two values of one type after widening; different ones side by side, \
or beside `between`, `in`, `like`, need parentheses | boolean, null beside null |
| `<=>`, `is distinct from` | the same | never null |
| `between`, `in (…)`, `is null`, `is true`, `is false`, each with `not` | | boolean |
| `like`, `ilike` | text, literal pattern with `%` and `_` | boolean |
| `rlike` | text, literal pattern of [RE2](#patterns) | boolean |
| `and or not` | boolean | three-valued |
| `\\|\\|` | text | text |
| `case when … then … else … end`, `case x when … end` | | the branches' common type |
| `cast(x as type)`, `x::type`, `try_cast(x as type)` | | that type |

Only widening happens by itself: int to long to double, int and long to decimal, decimal to a wider decimal
and to double.

## Lambdas

`transform(list, x -> x * 2)`, `reduce(list, 0, (sum, x) -> sum + x)`: names before the arrow stand for the
element (and its index, or what was gathered so far) and hide fields of the same name. A lambda runs once per
element, so it may read, beside its own variables, only numbers, times and booleans, and texts when it gives
one of these; `reduce` gathers numbers, times and booleans. Lambdas nest {MAX_NESTED} deep. An error at one
element makes that element null, and the row counts once.

`reduce(list, 0, (sum, x) -> sum + x, sum -> sum * 2)` applies a last lambda, without a lambda inside, to what
was gathered.

## Limits

{MAX_TEXT:,} characters; parentheses {MAX_PARENTHESES} deep; {MAX_DEPTH} levels in all, of which
{MAX_FAILING_DEPTH} can fail (a sum of that many integers; group longer ones). A `sequence` has at most
{MAX_SEQUENCE:,} values, what is made of literals and sequences {MAX_MADE_BYTES:,} bytes. An expression
whose value, or a part of it, can be more than {MAX_SIZE_FACTOR:,} times as large as what it reads is refused
(`repeat`, `array_repeat`, lambdas, the same field again and again). From {UNCHECKED_FACTOR} times on, a job
looks at the sizes of the fields first: the value is null, and counted, where it could have more than
{MAX_VALUE_BYTES >> 20} MiB. `replace` is null, and counted, where its result is larger than its text and has
more than {MAX_REPLACED_BYTES >> 20} MiB; {MAX_REPLACED} results of it may stand in one value, and none that
the row's texts multiply in the values of a lambda. Rows have a bound, too
(`docs/semantics/errors-and-nulls.md`). Names of other engines are answered with what
to write here.
There is none for: sorting by a lambda that compares (its answers could contradict each other, which would end
the job; sort an array of structs whose first member is the key), times of the clock, random numbers, and
windows over rows (steps do that).

## Patterns

A regular expression is searched by RE2, in a job by its Java port, so that no pattern makes a search take
more than time in the order of the text's length; LIKE is a chain of searches. The syntax is what RE2 and Java
read alike: `. ^ $ | ( ) (?: ) [ ] * + ? {{n,m}}`, their lazy forms with `?` behind, `\\d \\w \\s \\D \\W \\S`
(of ASCII), `\\b \\B` (the edge of an ASCII word), `\\t \\n \\r`, `\\p{{L}}` and its like for Unicode's
general categories, and a backslash before any sign. `.` is any character but `\\n`, `\\r`, U+0085, U+2028 and
U+2029; `$` is the end of the text, not the position before a last line break.

Refused are back-references, look-around, flags, possessive repetitions, a repetition of what can be empty,
more than {MAX_GROUPS} groups, and patterns of more than {MAX_PATTERN} characters, or {MAX_SIZE} single
characters with repetitions written out. Functions that look for every match (`regexp_count`,
`regexp_extract_all`, `regexp_replace`) also refuse patterns such as `a|.*b`, which would read to the end of
the text for each match: bound the repetition, as in `a|.{{0,20}}b`. A stand-alone script has Spark's own
functions with Java's engine: the same answers (but for characters above U+FFFF, which Java counts as two),
without that promise.

## In the filter of the topic browser

What a person filters records by is computed in Python, by the same rules and held against the values that
Spark gives. All operators and casts are, but the cast of double to string, and all functions but these, which
are refused there by name: {{not_computed}}. Refused are also `arrays_zip`, `date_diff` with a unit,
`to_date` with a pattern, and `array_sum` of decimals of more than {SUMMED_DIGITS} digits. Regular
expressions are those without `\\p`, which needs the tables of one version of Unicode: a job has those of
Unicode 6, so that what is younger is no `\\p{{L}}`. Letters that are younger than Unicode 14 may have
another case, or kind for `mask`, in a job. A double becomes a decimal by its fewest digits that read back
as it; Java 17 writes some with one too many (1e23 as `9.999999999999999E22`), so that `cast(x as
decimal(38,0))` and the text by `get_json_object` of these are others in a job.

## Functions
"""


def reference_markdown() -> str:
    """The whole page."""
    rows = functions_as_json()
    themes = dict.fromkeys(row["theme"] for row in rows)
    missing = ", ".join(f"`{name}`" for name in sorted(FUNCTIONS) if name not in COMPUTED)
    return _INTRODUCTION.replace("\\\\", "\\").replace("{not_computed}", missing) + "".join(
        _theme(theme, [row for row in rows if row["theme"] == theme]) for theme in themes
    )


def _theme(theme: str, rows: list[dict[str, Any]]) -> str:
    lines = [f"\n### {theme.capitalize()}\n", "| function | meaning | null | example |", "|---|---|---|---|"]
    return "\n".join(lines + [_line(row) for row in rows]) + "\n"


def _line(row: dict[str, Any]) -> str:
    forms = "<br>".join(f"`{form}`" for form in row["signatures"])
    also = f" Also `{'`, `'.join(row['aliases'])}`." if row["aliases"] else ""
    example = f"`{row['examples'][0]}`" if row["examples"] else ""
    return f"| {forms} | {row['doc']}{also} | {row['nulls']} | {example} |".replace("||", "\\|\\|")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(reference_markdown(), encoding="utf-8")
