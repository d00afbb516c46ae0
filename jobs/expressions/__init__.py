"""Expressions: text outside, a checked and typed tree inside, Spark SQL written from the tree
(`docs/semantics/expressions.md`).
"""

from jobs.expressions.check import Expression, check_condition, check_expression
from jobs.expressions.function_list import functions_as_json
from jobs.expressions.functions import FUNCTIONS
from jobs.expressions.measure_calls import MeasureCall, parse_measure
from jobs.expressions.spark_types import schema_sql

__all__ = [
    "FUNCTIONS",
    "Expression",
    "MeasureCall",
    "check_condition",
    "check_expression",
    "functions_as_json",
    "parse_measure",
    "schema_sql",
]
