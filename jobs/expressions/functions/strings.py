"""Functions of text. Lengths and positions count code points; the first position is 1."""

from typing import Final

from jobs.base.types import BOOLEAN, BYTES, INT, STRING, Array
from jobs.expressions.functions.function import (
    Function,
    Nulls,
    Signature,
    TypeVariable,
    either_elements,
    first_type,
)
from jobs.expressions.functions.literal_params import integer, one_of, text
from jobs.expressions.functions.separators import SEPARATOR, quoted_pattern
from jobs.expressions.nodes import Literal, Tree

MAX_REPLACED_BYTES: Final = 4 << 20
_BOUNDED_REPLACE: Final = f"weir_replace({{0}}, {{1}}, {{2}}, {MAX_REPLACED_BYTES})"
_COUNT: Final = integer(0, 1_000, "count literal")
URL_PARTS: Final = ("PROTOCOL", "HOST", "PATH", "QUERY", "REF", "FILE", "AUTHORITY", "USERINFO")
_PAD: Final = text("text literal", 100)


def grows_by_replacing(arguments: tuple[Tree, ...]) -> bool:
    """Whether `replace` with these arguments may give more than its text: not when both others are literals
    and the third has no more bytes than the second.
    """
    search, into = (argument.value if isinstance(argument, Literal) else None for argument in arguments[1:])
    if not isinstance(search, str) or not isinstance(into, str):
        return True
    return bool(search) and replaced_bytes(into) > replaced_bytes(search)


def replaced_bytes(text: str) -> int:
    """Bytes of a text, which may hold half a pair of surrogates."""
    return len(text.encode(errors="surrogatepass"))


def _f(
    name: str,
    doc: str,
    sql: str,
    *signatures: Signature,
    nulls: Nulls = Nulls.STRICT,
    aliases: tuple[str, ...] = (),
) -> Function:
    return Function(
        name=name, theme="text", doc=doc, nulls=nulls, sql=sql, signatures=signatures, aliases=aliases
    )


def _trim(name: str, where: str, side: str, blanks: tuple[str, str], signs: tuple[str, str]) -> Function:
    return _f(
        name,
        f"Without spaces, or the characters of the second string, at {where}.",
        f"{name}({{0}})",
        Signature((STRING,), STRING, (blanks,)),
        Signature(
            (STRING, text("characters literal", 100)), STRING, (signs,), f"trim({side} {{1}} FROM {{0}})"
        ),
    )


_SEPARATOR: Final = text("separator literal", 100)

