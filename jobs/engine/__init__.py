"""The Spark application that runs jobs; the only folder that imports pyspark."""
