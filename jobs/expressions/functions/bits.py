"""Functions of the bits of integers; the same as the operators & | ^ ~ << >>."""

from typing import Final

from jobs.base.types import INT, LONG
from jobs.expressions.functions.function import Function, Nulls, Signature
from jobs.expressions.functions.literal_params import integer


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


BITS: Final = (
    *(
        _f(
            name,
            doc,
            f"({{0}} {sign} {{1}})",
            Signature((INT, INT), INT, ((f"{name}(6, 3)", value),)),
            Signature((LONG, LONG), LONG, ((f"{name}(6, 3000000000)", large),)),
        )
        for name, doc, sign, value, large in (
            ("bit_and", "Bits set in both; the same as &.", "&", 2, 6 & 3_000_000_000),
            ("bit_or", "Bits set in either; the same as |.", "|", 7, 6 | 3_000_000_000),
            ("bit_xor", "Bits set in exactly one; the same as ^.", "^", 5, 6 ^ 3_000_000_000),
        )
    ),
    *(
        _f(
            name,
            doc,
            f"{name}({{0}}, {{1}})",
            Signature((INT, INT), INT, ((f"{name}(-5, 1)", small),)),
            Signature((LONG, INT), LONG, ((f"{name}(-5000000000, 1)", large),)),
        )
        for name, doc, small, large in (
            (
                "shiftleft",
                (
                    "Bits moved up by as many positions, of the last 5 (int) or 6 (long) bits of the "
                    "second; the same as <<."
                ),
                -10,
                -10_000_000_000,
            ),
            (
                "shiftright",
                "Bits moved down by as many positions, the sign kept; the same as >>.",
                -3,
                -2_500_000_000,
            ),
            (
                "shiftrightunsigned",
                "Bits moved down by as many positions, zeros after them.",
                2_147_483_645,
                2**63 - 2_500_000_000,
            ),
        )
    ),
    _f(
        "bit_not",
        "Inverts all bits; the same as ~.",
        "(~ {0})",
        Signature((INT,), INT, (("bit_not(5)", -6),)),
        Signature((LONG,), LONG, (("bit_not(5000000000)", -5_000_000_001),)),
    ),
    _f(
        "bit_get",
        "The bit, 0 or 1, at a position from 0, the lowest.",
        "CAST(bit_get({0}, {1}) AS INT)",
        Signature(
            (LONG, integer(0, 63, "position literal")), INT, (("bit_get(5, 2)", 1), ("bit_get(5, 1)", 0))
        ),
        aliases=("getbit",),
    ),
    _f(
        "bit_count",
        "Number of set bits.",
        "bit_count({0})",
        Signature((LONG,), INT, (("bit_count(7)", 3),)),
    ),
)
