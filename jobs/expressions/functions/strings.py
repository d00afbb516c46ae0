"""Functions of text. Lengths and places count code points; the first place is 1."""

from typing import Final

from jobs.base.types import BOOLEAN, BYTES, INT, STRING, Array
from jobs.expressions.functions.function import Function, Nulls, Open, Signature, either_elements, first_type
from jobs.expressions.functions.literal_params import one_of, text, whole
from jobs.expressions.functions.separators import SEPARATOR, quoted_pattern

_COUNT: Final = whole(0, 1_000, "count literal")
URL_PARTS: Final = ("PROTOCOL", "HOST", "PATH", "QUERY", "REF", "FILE", "AUTHORITY", "USERINFO")
_PAD: Final = text("text literal", 100)


def _f(name: str, doc: str, sql: str, *signatures: Signature, nulls: Nulls = Nulls.STRICT, aliases: tuple[str, ...] = ()) -> Function:
    return Function(name=name, theme="text", doc=doc, nulls=nulls, sql=sql, signatures=signatures, aliases=aliases)


def _trim(name: str, where: str, side: str, blanks: tuple[str, str], signs: tuple[str, str]) -> Function:
    return _f(
        name,
        f"Without blanks, or the characters of the second text, at {where}.",
        f"{name}({{0}})",
        Signature((STRING,), STRING, (blanks,)),
        Signature((STRING, text("characters literal", 100)), STRING, (signs,), f"trim({side} {{1}} FROM {{0}})"),
    )


_SEPARATOR: Final = text("separator literal", 100)

