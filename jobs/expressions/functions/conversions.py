"""Functions between texts and what they stand for:
bytes, digits of other bases, numbers of a form, values in a form.
"""

import re
from typing import Final

from jobs.base.types import BYTES, DOUBLE, DOUBLE_DIGITS, INT, LONG, STRING, DataType, Decimal, type_text
from jobs.expressions.functions.function import Function, LiteralParam, Nulls, Signature, TypeVariable
from jobs.expressions.functions.literal_params import MAX_LENGTH, integer, one_of
from jobs.expressions.nodes import Literal, Tree

_UTF8: Final = ("utf-8", "UTF-8")
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_NUMBER_FORM: Final = re.compile(r"(?:S|MI)?[$]?[09]{1,3}(?:(?:,[09]{3})*|[09]*)(?:\.[09]+)?(?:S|MI)?")
_MARK: Final = re.compile(
    r"%(?:(%)|(-?[1-9][0-9]?)?(s)|((?:0?|-)[1-9][0-9]?)?(d)|((?:0?|-)[1-9][0-9]?)?\.[0-9](f))"
)


def _conv_sql(arguments: tuple[Tree, ...]) -> str:
    """Spark reads as far as digits go, and throws beyond 64 bits:
    only texts of digits that surely fit reach it. $ would stand before a last line separator, too.
    """
    base = int(_literal(arguments[1]))
    most = max(length for length in range(1, 65) if base**length <= 2**64)
    digits = _DIGITS[:base]
    return (
        f"CASE WHEN {{0}} RLIKE '^0*[{digits}{digits[10:].upper()}]{{{{1,{most}}}}}\\\\z' "
        "THEN conv({0}, {1}, {2}) END"
    )


def _literal(tree: Tree) -> str:
    return str(tree.value) if isinstance(tree, Literal) else ""


def _number_form_complaint(value: object) -> str | None:
    if (
        isinstance(value, str)
        and _NUMBER_FORM.fullmatch(value)
        and sum(map(value.count, "09")) <= 38
        and len(re.findall("S|MI", value)) <= 1
    ):
        return None
    return "must be a format such as '9,999.99', 'S999' or '$99.00', with at most 38 digits"


def _number_of_form(arguments: tuple[Tree, ...]) -> DataType:
    front, _, back = _literal(arguments[1]).partition(".")
    digits, scale = (sum(map(part.count, "09")) for part in (front, back))
    return Decimal(digits + scale, scale)


def _marks(form: str) -> list[str]:
    """The letters of the marks of a form, in order, without %%."""
    return [next(filter(None, found.group(3, 5, 7))) for found in _MARK.finditer(form) if not found.group(1)]


def _marks_complaint(value: object) -> str | None:
    if isinstance(value, str) and len(value) <= MAX_LENGTH and "%" not in _MARK.sub("", value):
        return None
    return f"supports only %s, %d, %.2f and %%, with widths up to 99, and at most {MAX_LENGTH} characters"


def _marks_differ(arguments: tuple[Tree, ...]) -> str | None:
    marks = _marks(_literal(arguments[0]))
    if len(marks) != len(arguments) - 1:
        return f"the format has {len(marks)} placeholders, but {len(arguments) - 1} values follow."
    for mark, value in zip(marks, arguments[1:], strict=True):
        fits = {
            "s": value.type == STRING,
            "d": value.type in (INT, LONG),
            "f": value.type == DOUBLE or isinstance(value.type, Decimal),
        }[mark]
        if not fits:
            return f"{'%.2f' if mark == 'f' else '%' + mark} doesn't accept {type_text(value.type)}."
        if isinstance(value.type, Decimal) and value.type.precision > DOUBLE_DIGITS:
            return (
                f"%.2f accepts decimals of at most {DOUBLE_DIGITS} digits, not {type_text(value.type)}: "
                "use format_number, or cast it to double."
            )
    return None


