"""A windowed count on Kafka as tutorials write it, for spark-submit.

Arguments: bootstrap servers, input topic, output topic, checkpoint folder, trigger ("0 seconds" is the
fastest there is). What differs from a tutorial, in the peer's favour: the state has Weir's few partitions
instead of 200, and the jars are local.
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql.functions import col, count, from_json, max, min, struct, timestamp_micros, to_json, window
from pyspark.sql.types import LongType, StringType, StructType

bootstrap, source, target, checkpoint, trigger = sys.argv[1:6]

spark = SparkSession.builder.appName("WindowedCount").getOrCreate()
spark.sparkContext.setLogLevel("WARN")

schema = StructType().add("k", StringType()).add("g", LongType()).add("sent", LongType())

events = (
    spark.readStream.format("kafka")
    .option("kafka.bootstrap.servers", bootstrap)
    .option("subscribe", source)
    .option("startingOffsets", "latest")
    .load()
    .select(from_json(col("value").cast("string"), schema).alias("event"))
    .select("event.*", timestamp_micros(col("event.sent")).alias("time"))
)

counts = (
    events.withWatermark("time", "10 seconds")
    .groupBy(window("time", "10 seconds"), "k")
    .agg(count("*").alias("n"), min("g").alias("lo"), max("g").alias("hi"))
    .select(
        col("k").alias("key"),
        to_json(struct(col("window.start").alias("window_start"), "k", "n", "lo", "hi")).alias("value"),
    )
)

query = (
    counts.writeStream.format("kafka")
    .option("kafka.bootstrap.servers", bootstrap)
    .option("topic", target)
    .option("checkpointLocation", checkpoint)
    .outputMode("update")
    .trigger(processingTime=trigger)
    .start()
)
query.awaitTermination()