STRINGS: Final = (
    _f(
        "upper",
        "Uppercase.",
        "upper({0})",
        Signature((STRING,), STRING, (("upper('aBc')", "ABC"),)),
        aliases=("ucase",),
    ),
    _f(
        "lower",
        "Lowercase.",
        "lower({0})",
        Signature((STRING,), STRING, (("lower('aBc')", "abc"),)),
        aliases=("lcase",),
    ),
    _trim("trim", "both ends", "BOTH", ("trim('  a b ')", "a b"), ("trim('-a-', '-')", "a")),
    _trim("ltrim", "the start", "LEADING", ("ltrim('  a ')", "a "), ("ltrim('-a-', '-')", "a-")),
    _trim("rtrim", "the end", "TRAILING", ("rtrim(' a  ')", " a"), ("rtrim('-a-', '-')", "-a")),
    _f(
        "length",
        "Number of characters of a string, or of bytes.",
        "length({0})",
        Signature((STRING,), INT, (("length('abc')", 3), ("length('')", 0))),
        Signature((BYTES,), INT, (("length(cast('é' as bytes))", 2),)),
        aliases=("len", "char_length", "character_length"),
    ),
    _f(
        "substring",
        "Substring from a position (1 is the first, -1 the last) to the end, or of a length.",
        "substring({all})",
        Signature(
            (STRING, INT), STRING, (("substring('abcde', 2)", "bcde"), ("substring('abcde', -2)", "de"))
        ),
        Signature((STRING, INT, INT), STRING, (("substring('abcde', 2, 3)", "bcd"),)),
        aliases=("substr",),
    ),
    _f(
        "left",
        "The first characters.",
        "left({0}, {1})",
        Signature((STRING, INT), STRING, (("left('abc', 2)", "ab"),)),
    ),
    _f(
        "right",
        "The last characters.",
        "right({0}, {1})",
        Signature((STRING, INT), STRING, (("right('abc', 2)", "bc"),)),
    ),
    _f(
        "concat",
        "Concatenates strings, the same as ||; or arrays.",
        "concat({all})",
        Signature((STRING,), STRING, (("concat('a', 'b', 'c')", "abc"),), repeats=True),
        Signature(
            (TypeVariable.ARRAY, TypeVariable.SAME_ARRAY),
            either_elements,
            (("concat(array(1), array(2, 3))", [1, 2, 3]),),
            repeats=True,
        ),
    ),
    _f(
        "contains",
        "True if the string contains the other.",
        "contains({0}, {1})",
        Signature(
            (STRING, STRING), BOOLEAN, (("contains('abc', 'b')", True), ("contains('abc', 'x')", False))
        ),
    ),
    _f(
        "starts_with",
        "True if the string starts with the other.",
        "startswith({0}, {1})",
        Signature((STRING, STRING), BOOLEAN, (("starts_with('abc', 'ab')", True),)),
        aliases=("startswith",),
    ),
    _f(
        "ends_with",
        "True if the string ends with the other.",
        "endswith({0}, {1})",
        Signature((STRING, STRING), BOOLEAN, (("ends_with('abc', 'bc')", True),)),
        aliases=("endswith",),
    ),
    _f(
        "replace",
        "Replaces every occurrence of the second string with the third; null, and counted, if the result is "
        f"larger than the first and has more than {MAX_REPLACED_BYTES:,} bytes.",
        "replace({0}, {1}, {2})",
        Signature(
            (STRING, STRING, STRING),
            STRING,
            (("replace('abab', 'a', 'x')", "xbxb"), ("replace('a,b', ',', '; ')", "a; b")),
            lambda arguments: _BOUNDED_REPLACE if grows_by_replacing(arguments) else None,
            lambda arguments: Nulls.ERROR if grows_by_replacing(arguments) else Nulls.STRICT,
        ),
    ),
    _f(
        "reverse",
        "Characters of a string, or elements of an array, in reverse order.",
        "reverse({0})",
        Signature((STRING,), STRING, (("reverse('abc')", "cba"),)),
        Signature((TypeVariable.ARRAY,), first_type, (("reverse(array(1, 2))", [2, 1]),)),
    ),
    _f(
        "position",
        "Position of the first string in the second, optionally from a position; 0 if it isn't there.",
        "locate({all})",
        Signature((STRING, STRING), INT, (("position('c', 'abc')", 3), ("position('x', 'abc')", 0))),
        Signature(
            (STRING, STRING, INT),
            INT,
            (("position('a', 'abca', 2)", 4),),
            "CASE WHEN {2} IS NOT NULL THEN locate({0}, {1}, {2}) END",
        ),
        aliases=("locate", "charindex"),
    ),
    _f(
        "instr",
        "Position of the second string in the first; 0 if it isn't there.",
        "instr({0}, {1})",
        Signature((STRING, STRING), INT, (("instr('abc', 'c')", 3), ("instr('abc', 'x')", 0))),
        aliases=("strpos",),
    ),
    _f(
        "substring_index",
        "The part before as many separators, or after them, counted from the end, if negative; all of it "
        "if there are fewer.",
        "substring_index({0}, {1}, {2})",
        Signature(
            (STRING, STRING, integer(-1_000, 1_000, "count literal")),
            STRING,
            (("substring_index('a.b.c', '.', 2)", "a.b"), ("substring_index('a.b.c', '.', -1)", "c")),
        ),
    ),
    _f(
        "lpad",
        "Padded at the start, or truncated, to a length.",
        "lpad({0}, {1}, {2})",
        Signature(
            (STRING, _COUNT, _PAD), STRING, (("lpad('7', 3, '0')", "007"), ("lpad('abcd', 2, ' ')", "ab"))
        ),
    ),
    _f(
        "rpad",
        "Padded at the end, or truncated, to a length.",
        "rpad({0}, {1}, {2})",
        Signature((STRING, _COUNT, _PAD), STRING, (("rpad('7', 3, '.')", "7.."),)),
    ),
    _f(
        "repeat",
        "Repeats the string.",
        "repeat({0}, {1})",
        Signature((STRING, integer(0, 100, "count literal")), STRING, (("repeat('ab', 2)", "abab"),)),
    ),
    _f(
        "split_part",
        "Part of a string between separators, counted from 1, from the end if negative; empty if there is "
        "none.",
        "split_part({0}, {1}, {2})",
        Signature(
            (STRING, text("text literal"), integer(-1_000, 1_000, "position literal")),
            STRING,
            (("split_part('a-b-c', '-', 2)", "b"), ("split_part('a-b', '-', 9)", "")),
            check_arguments=lambda arguments: (
                "the position must not be 0: the first is 1."
                if getattr(arguments[2], "value", None) == 0
                else None
            ),
        ),
    ),
    _f(
        "initcap",
        "Capitalizes each word.",
        "initcap({0})",
        Signature((STRING,), STRING, (("initcap('new york')", "New York"),)),
    ),
    _f(
        "translate",
        "Replaces each character of the second string with the one at the same position in the third.",
        "translate({0}, {1}, {2})",
        Signature((STRING, STRING, STRING), STRING, (("translate('abc', 'ab', 'xy')", "xyc"),)),
    ),
    _f(
        "split",
        "Splits a string at separators; empty parts are kept; with a limit, the last part contains the rest.",
        f"split({{0}}, {quoted_pattern('{1}')}, -1)",
        Signature(
            (STRING, SEPARATOR, integer(1, 1_000, "count literal")),
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
        "Joins strings with a separator; nulls are skipped.",
        "concat_ws({all})",
        Signature((_SEPARATOR, STRING), STRING, (("concat_ws('-', 'a', null, 'b')", "a-b"),), repeats=True),
        nulls=Nulls.NEVER,
    ),
    _f(
        "overlay",
        "Replaces as many characters from a position with the second string.",
        "overlay({0}, {1}, {2}, length({1}))",
        Signature(
            (STRING, STRING, integer(1, 100_000, "position literal")),
            STRING,
            (("overlay('abcdef', 'XY', 2)", "aXYdef"),),
        ),
    ),
    _f(
        "levenshtein",
        "Edit distance (Levenshtein) of two strings; of the first 255 characters.",
        "levenshtein(left({0}, 255), left({1}, 255))",
        Signature((STRING, STRING), INT, (("levenshtein('kitten', 'sitting')", 3),)),
    ),
    _f(
        "soundex",
        "Soundex code of a word: a letter and three digits. A text that begins with no letter stays.",
        "soundex({0})",
        Signature((STRING,), STRING, (("soundex('Robert')", "R163"),)),
    ),
    _f(
        "char",
        "The character of a code point from 1 to 127.",
        "char({0})",
        Signature((integer(1, 127, "code literal"),), STRING, (("char(65)", "A"),)),
        aliases=("chr",),
    ),
    _f(
        "mask",
        "Masks uppercase letters as X, lowercase ones as x, digits as n; other characters are kept.",
        "mask({0})",
        Signature((STRING,), STRING, (("mask('AbC-12')", "XxX-nn"),)),
    ),
    _f(
        "url_encode",
        "URL-encodes a string.",
        "url_encode({0})",
        Signature((STRING,), STRING, (("url_encode('a b&c')", "a+b%26c"),)),
    ),
    _f(
        "url_decode",
        "Decodes a URL-encoded string; null, and counted, if it isn't one.",
        "try_url_decode({0})",
        Signature((STRING,), STRING, (("url_decode('a+b%26c')", "a b&c"),)),
        nulls=Nulls.ERROR,
    ),
    _f(
        "parse_url",
        "Part of a URL: PROTOCOL, HOST, PATH, QUERY, REF, FILE, AUTHORITY or USERINFO; null if it isn't "
        "there.",
        "try_parse_url({0}, {1})",
        Signature(
            (STRING, one_of(URL_PARTS, "part literal")),
            STRING,
            (("parse_url('https://a.b/c?d=1', 'HOST')", "a.b"),),
        ),
        Signature(
            (STRING, one_of(("QUERY",), "part literal"), SEPARATOR),
            STRING,
            (("parse_url('https://a.b/c?d=1', 'QUERY', 'd')", "1"),),
            f"try_parse_url({{0}}, {{1}}, {quoted_pattern('{2}')})",  # Spark takes the key for a pattern
        ),
        nulls=Nulls.OWN,
    ),
    _f(
        "ascii",
        "Code point of the first character; 0 for an empty string.",
        "ascii({0})",
        Signature((STRING,), INT, (("ascii('A')", 65),)),
    ),
)
