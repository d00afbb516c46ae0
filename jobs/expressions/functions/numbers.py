"""Functions of numbers. Whatever leaves the range of its type is null."""

from typing import Final

from jobs.base.types import BOOLEAN, DOUBLE, INT, LONG, DataType, Decimal
from jobs.expressions.decimals import DECIMAL_RESULT, has_long_quotient, is_wide
from jobs.expressions.functions.function import Function, Nulls, Signature, TypeVariable, first_type
from jobs.expressions.functions.literal_params import integer
from jobs.expressions.nodes import Literal, Tree
from jobs.expressions.operators import REMAINDER_SQL
from jobs.expressions.spark_types import schema_sql

_DIGITS: Final = integer(0, 30, "digits literal")
_TENS: Final = integer(-18, -1, "digits literal")
_CUT: Final = integer(0, 10, "digits literal")
_LIMIT: Final = "9223372036854775807D"
_NUMBER: Final = TypeVariable.DECIMAL
_MOD: Final = "try_mod({0}, {1})"
_PMOD: Final = f"CASE WHEN {_MOD} < 0 AND {{1}} > 0 THEN try_add({_MOD}, {{1}}) ELSE {_MOD} END"
_EXACT: Final = TypeVariable.EXACT


def _whole_decimal(arguments: tuple[Tree, ...]) -> DataType:
    """Ceil and floor of decimal(p, s): one digit more than the whole part."""
    given = arguments[0].type
    return (
        Decimal(given.precision - given.scale + 1, 0) if isinstance(given, Decimal) and given.scale else given
    )


def _rounded_decimal(arguments: tuple[Tree, ...]) -> DataType:
    """Round of decimal(p, s) to d digits: scale min(s, d), one whole digit more."""
    given = arguments[0].type
    digits = arguments[1].value if len(arguments) > 1 and isinstance(arguments[1], Literal) else 0
    if not isinstance(given, Decimal) or not isinstance(digits, int):
        return given
    if digits < 0:
        return Decimal(min(38, max(given.precision - given.scale, -digits) + 1), 0)
    scale = min(given.scale, digits)
    return Decimal(min(38, given.precision - given.scale + 1 + scale), scale)


def _decimal_abs(arguments: tuple[Tree, ...]) -> str | None:
    """As `jobs.expressions.operators.WIDE_NEGATIVE_SQL`."""
    read_back = "coalesce(CAST(trim(LEADING '-' FROM CAST({0} AS STRING)) AS {type}), {0})"
    return read_back if is_wide(arguments[0].type) else None


def _rounding(name: str, doc: str, half: str, whole_half: str) -> Function:
    """A way to round; `half` is 2.5 and `whole_half` is 250, to hundreds, rounded."""
    to_tens = f"TRY_CAST({name}(CAST({{0}} AS DECIMAL(20,0)), {{1}}) AS {{type}})"
    return _f(
        name,
        f"{doc}, to integers or to a number of digits after the point; digits below 0 stand before the "
        "point.",
        f"{name}({{all}})",
        Signature((INT,), INT, ((f"{name}(5)", 5),), "{0}"),
        Signature((INT, _DIGITS), INT, ((f"{name}(5, 2)", 5),), "{0}"),
        Signature(
            (INT, _TENS),
            INT,
            ((f"{name}(250, -2)", int(whole_half)),),
            to_tens.replace("{type}", "INT"),
            Nulls.ERROR,
        ),
        Signature((LONG,), LONG, ((f"{name}(5000000000)", 5_000_000_000),), "{0}"),
        Signature((LONG, _DIGITS), LONG, ((f"{name}(5000000000, 2)", 5_000_000_000),), "{0}"),
        Signature(
            (LONG, _TENS),
            LONG,
            ((f"{name}(5000000001, -1)", 5_000_000_000),),
            to_tens.replace("{type}", "BIGINT"),
            Nulls.ERROR,
        ),
        Signature((_NUMBER,), _rounded_decimal, ((f"{name}(2.5)", half), (f"{name}(-2.5)", f"-{half}"))),
        Signature((_NUMBER, _DIGITS), _rounded_decimal, ((f"{name}(2.347, 2)", "2.35"),)),
        Signature(
            (_NUMBER, _TENS),
            _rounded_decimal,
            ((f"{name}(250.0, -2)", whole_half),),
            lambda arguments: _fitted(f"{name}({{0}}, {{1}})", arguments),
            check_arguments=_no_digit_left,
        ),
        Signature((DOUBLE,), DOUBLE, ((f"{name}(-2.5e0)", -float(half)),)),
        Signature((DOUBLE, _DIGITS), DOUBLE, ((f"{name}(2.347e0, 1)", 2.3),)),
        Signature((DOUBLE, _TENS), DOUBLE, ((f"{name}(250e0, -2)", float(whole_half)),)),
    )


def _no_digit_left(arguments: tuple[Tree, ...]) -> str | None:
    given = arguments[0].type
    full = isinstance(given, Decimal) and given.precision - given.scale == 38
    return (
        "a decimal with 38 digits before the point can't be rounded; cast it to decimal(37,0)."
        if full
        else None
    )


