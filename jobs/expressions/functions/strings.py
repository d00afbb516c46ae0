"""Functions of text. Lengths and places count code points; the first place is 1."""

from typing import Final

from jobs.base.types import BOOLEAN, INT, STRING
from jobs.expressions.functions.constants import text, whole
from jobs.expressions.functions.function import Function, Nulls, Signature

_COUNT: Final = whole(0, 1_000, "count literal")
_PAD: Final = text("text literal", 100)


def _f(name: str, doc: str, sql: str, *signatures: Signature, nulls: Nulls = Nulls.STRICT, aliases: tuple[str, ...] = ()) -> Function:
    return Function(name=name, theme="text", doc=doc, nulls=nulls, sql=sql, signatures=signatures, aliases=aliases)


STRINGS: Final = (
    _f("upper", "Capital letters.", "upper({0})", Signature((STRING,), STRING, (("upper('aBc')", "ABC"),)), aliases=("ucase",)),
    _f("lower", "Small letters.", "lower({0})", Signature((STRING,), STRING, (("lower('aBc')", "abc"),)), aliases=("lcase",)),
    _f("trim", "Without blanks at both ends.", "trim({0})", Signature((STRING,), STRING, (("trim('  a b ')", "a b"),))),
    _f("ltrim", "Without blanks at the start.", "ltrim({0})", Signature((STRING,), STRING, (("ltrim('  a ')", "a "),))),
    _f("rtrim", "Without blanks at the end.", "rtrim({0})", Signature((STRING,), STRING, (("rtrim(' a  ')", " a"),))),
    _f(
        "length",
        "Number of characters.",
        "length({0})",
        Signature((STRING,), INT, (("length('abc')", 3), ("length('')", 0))),
        aliases=("len", "char_length", "character_length"),
    ),
    _f(
        "substring",
        "Part of a text from a place (1 is the first, -1 the last) to the end, or of a length.",
        "substring({all})",
        Signature((STRING, INT), STRING, (("substring('abcde', 2)", "bcde"), ("substring('abcde', -2)", "de"))),
        Signature((STRING, INT, INT), STRING, (("substring('abcde', 2, 3)", "bcd"),)),
        aliases=("substr",),
    ),
    _f("left", "The first characters.", "left({0}, {1})", Signature((STRING, INT), STRING, (("left('abc', 2)", "ab"),))),
    _f("right", "The last characters.", "right({0}, {1})", Signature((STRING, INT), STRING, (("right('abc', 2)", "bc"),))),
    _f(
        "concat",
        "Texts one after the other; the same as ||.",
        "concat({all})",
        Signature((STRING,), STRING, (("concat('a', 'b', 'c')", "abc"),), repeats=True),
    ),
    _f(
        "contains",
        "True when the text holds the other.",
        "contains({0}, {1})",
        Signature((STRING, STRING), BOOLEAN, (("contains('abc', 'b')", True), ("contains('abc', 'x')", False))),
    ),
    _f(
        "starts_with",
        "True when the text begins with the other.",
        "startswith({0}, {1})",
        Signature((STRING, STRING), BOOLEAN, (("starts_with('abc', 'ab')", True),)),
        aliases=("startswith",),
    ),
    _f(
        "ends_with",
        "True when the text ends with the other.",
        "endswith({0}, {1})",
        Signature((STRING, STRING), BOOLEAN, (("ends_with('abc', 'bc')", True),)),
        aliases=("endswith",),
    ),
    _f(
        "replace",
        "Every occurrence of the second text replaced by the third.",
        "replace({0}, {1}, {2})",
        Signature((STRING, STRING, STRING), STRING, (("replace('abab', 'a', 'x')", "xbxb"),)),
    ),
    _f("reverse", "Characters from last to first.", "reverse({0})", Signature((STRING,), STRING, (("reverse('abc')", "cba"),))),
    _f(
        "position",
        "Place of the first text inside the second; 0 when it is not there.",
        "locate({0}, {1})",
        Signature((STRING, STRING), INT, (("position('c', 'abc')", 3), ("position('x', 'abc')", 0))),
    ),
    _f(
        "lpad",
        "Filled at the start, or cut, to a length.",
        "lpad({0}, {1}, {2})",
        Signature((STRING, _COUNT, _PAD), STRING, (("lpad('7', 3, '0')", "007"), ("lpad('abcd', 2, ' ')", "ab"))),
    ),
    _f(
        "rpad",
        "Filled at the end, or cut, to a length.",
        "rpad({0}, {1}, {2})",
        Signature((STRING, _COUNT, _PAD), STRING, (("rpad('7', 3, '.')", "7.."),)),
    ),
    _f(
        "repeat",
        "The text several times.",
        "repeat({0}, {1})",
        Signature((STRING, whole(0, 100, "count literal")), STRING, (("repeat('ab', 2)", "abab"),)),
    ),
    _f(
        "split_part",
        "Piece of a text between separators, counted from 1, from the end when negative; empty when there is no such piece.",
        "split_part({0}, {1}, {2})",
        Signature(
            (STRING, text("text literal"), whole(-1_000, 1_000, "place literal")),
            STRING,
            (("split_part('a-b-c', '-', 2)", "b"), ("split_part('a-b', '-', 9)", "")),
        ),
    ),
    _f(
        "initcap",
        "Each word with a capital first letter.",
        "initcap({0})",
        Signature((STRING,), STRING, (("initcap('new york')", "New York"),)),
    ),
    _f(
        "translate",
        "Each character of the second text replaced by the one at its place in the third.",
        "translate({0}, {1}, {2})",
        Signature((STRING, STRING, STRING), STRING, (("translate('abc', 'ab', 'xy')", "xyc"),)),
    ),
    _f("ascii", "Code point of the first character; 0 for an empty text.", "ascii({0})", Signature((STRING,), INT, (("ascii('A')", 65),))),
)