def _format_sql(arguments: tuple[Tree, ...]) -> str:
    """Spark would write null as a word, and takes no decimals: 15 digits are the same as a double."""
    indexes = range(1, len(arguments))
    known = " AND ".join(f"{{{index}}} IS NOT NULL" for index in indexes)
    given = "".join(
        f", CAST({{{index}}} AS DOUBLE)" if isinstance(arguments[index].type, Decimal) else f", {{{index}}}"
        for index in indexes
    )
    return f"CASE WHEN {known} THEN format_string({{0}}{given}) END"


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


TEXT_FORMS: Final = (
    _f(
        "format_number",
        "Number with thousands separated by commas and as many digits after the point, rounded half to even.",
        "format_number({0}, {1})",
        Signature(
            (LONG, integer(0, 10, "digits literal")),
            STRING,
            (("format_number(9007199254740993, 0)", "9,007,199,254,740,993"),),
        ),
        Signature(
            (TypeVariable.DECIMAL, integer(0, 10, "digits literal")),
            STRING,
            (("format_number(123456789012345678.905, 2)", "123,456,789,012,345,678.90"),),
        ),
        Signature(
            (DOUBLE, integer(0, 10, "digits literal")),
            STRING,
            (("format_number(1234567.891e0, 2)", "1,234,567.89"),),
        ),
    ),
    _f(
        "encode",
        "UTF-8 of a text.",
        "CAST({0} AS BINARY)",
        Signature(
            (STRING, one_of(_UTF8, "encoding literal")), BYTES, (("encode('é', 'utf-8')", b"\xc3\xa9"),)
        ),
    ),
    _f(
        "decode",
        "Text of its UTF-8; null, and counted, when it is none.",
        "try_validate_utf8(CAST({0} AS STRING))",
        Signature(
            (BYTES, one_of(_UTF8, "encoding literal")), STRING, (("decode(unhex('C3A9'), 'utf-8')", "é"),)
        ),
        nulls=Nulls.ERROR,
    ),
    _f(
        "octet_length",
        "Number of bytes of a text's UTF-8, or of bytes.",
        "octet_length({0})",
        Signature((STRING,), INT, (("octet_length('é')", 2),)),
        Signature((BYTES,), INT, (("octet_length(cast('é' as bytes))", 2),)),
    ),
    _f(
        "conv",
        "Digits of an integer, from 0, of one base (2 to 36) as digits of another; null, and counted, "
        "when the text is not such a number or, without zeros before it, has more digits than surely fit "
        "64 bits (19 of base 10, 16 of base 16).",
        "",
        Signature(
            (STRING, integer(2, 36, "base literal"), integer(2, 36, "base literal")),
            STRING,
            (("conv('ff', 16, 10)", "255"), ("conv('100', 2, 16)", "4")),
            _conv_sql,
        ),
        nulls=Nulls.ERROR,
    ),
    _f(
        "to_number",
        "Number of a text by a form of 9 or 0 (digits), comma (thousands), point, S or MI (sign) and $; "
        "null, and counted, when it differs.",
        "try_to_number({0}, {1})",
        Signature(
            (STRING, LiteralParam(STRING, _number_form_complaint, "form literal")),
            _number_of_form,
            (("to_number('1,234.50', '9,999.99')", "1234.50"), ("to_number('-7', 'S99')", "-7")),
        ),
        nulls=Nulls.ERROR,
    ),
    _f(
        "format_string",
        "The first text with values in place of its marks: %s a text, %d an integer, %.2f a double, or a "
        "decimal of at most 15 digits, with as many after the point, %% itself; a width before the letter "
        "fills with blanks, after a 0 with zeros, after a - on the right.",
        "",
        Signature(
            (LiteralParam(STRING, _marks_complaint, "form literal"),),
            STRING,
            (("format_string('100 %%')", "100 %"),),
            "format_string({0})",
            check_arguments=_marks_differ,
        ),
        Signature(
            (LiteralParam(STRING, _marks_complaint, "form literal"), TypeVariable.ANY),
            STRING,
            (("format_string('%s-%05d', 'a', 42)", "a-00042"), ("format_string('%.1f%%', 12.25)", "12.3%")),
            _format_sql,
            repeats=True,
            check_arguments=_marks_differ,
        ),
        aliases=("printf",),
    ),
)
