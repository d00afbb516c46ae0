"""What classes of the JVM write of a row is byte for byte what Spark's own functions write."""

import json
from random import Random
from typing import Any, Final

import pytest
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from jobs.base.schemas import Field, Schema
from jobs.base.types import parse_type
from jobs.engine.columns import column
from jobs.engine.sinks.kafka import row_json_sql, written_json_sql
from jobs.expressions.spark_types import quoted, schema_sql
from jobs.operators.identity_sql import identity_sql, is_plain_identity
from jobs.operators.relation import Relation

pytestmark = pytest.mark.integration

TYPES: Final = (
    "boolean",
    "int",
    "long",
    "double",
    "string",
    "bytes",
    "timestamp",
    "date",
    "decimal(12,3)",
    "array<string>",
    "map<string,double>",
    "struct<a:int,b:array<struct<c:timestamp,d:bytes>>,e:map<string,array<decimal(4,2)>>>",
)
SIGNS: Final = "aZ0 /\\\"'\x00\x01\x08\x09\x0a\x0c\x0d\x1f\x7f\x80é☃\u2028\ufffd\U0001f600<&"
SEED: Final = 17
ROWS: Final = 2_000


def drawn_sql(random: Random, data_type: str) -> Any:  # noqa: C901 - one case a type
    """A value as JSON that `from_json` reads; None one time in six."""
    if random.random() < 1 / 6:
        return None
    text = "".join(random.choices(SIGNS, k=random.choice((0, 1, 3, 40))))
    match data_type:
        case "boolean":
            return random.random() < 0.5
        case "int":
            return random.choice((0, -1, 2**31 - 1, -(2**31), random.randrange(1_000)))
        case "long":
            return random.choice((0, 10, -9, 2**63 - 1, -(2**63), random.randrange(10**12)))
        case "double":
            fractions = 0.0, -0.0, 1e21, 1.5e-7, 100.0, random.random()
            return random.choice((*fractions, "NaN", "Infinity", "-Infinity"))
        case "string":
            return text
        case "bytes":
            return random.randbytes(random.randrange(5)).hex()
        case "timestamp":
            edges = -62_135_596_800_000_000, 253_402_300_799_999_999, 951_782_400_000_000
            return random.choice((0, -1, *edges, random.randrange(-(10**17), 10**17)))
        case "date":
            return random.choice((0, -719_162, 2_932_896, 11_016, random.randrange(-700_000, 2_900_000)))
        case "decimal(12,3)":
            return f"{random.randrange(-(10**9), 10**9) / 1_000:.3f}"
        case "array<string>":
            return [drawn_sql(random, "string") for _ in range(random.randrange(4))]
        case "map<string,double>":
            return {f"{text}{n}": drawn_sql(random, "double") for n in range(random.randrange(3))}
    inner = [
        None
        if random.random() < 0.2
        else {"c": drawn_sql(random, "timestamp"), "d": drawn_sql(random, "bytes")}
        for _ in range(random.randrange(3))
    ]
    decimals = {text: [random.choice(("1.50", None))]}
    return {
        "a": drawn_sql(random, "int"),
        "b": random.choice((inner, None)),
        "e": random.choice((decimals, {})),
    }


def read_sql(name: str, data_type: str) -> str:
    """The column of a type from one of plainer values."""
    match data_type:
        case "bytes":
            return f"unhex({name})"
        case "timestamp":
            return f"timestamp_micros({name})"
        case "date":
            return f"date_from_unix_date({name})"
        case "decimal(12,3)":
            return f"cast({name} AS DECIMAL(12,3))"
    if data_type.startswith("struct"):
        item = "if(x IS NULL, NULL, named_struct('c', timestamp_micros(x.c), 'd', unhex(x.d)))"
        entries = "transform_values(s.e, (k, v) -> transform(v, d -> cast(d AS DECIMAL(4,2))))"
        struct = f"named_struct('a', s.a, 'b', transform(s.b, x -> {item}), 'e', {entries})"
        return f"if(s IS NULL, NULL, {struct})".replace("s.", f"{name}.").replace("if(s ", f"if({name} ")
    return name