STRINGS: Final = (
    _f("upper", "Capital letters.", "upper({0})", Signature((STRING,), STRING, (("upper('aBc')", "ABC"),)), aliases=("ucase",)),
    _f("lower", "Small letters.", "lower({0})", Signature((STRING,), STRING, (("lower('aBc')", "abc"),)), aliases=("lcase",)),
    _trim("trim", "both ends", "BOTH", ("trim('  a b ')", "a b"), ("trim('-a-', '-')", "a")),
    _trim("ltrim", "the start", "LEADING", ("ltrim('  a ')", "a "), ("ltrim('-a-', '-')", "a-")),
    _trim("rtrim", "the end", "TRAILING", ("rtrim(' a  ')", " a"), ("rtrim('-a-', '-')", "-a")),
    _f(
        "length",
        "Number of characters of a text, or of bytes.",
        "length({0})",
        Signature((STRING,), INT, (("length('abc')", 3), ("length('')", 0))),
        Signature((BYTES,), INT, (("length(cast('é' as bytes))", 2),)),
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
        "Texts one after the other, the same as ||; or the elements of arrays.",
        "concat({all})",
        Signature((STRING,), STRING, (("concat('a', 'b', 'c')", "abc"),), repeats=True),
        Signature((Open.ARRAY, Open.SAME_ARRAY), either_elements, (("concat(array(1), array(2, 3))", [1, 2, 3]),), repeats=True),
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
    _f(
        "reverse",
        "Characters of a text, or elements of an array, from last to first.",
        "reverse({0})",
        Signature((STRING,), STRING, (("reverse('abc')", "cba"),)),
        Signature((Open.ARRAY,), first_type, (("reverse(array(1, 2))", [2, 1]),)),
    ),
    _f(
        "position",
        "Place of the first text inside the second, from a place on if there is one; 0 when it is not there.",
        "locate({all})",
        Signature((STRING, STRING), INT, (("position('c', 'abc')", 3), ("position('x', 'abc')", 0))),
        Signature(
            (STRING, STRING, INT), INT, (("position('a', 'abca', 2)", 4),), "CASE WHEN {2} IS NOT NULL THEN locate({0}, {1}, {2}) END"
        ),
        aliases=("locate", "charindex"),
    ),
    _f(
        "instr",
        "Place of the second text inside the first; 0 when it is not there.",
        "instr({0}, {1})",
        Signature((STRING, STRING), INT, (("instr('abc', 'c')", 3), ("instr('abc', 'x')", 0))),
        aliases=("strpos",),
    ),
    _f(
        "substring_index",
        "What stands before as many separators, or after them, counted from the end, when negative; all of it when there are fewer.",
        "substring_index({0}, {1}, {2})",
        Signature(
            (STRING, STRING, whole(-1_000, 1_000, "count literal")),
            STRING,
            (("substring_index('a.b.c', '.', 2)", "a.b"), ("substring_index('a.b.c', '.', -1)", "c")),
        ),
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
            refuses=lambda arguments: "the place must not be 0: the first is 1." if getattr(arguments[2], "value", None) == 0 else None,
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
    _f(
        "split",
        "Pieces of a text between separators; empty ones are kept; of as many pieces as the third says the last holds the rest.",
        f"split({{0}}, {quoted_pattern('{1}')}, -1)",
        Signature(
            (STRING, SEPARATOR, whole(1, 1_000, "count literal")),
            Array(STRING, False),
            (("split('a.b.c', '.', 2)", ["a", "b.c"]),),
            f"split({{0}}, {quoted_pattern('{1}')}, {{2}})",
        ),
        Signature(
            (STRING, SEPARATOR),
            Array(STRING, False),
            (("split('a.b..c', '.')", ["a", "b", "", "c"]), ("split('', ',')", [""])),
        ),
    ),
    _f(
        "concat_ws",
        "Texts one after the other, with a separator between; nulls are left out.",
        "concat_ws({all})",
        Signature((_SEPARATOR, STRING), STRING, (("concat_ws('-', 'a', null, 'b')", "a-b"),), repeats=True),
        nulls=Nulls.NEVER,
    ),
    _f(
        "overlay",
        "The text with the second one in place of as many characters from a place on.",
        "overlay({0}, {1}, {2}, length({1}))",
        Signature((STRING, STRING, whole(1, 100_000, "place literal")), STRING, (("overlay('abcdef', 'XY', 2)", "aXYdef"),)),
    ),
    _f(
        "levenshtein",
        "How many characters must be added, taken away or changed to make one text the other; of the first 255 characters.",
        "levenshtein(left({0}, 255), left({1}, 255))",
        Signature((STRING, STRING), INT, (("levenshtein('kitten', 'sitting')", 3),)),
    ),
    _f(
        "soundex",
        "Sound of an English word as a letter and three digits.",
        "soundex({0})",
        Signature((STRING,), STRING, (("soundex('Robert')", "R163"),)),
    ),
    _f(
        "char",
        "The character of a code point from 1 to 127.",
        "char({0})",
        Signature((whole(1, 127, "code literal"),), STRING, (("char(65)", "A"),)),
        aliases=("chr",),
    ),
    _f(
        "mask",
        "Capital letters as X, small ones as x, digits as n; other characters stay.",
        "mask({0})",
        Signature((STRING,), STRING, (("mask('AbC-12')", "XxX-nn"),)),
    ),
    _f(
        "url_encode",
        "Text as part of an address, percent-encoded.",
        "url_encode({0})",
        Signature((STRING,), STRING, (("url_encode('a b&c')", "a+b%26c"),)),
    ),
    _f(
        "url_decode",
        "Text of a percent-encoded part of an address; null, and counted, when it is not one.",
        "try_url_decode({0})",
        Signature((STRING,), STRING, (("url_decode('a+b%26c')", "a b&c"),)),
        nulls=Nulls.ERROR,
    ),
    _f(
        "parse_url",
        "Part of an address: PROTOCOL, HOST, PATH, QUERY, REF, FILE, AUTHORITY or USERINFO; null when it is not there.",
        "try_parse_url({0}, {1})",
        Signature((STRING, one_of(URL_PARTS, "part literal")), STRING, (("parse_url('https://a.b/c?d=1', 'HOST')", "a.b"),)),
        Signature(
            (STRING, one_of(("QUERY",), "part literal"), SEPARATOR),
            STRING,
            (("parse_url('https://a.b/c?d=1', 'QUERY', 'd')", "1"),),
            f"try_parse_url({{0}}, {{1}}, {quoted_pattern('{2}')})",  # Spark takes the key for a pattern
        ),
        nulls=Nulls.OWN,
    ),
    _f("ascii", "Code point of the first character; 0 for an empty text.", "ascii({0})", Signature((STRING,), INT, (("ascii('A')", 65),))),
)
