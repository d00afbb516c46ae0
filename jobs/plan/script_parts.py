"""What stands around the steps of a rendered script: reading, writing, the command line."""

from typing import Final

PROLOGUE: Final = '''"""{name}: written by Weir; needs PySpark only.

Over Kafka:  spark-submit --packages org.apache.spark:spark-sql-kafka-0-10_2.13:<version> script.py --bootstrap host:port SOURCE=topic …
Over files:  spark-submit script.py SOURCE=folder … --once
             (folders of JSON lines with append_time, partition, offset and value, the record's own text)
Results are JSON rows: on the console, or in the folder of --out. Times are UTC.
"""

import argparse

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

SOURCES = {sources}
FILE_ROWS = "append_time TIMESTAMP, partition INT, offset BIGINT, value STRING"


def read(spark: SparkSession, options: argparse.Namespace, source: str) -> DataFrame:
    """Records with value, _append_time, _partition and _offset."""
    place = dict(pair.split("=", 1) for pair in options.places)[source]
    if options.bootstrap:
        records = spark.readStream.format("kafka").option("kafka.bootstrap.servers", options.bootstrap).option("subscribe", place)
        frame = records.option("startingOffsets", "earliest").load().selectExpr("*", "timestamp AS append_time")
    else:
        frame = spark.readStream.schema(FILE_ROWS).json(place)
    return frame.selectExpr(
        "CAST(value AS STRING) AS value", "append_time AS _append_time", "partition AS _partition", "offset AS _offset"
    )


def build(spark: SparkSession, options: argparse.Namespace) -> DataFrame:
    """The job's rows."""
'''

EPILOGUE: Final = '''

    return {result}.selectExpr({fields})


MODE = "{mode}"


def configure(spark: SparkSession) -> None:
    """What the job rests on."""
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    spark.conf.set("spark.sql.caseSensitive", "true")
    spark.conf.set("spark.sql.streaming.multipleWatermarkPolicy", "{policy}")
    spark.conf.set("spark.sql.streaming.statefulOperator.allowMultiple", "true"){more}


def written(frame: DataFrame, folder: str) -> None:
    """One batch as JSON lines, nulls included."""
    frame.write.mode("append").option("ignoreNullFields", "false").json(folder)


def main() -> None:
    """Run until stopped, or with --once over what there is."""
    parser = argparse.ArgumentParser(description="One Weir job as a plain Spark query.")
    parser.add_argument("places", nargs=len(SOURCES), metavar="SOURCE=PLACE", help=f"topic or folder of each of {{', '.join(SOURCES)}}")
    parser.add_argument("--bootstrap", help="Kafka servers; without, places are folders of JSON lines")
    parser.add_argument("--once", action="store_true", help="read what is there, then end")
    parser.add_argument("--out", help="folder for results as JSON lines; without, the console")
    parser.add_argument("--checkpoint", help="folder for state; without, a temporary one")
    options = parser.parse_args()
    spark = SparkSession.builder.appName("weir-script").getOrCreate()
    configure(spark)
    writing = build(spark, options).writeStream.outputMode(MODE)
    if options.checkpoint:
        writing = writing.option("checkpointLocation", options.checkpoint)
    if options.once:
        writing = writing.trigger(availableNow=True)
    if options.out:
        writing = writing.foreachBatch(lambda frame, batch: written(frame, f"{{options.out}}/batch={{batch}}"))
    else:
        writing = writing.format("console").option("truncate", "false")
    writing.start().awaitTermination()


if __name__ == "__main__":
    main()
'''

SORTING: Final = """
    # Spark can sort the rows of a batch, but its check of streaming plans has no finer switch.
    spark.conf.set("spark.sql.streaming.unsupportedOperationCheck", "false")"""