PLAIN: Final = {
    "bytes": "STRING",
    "timestamp": "BIGINT",
    "date": "INT",
    "decimal(12,3)": "STRING",
    TYPES[-1]: "STRUCT<a: INT, b: ARRAY<STRUCT<c: BIGINT, d: STRING>>, e: MAP<STRING, ARRAY<STRING>>>",
}


def written(spark: SparkSession) -> Any:
    """Rows at random with a column of each type."""
    random = Random(SEED)
    lines = [
        (json.dumps({f"f{at}": drawn_sql(random, type_) for at, type_ in enumerate(TYPES)}),)
        for _ in range(ROWS)
    ]
    ddl = ", ".join(
        f"f{at} {PLAIN.get(type_) or schema_sql(parse_type(type_))}" for at, type_ in enumerate(TYPES)
    )
    read = spark.createDataFrame(lines, "line STRING").select(F.from_json("line", ddl).alias("r"))
    return read.select("r.*").select(
        *(column(read_sql(f"f{at}", type_), f"f{at}") for at, type_ in enumerate(TYPES))
    )


def test_rows_as_json(spark: SparkSession) -> None:
    relation = Relation(Schema(tuple(Field(f"f{at}", parse_type(type_)) for at, type_ in enumerate(TYPES))))
    names = {"f0": ("a b", 'ü"x'), "f4": ("a b", "y")}
    for more in ({}, names):
        both = written(spark).select(
            column(written_json_sql(relation, more), "ours"),
            column(f"cast({row_json_sql(relation, more)} AS BINARY)", "spark"),
        )
        rows: list[Row] = both.collect()
        assert len(rows) == ROWS
        assert [row["ours"] for row in rows] == [row["spark"] for row in rows]


def test_times_of_any_year_and_texts_that_are_none(spark: SparkSession) -> None:
    values = {
        "late": "timestamp'+10000-01-01 00:00:00.000001'",
        "early": "timestamp'-0044-03-15 12:00:00'",
        "day": "date'+12345-06-07'",
        "old": "date'-0001-01-01'",
        "broken": "cast(X'61FFC328' AS STRING)",
        "half": "cast(X'EDA080' AS STRING)",
        "nothing": "NULL",
    }
    members = ", ".join(f"'{name}', if(id < 0, NULL, {sql})" for name, sql in values.items())
    options = """map('ignoreNullFields', 'false', 'timestampFormat', "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'")"""
    struct = f"named_struct({members})"
    spark_sql = f"cast(to_json({struct}, {options}) AS BINARY)"
    row = spark.range(1).select(column(f"weir_json({struct})", "ours"), column(spark_sql, "spark")).first()
    assert row is not None
    assert row["ours"] == row["spark"]


def test_identities(spark: SparkSession) -> None:
    plain = [type_ for type_ in TYPES if parse_type(type_) in map(parse_type, TYPES[:3] + TYPES[4:8])]
    frame = written(spark)
    parts = [(quoted(f"f{TYPES.index(type_)}"), parse_type(type_)) for type_ in plain]
    pair = "named_struct('_source', 's', '_partition', f1, 'of', named_struct('k', f4, 't', f6))"
    frame = frame.select("*", column(f"if(f0, NULL, {pair})", "_pair"))
    types = parse_type("struct<_source:string,_partition:int,of:struct<k:string,t:timestamp>>")
    parts.append((quoted("_pair"), types))
    assert is_plain_identity(parts)
    members = ", ".join(f"'_{at}', {sql}" for at, (sql, _) in enumerate(parts))
    rows = frame.select(
        column(f"weir_json_array(named_struct({members}))", "ours"),
        column(f"cast({identity_sql(parts)} AS BINARY)", "spark"),
    ).collect()
    assert [row["ours"] for row in rows] == [row["spark"] for row in rows]


def test_identities_that_are_written_in_other_ways() -> None:
    """Decimals, unions, and indexes that may be absent."""
    for name, type_ in (
        ("p", "decimal(4,2)"),
        ("_index0", "int"),
        ("_u", "struct<_input:string,a:struct<x:int>>"),
        ("_l", "struct<k:string,_index0:int>"),
    ):
        assert not is_plain_identity([(quoted(name), parse_type(type_))])
    assert is_plain_identity([("`_index0`", parse_type("int"))], frozenset({"`_index0`"}))
