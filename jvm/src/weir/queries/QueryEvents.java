package weir.queries;

/** What the engine, in Python, hears of one streaming query. The calls must not block: they hold up those of all other queries. */
public interface QueryEvents {
  /**
   * A batch has ended.
   *
   * @param json Spark's progress of the batch
   */
  void batchEnded(String json);

  /** All available input is read and committed. */
  void idle();

  /** The query has ended; nothing more will be heard of it. */
  void ended();
}
