"""A sample counts for the class nearest to the top of its stack that is not the runtime's own."""

from bench.costs import cost_of, parse_stacks

PRINTED = """jdk.ExecutionSample {
  startTime = 17:47:33.243
  sampledThread = "Executor task launch worker" (javaThreadId = 1)
  state = "STATE_RUNNABLE"
  stackTrace = [
    java.lang.Long.getChars(long, int, byte[]) line: 540
    org.apache.spark.unsafe.Platform.copyMemory(Object, long, Object, long, long) line: 7
    weir.json.RowJson$Writer.write(InternalRow) line: 31
    org.apache.spark.sql.execution.WholeStageCodegenExec$$anon$1.hasNext() line: 50
    ...
  ]
}

jdk.ExecutionSample {
  startTime = 17:47:33.386
  sampledThread = "main" (javaThreadId = 1)
  stackTrace = [
    java.lang.Thread.run() line: 840
  ]
}
"""


def test_stacks_are_read_from_their_top() -> None:
    first, second = parse_stacks(PRINTED)
    assert [frame.rpartition(".")[2] for frame in first] == ["getChars", "copyMemory", "write", "hasNext"]
    assert cost_of(first) == "weir.json.RowJson$Writer"
    assert cost_of(second) == "java.lang.Thread"
