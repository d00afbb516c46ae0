package weir.records;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Kafka's times of records, as Spark can hold them: in microseconds. Kafka's may be any number, and Spark's own reader fails at what it cannot hold, with
 * each attempt. {@link RowsOfRecords} puts it where Spark reads a record's own.
 */
public final class RecordTimes {
  private static final long END_MS = 253_402_300_800_000L; // the year 10000 begins
  // No rule makes a time between 0 and END_MS of what is beyond it, nor of itself: the other parts of a corrected time are within END_MS, or 4 times that
  // where they are out of range (jobs/formats/event_time_sql.py). Three of them fit a long.
  private static final long MOST_MS = 4 * END_MS;
  private static final long LEAST_MS = -2 * END_MS; // brokers take none below -1

  private RecordTimes() {}

  /** Milliseconds; the nearest that can be held. */
  public static long timestamp(ConsumerRecord<?, ?> record) {
    return Math.max(LEAST_MS, Math.min(record.timestamp(), MOST_MS));
  }
}
