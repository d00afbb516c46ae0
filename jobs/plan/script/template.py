"""The text around the steps of a rendered script: reading, writing and the command line."""

from typing import Final

PROLOGUE: Final = '''"""{name}: written by Weir; needs {needs}.

Over Kafka:  spark-submit --packages org.apache.spark:spark-sql-kafka-0-10_2.13:<version>
             script.py --bootstrap host:port [--kafka-options FILE] SOURCE=topic …
Over files:  spark-submit script.py SOURCE=folder … --once
             (folders of JSON lines with timestamp, partition, offset, key and value, the record's own text)
Results are JSON rows: on the console, or in the folder of --out. Times are UTC.{deletions}
"""

import argparse
{imports}
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
{more_imports}
SOURCES = {sources}
FILE_ROWS = "timestamp TIMESTAMP, partition INT, offset BIGINT, key STRING, value STRING"
WRITING = {{
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'",
    "dateFormat": "yyyy-MM-dd",
    "ignoreNullFields": "false",
}}
{constants}{processors}

def kafka_options(path: str) -> dict[str, str]:
    """The lines of a file, such as security.protocol=SASL_SSL: others can see the arguments of a process."""
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    pairs = (line.split("=", 1) for line in lines if line and not line.startswith("#"))
    return {{name.strip(): value.strip() for name, value in pairs}}


def read(spark: SparkSession, options: argparse.Namespace, source: str, static: bool = False) -> DataFrame:
    """Records with key, value, _timestamp, _partition and _offset; static: only what is there now."""
    location = dict(pair.split("=", 1) for pair in options.inputs)[source]
    reader = spark.read if static else spark.readStream
    if options.bootstrap:
        records = reader.format("kafka").option("kafka.bootstrap.servers", options.bootstrap)
        records = records.option("kafka.isolation.level", "read_committed")
        for name, value in (kafka_options(options.kafka_options) if options.kafka_options else {{}}).items():
            records = records.option(f"kafka.{{name}}", value)
        frame = records.option("subscribe", location).option("startingOffsets", "earliest").load()
    else:
        frame = reader.schema(FILE_ROWS).json(location)
    return frame.selectExpr(
        "CAST(key AS STRING) AS key",
        "CAST(value AS STRING) AS value",
        "timestamp AS _timestamp",
        "partition AS _partition",
        "offset AS _offset",
    )


def build(spark: SparkSession, options: argparse.Namespace) -> dict[str, DataFrame]:
    """The rows of each output."""
'''

JSON_CONSTANTS: Final = '''# A value is one JSON object and nothing after it.
# Spark stops reading where a value ends, so an end of our own is read too.
WRAPPED = """concat('{"rows":[', value, '],"end":1}')"""
WHOLE = (
    "json._unreadable IS NULL AND json.end = 1 AND size(json.rows) = 1 AND get(json.rows, 0) IS NOT NULL"
    " AND is_valid_utf8(value) AND octet_length(value) <= {max_bytes}"
)
'''

READING: Final = """READING = {
    "columnNameOfCorruptRecord": "_unreadable",
    "allowSingleQuotes": "false",
    "dateFormat": "yyyy-MM-dd",
}
"""

EPILOGUE: Final = '''
    return {{
{outputs}
    }}


# Final rows come once, when they can no longer change; others come again whenever they change.
MODES = {modes}


def configure(spark: SparkSession) -> None:
    """What the job rests on."""
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    spark.conf.set("spark.sql.caseSensitive", "true")
    spark.conf.set("spark.sql.ansi.enabled", "true")
    spark.conf.set("spark.sql.variable.substitute", "false")
    spark.conf.set("spark.sql.mapKeyDedupPolicy", "LAST_WIN")
    spark.conf.set("spark.sql.chunkBase64String.enabled", "false")
    spark.conf.set("spark.sql.streaming.multipleWatermarkPolicy", "{policy}")
    spark.conf.set("spark.sql.streaming.statefulOperator.allowMultiple", "true")
    # Branches of a union in one task would take the state of each other.
    spark.conf.set("spark.sql.unionOutputPartitioning", "false"){more}


def written(frame: DataFrame, folder: str) -> None:
    """One batch as JSON lines, nulls included; one that died before it was committed comes again."""
    frame.write.mode("overwrite").options(**WRITING).json(folder)


def start(name: str, frame: DataFrame, options: argparse.Namespace):
    """One query per output, with a checkpoint of its own; what is upstream of two is computed for each."""
    writing = frame.writeStream.queryName(name).outputMode(MODES[name])
    if options.checkpoint:
        writing = writing.option("checkpointLocation", f"{{options.checkpoint}}/{{name}}")
    if options.once:
        writing = writing.trigger(availableNow=True)
    if options.out:
        folder = f"{{options.out}}/{{name}}"
        writing = writing.foreachBatch(lambda batch, number: written(batch, f"{{folder}}/batch={{number}}"))
    else:
        writing = writing.format("console").option("truncate", "false")
    return writing.start()


def main() -> None:
    """Run until stopped, or with --once over what there is."""
    parser = argparse.ArgumentParser(description="One Weir job as plain Spark queries.")
    inputs = f"topic or folder of each of {{', '.join(SOURCES)}}"
    parser.add_argument("inputs", nargs=len(SOURCES), metavar="SOURCE=LOCATION", help=inputs)
    parser.add_argument("--bootstrap", help="Kafka servers; without, the inputs are folders of JSON lines")
    parser.add_argument("--kafka-options", metavar="FILE", help="a Kafka client's properties, a line each")
    parser.add_argument("--once", action="store_true", help="read what is there, then end")
    parser.add_argument("--out", help="folder for JSON lines, one folder per output; without, the console")
    parser.add_argument("--checkpoint", help="folder for state; without, temporary ones")
    options = parser.parse_args()
    spark = SparkSession.builder.appName("weir-script").getOrCreate()
    configure(spark)
    queries = [start(name, frame, options) for name, frame in build(spark, options).items()]
    for query in queries:
        query.awaitTermination()


if __name__ == "__main__":
    main()
'''

SORTING: Final = """
    # Spark can sort the rows of a batch, but its check of streaming plans has no finer switch.
    spark.conf.set("spark.sql.streaming.unsupportedOperationCheck", "false")"""

PROCESSING: Final = """
    # Only this store holds the state of processors.
    store = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", store)"""

EXCLUDED_RULES: Final = """
    # These rules change answers: the first makes lower(x) of lower(upper(x)), the second a + b + 1 of
    # a + 1 + b, which overflows elsewhere.
    rules = {change_answers}{more}
    excluded = ",".join(f"org.apache.spark.sql.catalyst.optimizer.{{rule}}" for rule in rules)
    spark.conf.set("spark.sql.optimizer.excludedRules", excluded)"""

SEMI_JOINS: Final = """
    # What these move a semi join below would close, and refuse late rows, at another time.
    rules += {move_semi_joins}"""