def _fitted(sql: str, arguments: tuple[Tree, ...]) -> str:
    """As exactly the type of the table."""
    return f"CAST({sql} AS {schema_sql(_rounded_decimal(arguments))})"


def _remainder(arguments: tuple[Tree, ...]) -> DataType:
    """Of two decimals, as of %."""
    left, right = arguments[0].type, arguments[1].type
    return (
        DECIMAL_RESULT["%"](left, right) if isinstance(left, Decimal) and isinstance(right, Decimal) else left
    )


def _below_divisor(arguments: tuple[Tree, ...]) -> DataType:
    """Of two decimals: the divisor's whole digits, the digits after the point of both."""
    left, right = arguments[0].type, arguments[1].type
    if not isinstance(left, Decimal) or not isinstance(right, Decimal):
        return left
    scale = min(max(left.scale, right.scale), 38 - (right.precision - right.scale))
    return Decimal(max(1, right.precision - right.scale + scale), scale)


def _mod_sql(arguments: tuple[Tree, ...]) -> str | None:
    return REMAINDER_SQL if has_long_quotient(arguments[0].type, arguments[1].type) else None


def _pmod_sql(arguments: tuple[Tree, ...]) -> str:
    """Each branch as the type of the result, and signs by doubles: the type that the branches have in
    common, or a number of many digits with 0, would drop digits.
    """
    rest, kind = _mod_sql(arguments) or _MOD, schema_sql(_below_divisor(arguments))
    return (
        f"CASE WHEN CAST({rest} AS DOUBLE) < 0D AND CAST({{1}} AS DOUBLE) > 0D "
        f"THEN TRY_CAST(try_add({rest}, {{1}}) AS {kind}) ELSE TRY_CAST({rest} AS {kind}) END"
    )


def _truncate_sql(arguments: tuple[Tree, ...]) -> str:
    kind = _rounded_decimal(arguments)
    if not isinstance(kind, Decimal):
        raise TypeError("truncate takes decimals")
    # The sign by doubles: the type that a number of many digits has in common with 0 would drop digits.
    return (
        "CAST((CASE WHEN CAST({0} AS DOUBLE) < 0D THEN ceil({0}, {1}) ELSE floor({0}, {1}) END) AS "
        f"DECIMAL({kind.precision},{kind.scale}))"
    )


def _f(
    name: str,
    doc: str,
    sql: str,
    *signatures: Signature,
    nulls: Nulls = Nulls.STRICT,
    aliases: tuple[str, ...] = (),
) -> Function:
    return Function(
        name=name, theme="number", doc=doc, nulls=nulls, sql=sql, signatures=signatures, aliases=aliases
    )


