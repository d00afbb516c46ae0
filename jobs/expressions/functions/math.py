"""Functions of real numbers: doubles in, doubles out, as IEEE 754 has them
(NaN and infinities are values, not errors).
"""

import math
from typing import Final

from jobs.base.types import DOUBLE
from jobs.expressions.functions.function import Function, Nulls, Signature


def _d(
    name: str,
    doc: str,
    example: str,
    value: float,
    *,
    nulls: Nulls = Nulls.STRICT,
    aliases: tuple[str, ...] = (),
) -> Function:
    """A function of one double that has the same name in Spark."""
    signature = Signature((DOUBLE,), DOUBLE, ((example, value),))
    return Function(
        name=name,
        theme="math",
        doc=doc,
        nulls=nulls,
        sql=f"{name}({{0}})",
        signatures=(signature,),
        aliases=aliases,
    )


MATHS: Final = (
    _d("sqrt", "Square root; NaN below zero.", "sqrt(9)", 3.0),
    _d("cbrt", "Cube root.", "cbrt(27)", 3.0),
    _d("exp", "e to this power.", "exp(0)", 1.0),
    _d("ln", "Natural logarithm; null at and below zero.", "ln(1)", 0.0, nulls=Nulls.ERROR),
    _d("log10", "Logarithm to base 10; null at and below zero.", "log10(1000)", 3.0, nulls=Nulls.ERROR),
    _d("log2", "Logarithm to base 2; null at and below zero.", "log2(8)", 3.0, nulls=Nulls.ERROR),
    Function(
        name="power",
        theme="math",
        doc="The first to the power of the second.",
        nulls=Nulls.STRICT,
        sql="power({0}, {1})",
        signatures=(Signature((DOUBLE, DOUBLE), DOUBLE, (("power(2, 10)", 1024.0),)),),
        aliases=("pow",),
    ),
    Function(
        name="log",
        theme="math",
        doc="Natural logarithm; of two, that of the second to the base of the first; null at and below zero.",
        nulls=Nulls.ERROR,
        sql="log({all})",
        signatures=(
            Signature((DOUBLE,), DOUBLE, (("log(1)", 0.0),)),
            Signature((DOUBLE, DOUBLE), DOUBLE, (("log(2, 8)", 3.0),)),
        ),
    ),
    _d("expm1", "e to this power, less 1; exact near zero.", "expm1(0)", 0.0),
    _d(
        "log1p",
        "Natural logarithm of 1 more than this; null at and below -1.",
        "log1p(0)",
        0.0,
        nulls=Nulls.ERROR,
    ),
    Function(
        name="hypot",
        theme="math",
        doc="Length of the vector (first, second).",
        nulls=Nulls.STRICT,
        sql="hypot({0}, {1})",
        signatures=(Signature((DOUBLE, DOUBLE), DOUBLE, (("hypot(3, 4)", 5.0),)),),
    ),
    _d("sinh", "Hyperbolic sine.", "sinh(0)", 0.0),
    _d("cosh", "Hyperbolic cosine.", "cosh(0)", 1.0),
    _d("tanh", "Hyperbolic tangent.", "tanh(0)", 0.0),
    _d("asinh", "Inverse hyperbolic sine.", "asinh(0)", 0.0),
    _d("acosh", "Inverse hyperbolic cosine; NaN below 1.", "acosh(1)", 0.0),
    _d("atanh", "Inverse hyperbolic tangent; NaN outside -1 to 1.", "atanh(0)", 0.0),
    _d("sin", "Sine of radians.", "sin(0)", 0.0),
    _d("cos", "Cosine of radians.", "cos(0)", 1.0),
    _d("tan", "Tangent of radians.", "tan(0)", 0.0),
    _d("cot", "Cotangent of radians.", "cot(1)", 0.6420926159343306),
    _d("asin", "Angle in radians of a sine; NaN outside -1 to 1.", "asin(0)", 0.0),
    _d("acos", "Angle in radians of a cosine; NaN outside -1 to 1.", "acos(1)", 0.0),
    _d("atan", "Angle in radians of a tangent.", "atan(0)", 0.0),
    Function(
        name="atan2",
        theme="math",
        doc="Angle in radians of the point (second, first).",
        nulls=Nulls.STRICT,
        sql="atan2({0}, {1})",
        signatures=(Signature((DOUBLE, DOUBLE), DOUBLE, (("atan2(0, 1)", 0.0),)),),
    ),
    _d("degrees", "Radians to degrees.", "degrees(0)", 0.0),
    _d("radians", "Degrees to radians.", "radians(180)", math.pi),
    Function(
        name="e",
        theme="math",
        doc="2.71828…",
        nulls=Nulls.NEVER,
        sql="e()",
        signatures=(Signature((), DOUBLE, (("e()", math.e),)),),
    ),
    Function(
        name="pi",
        theme="math",
        doc="3.14159…",
        nulls=Nulls.NEVER,
        sql="pi()",
        signatures=(Signature((), DOUBLE, (("pi()", math.pi),)),),
    ),
)
