"""Names of the JVM are looked up once; the values of fields are read each time."""

from typing import Any

import pytest
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

pytestmark = pytest.mark.integration


def test_packages_classes_and_methods_are_kept(spark: SparkSession) -> None:
    jvm: Any = spark.sparkContext._jvm
    assert jvm.java.lang.Math is jvm.java.lang.Math
    assert jvm.java.lang.Math.max is jvm.java.lang.Math.max
    assert jvm.java.lang.Math.max(2, 3) == 3
    assert jvm.java.util.ArrayList().size() == 0
    assert jvm.java.util.Map.Entry is jvm.java.util.Map.Entry, "a class in a class"
    assert spark.range(3).count() == 3


def test_values_and_what_is_not_there_are_not_kept(spark: SparkSession) -> None:
    jvm: Any = spark.sparkContext._jvm
    integer = jvm.java.lang.Integer
    assert integer.MAX_VALUE == 2**31 - 1
    assert "MAX_VALUE" not in vars(integer)
    for _ in range(2):
        with pytest.raises(Py4JError):
            _ = integer.nothing