NUMBERS: Final = (
    _f(
        "abs",
        "Absolute value.",
        "abs({0})",
        Signature((INT,), INT, (("abs(-5)", 5),), "TRY_CAST(abs(CAST({0} AS BIGINT)) AS INT)", Nulls.ERROR),
        Signature(
            (LONG,),
            LONG,
            (("abs(-5000000000)", 5_000_000_000),),
            "TRY_CAST(abs(CAST({0} AS DECIMAL(20,0))) AS BIGINT)",
            Nulls.ERROR,
        ),
        Signature((_NUMBER,), first_type, (("abs(-1.50)", "1.50"),), _decimal_abs),
        Signature((DOUBLE,), DOUBLE, (("abs(-1.5e0)", 1.5),)),
    ),
    _f(
        "sign",
        "-1, 0 or 1 as a double.",
        "sign({0})",
        Signature((DOUBLE,), DOUBLE, (("sign(-2.5e0)", -1.0), ("sign(7)", 1.0))),
        aliases=("signum",),
    ),
    _f(
        "ceil",
        "Rounds up to an integer; for decimals, to a number of digits after the point.",
        "ceil({0})",
        Signature((INT,), INT, (("ceil(5)", 5),), "{0}"),
        Signature((LONG,), LONG, (("ceil(5000000000)", 5_000_000_000),), "{0}"),
        Signature((_NUMBER,), _whole_decimal, (("ceil(1.21)", "2"), ("ceil(-1.21)", "-1"))),
        Signature(
            (_NUMBER, _CUT),
            _rounded_decimal,
            (("ceil(-1.218, 2)", "-1.21"),),
            lambda arguments: _fitted("ceil({0}, {1})", arguments),
        ),
        Signature(
            (DOUBLE,),
            LONG,
            (("ceil(1.2e0)", 2),),
            f"CASE WHEN abs({{0}}) < {_LIMIT} THEN ceil({{0}}) END",
            Nulls.ERROR,
        ),
        aliases=("ceiling",),
    ),
    _f(
        "floor",
        "Rounds down to an integer; for decimals, to a number of digits after the point.",
        "floor({0})",
        Signature((INT,), INT, (("floor(5)", 5),), "{0}"),
        Signature((LONG,), LONG, (("floor(5000000000)", 5_000_000_000),), "{0}"),
        Signature((_NUMBER,), _whole_decimal, (("floor(1.21)", "1"), ("floor(-1.21)", "-2"))),
        Signature(
            (_NUMBER, _CUT),
            _rounded_decimal,
            (("floor(-1.211, 2)", "-1.22"),),
            lambda arguments: _fitted("floor({0}, {1})", arguments),
        ),
        Signature(
            (DOUBLE,),
            LONG,
            (("floor(-1.2e0)", -2),),
            f"CASE WHEN abs({{0}}) < {_LIMIT} THEN floor({{0}}) END",
            Nulls.ERROR,
        ),
    ),
    _rounding("round", "Rounded half away from zero", "3", "300"),
    _rounding("bround", "Rounded half to the even neighbour", "2", "200"),
    _f(
        "rint",
        "Rounds to the nearest integer as a double, half to even.",
        "rint({0})",
        Signature((DOUBLE,), DOUBLE, (("rint(2.5e0)", 2.0), ("rint(-1.6e0)", -2.0))),
    ),
    _f(
        "mod",
        "Remainder with the dividend's sign; the same as %.",
        _MOD,
        Signature((INT, INT), INT, (("mod(-7, 3)", -1),)),
        Signature((LONG, LONG), LONG, (("mod(-7, 3000000000)", -7),)),
        Signature(
            (_EXACT, _EXACT), _remainder, (("mod(-7.50, 2)", "-1.50"), ("mod(7, 0.75)", "0.25")), _mod_sql
        ),
        Signature((DOUBLE, DOUBLE), DOUBLE, (("mod(7.5e0, 2)", 1.5),)),
        nulls=Nulls.ERROR,
    ),
    _f(
        "greatest",
        "The largest of the values that are not null; NaN is the largest.",
        "greatest({all})",
        Signature(
            (TypeVariable.ORDERED, TypeVariable.ORDERED),
            first_type,
            (("greatest(1, 3, 2)", 3), ("greatest('a', 'b')", "b")),
            repeats=True,
        ),
        nulls=Nulls.ALL,
    ),
    _f(
        "least",
        "The smallest of the values that are not null.",
        "least({all})",
        Signature(
            (TypeVariable.ORDERED, TypeVariable.ORDERED),
            first_type,
            (("least(1, 3, 2)", 1), ("least('a', 'b')", "a")),
            repeats=True,
        ),
        nulls=Nulls.ALL,
    ),
    _f(
        "is_nan",
        "True for NaN.",
        "({0} = CAST('NaN' AS DOUBLE))",
        Signature((DOUBLE,), BOOLEAN, (("is_nan(cast('NaN' as double))", True), ("is_nan(1.5e0)", False))),
        aliases=("isnan",),
    ),
    _f(
        "nanvl",
        "The first if it isn't NaN, else the second.",
        "nanvl({0}, {1})",
        Signature(
            (DOUBLE, DOUBLE), DOUBLE, (("nanvl(cast('NaN' as double), 0)", 0.0), ("nanvl(1.5e0, 0)", 1.5))
        ),
        nulls=Nulls.OWN,
    ),
    _f(
        "pmod",
        "Remainder from 0 up to the divisor when this is above zero; by a negative divisor the same as %.",
        _PMOD,
        Signature((INT, INT), INT, (("pmod(-7, 3)", 2), ("pmod(7, -3)", 1))),
        Signature((LONG, LONG), LONG, (("pmod(-7, 3000000000)", 2_999_999_993),)),
        Signature(
            (_EXACT, _EXACT),
            _below_divisor,
            (("pmod(-7.50, 2)", "0.50"), ("pmod(-7, 0.75)", "0.50")),
            _pmod_sql,
        ),
        Signature(
            (DOUBLE, DOUBLE),
            DOUBLE,
            (("pmod(-7.5e0, 2)", 0.5),),
            f"CASE WHEN {{1}} < 0 THEN {_MOD} ELSE pmod({{0}}, nullif({{1}}, 0)) END",
        ),
        nulls=Nulls.ERROR,
    ),
    _f(
        "truncate",
        "Truncates toward zero to a number of digits after the point.",
        "",
        Signature((_NUMBER, _CUT), _rounded_decimal, (("truncate(-2.349, 2)", "-2.34"),), _truncate_sql),
    ),
    _f(
        "width_bucket",
        (
            "Number, from 1, of the equal-width bucket between the second and the third argument that "
            "contains the value; 0 below, one more above."
        ),
        "width_bucket({0}, {1}, {2}, {3})",
        Signature(
            (DOUBLE, DOUBLE, DOUBLE, integer(1, 1_000_000, "count literal")),
            LONG,
            (("width_bucket(5.3e0, 0.2e0, 10.6e0, 5)", 3),),
        ),
        nulls=Nulls.ERROR,
    ),
    _f(
        "factorial",
        "Product of the integers from 1 to this one; null, and counted, below 0 and above 20.",
        "factorial(CASE WHEN {0} BETWEEN 0 AND 20 THEN {0} END)",
        Signature((INT,), LONG, (("factorial(5)", 120),)),
        nulls=Nulls.ERROR,
    ),
)
