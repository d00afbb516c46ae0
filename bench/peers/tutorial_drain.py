"""A tumbling count on Kafka as tutorials write it, from the beginning of a topic, for spark-submit.

Arguments: bootstrap servers, input topic, output topic, checkpoint folder, records of a batch. What differs
from a tutorial, in the peer's favour: the state has Weir's few partitions instead of 200, and the jars are
local.
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql.functions import col, count, from_json, struct, timestamp_millis, to_json, window
from pyspark.sql.types import DoubleType, IntegerType, LongType, StringType, StructType

bootstrap, source, target, checkpoint, batch = sys.argv[1:6]

spark = SparkSession.builder.appName("Drain").getOrCreate()
spark.sparkContext.setLogLevel("WARN")

schema = (
    StructType()
    .add("id", LongType())
    .add("k", StringType())
    .add("at", LongType())
    .add("x", IntegerType())
    .add("y", DoubleType())
    .add("note", StringType())
)

events = (
    spark.readStream.format("kafka")
    .option("kafka.bootstrap.servers", bootstrap)
    .option("subscribe", source)
    .option("startingOffsets", "earliest")
    .option("maxOffsetsPerTrigger", batch)
    .load()
    .select(from_json(col("value").cast("string"), schema).alias("event"))
    .select("event.*", timestamp_millis(col("event.at")).alias("time"))
)

counts = (
    events.withWatermark("time", "10 seconds")
    .groupBy(window("time", "10 seconds"), "k")
    .agg(count("*").alias("n"))
    .select(
        col("k").alias("key"),
        to_json(struct(col("window.start").alias("window_start"), "k", "n")).alias("value"),
    )
)

query = (
    counts.writeStream.format("kafka")
    .option("kafka.bootstrap.servers", bootstrap)
    .option("topic", target)
    .option("checkpointLocation", checkpoint)
    .outputMode("update")
    .start()
)
query.awaitTermination()
