"""The node classes of sqlglot that may stand in an expression, and the arguments of each that we read.

An argument that is set but not listed would be lost silently, so it is refused like an unknown class.
"""

from typing import Final

from sqlglot import exp

COMPARISON_NODES: Final = {exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
ORDER_NODES: Final = (exp.LT, exp.LTE, exp.GT, exp.GTE)
EQUALITY_NODES: Final = (exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ)
MATCH_NODES: Final = (exp.Between, exp.In, exp.Like, exp.ILike, exp.RegexpLike)
ARITHMETIC_NODES: Final = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.IntDiv: "div",
}
BIT_NODES: Final = {
    exp.BitwiseAnd: "bit_and",
    exp.BitwiseOr: "bit_or",
    exp.BitwiseXor: "bit_xor",
    exp.BitwiseLeftShift: "shiftleft",
    exp.BitwiseRightShift: "shiftright",
}
ALLOWED_ARGUMENTS: Final[dict[type[exp.Expr], frozenset[str]]] = {
    exp.Literal: frozenset(("this", "is_string")),
    exp.Null: frozenset(),
    exp.Boolean: frozenset(("this",)),
    exp.Column: frozenset(("this", "table", "db", "catalog")),
    exp.Dot: frozenset(("this", "expression")),
    exp.Paren: frozenset(("this",)),
    exp.Neg: frozenset(("this",)),
    exp.Not: frozenset(("this",)),
    exp.And: frozenset(("this", "expression")),
    exp.Or: frozenset(("this", "expression")),
    exp.Is: frozenset(("this", "expression")),
    exp.Between: frozenset(("this", "low", "high")),
    exp.In: frozenset(("this", "expressions")),
    exp.Like: frozenset(("this", "expression", "negate")),
    exp.ILike: frozenset(("this", "expression", "negate")),
    exp.RegexpLike: frozenset(("this", "expression", "negate")),
    exp.DPipe: frozenset(("this", "expression", "safe")),
    exp.Cast: frozenset(("this", "to", "_type")),
    exp.TryCast: frozenset(("this", "to", "safe", "_type")),
    exp.Case: frozenset(("this", "ifs", "default")),
    exp.Interval: frozenset(("this", "unit")),
    exp.Extract: frozenset(("this", "expression")),
    exp.BitwiseNot: frozenset(("this",)),
    **{node: frozenset(("this", "expression")) for node in BIT_NODES},
    exp.Anonymous: frozenset(("this", "expressions")),
    exp.Identifier: frozenset(("this", "quoted")),
    exp.Bracket: frozenset(("this", "expressions")),
    exp.NullSafeEQ: frozenset(("this", "expression")),
    exp.NullSafeNEQ: frozenset(("this", "expression")),
    **{node: frozenset(("this", "expression")) for node in COMPARISON_NODES},
    **{node: frozenset(("this", "expression", "typed", "safe")) for node in ARITHMETIC_NODES},
}
