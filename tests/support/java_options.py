"""Options of the JVMs that tests start."""

from typing import Final

# What tests ask of Spark is a plan of its own each time and runs once: the optimising compiler costs more
# than it saves (186 s of CPU, not 131). Without it a JVM takes 48 MB for compiled code, not 240; a session of
# many cases filled them, and Spark ended the JVM.
COMPILE_QUICKLY: Final = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"
# Over thousands of documents it pays: 3.6 s of CPU each, not 5.0, from the tenth on.
COMPILE_WELL: Final = "-XX:ReservedCodeCacheSize=1g"
# For engine processes, which inherit variables that begin with SPARK_.
QUICK_ENGINES: Final = {"SPARK_SUBMIT_OPTS": COMPILE_QUICKLY}
