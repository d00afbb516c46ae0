package weir.records;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.kafka010.KafkaRecordToRowConverter;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Function1;
import scala.runtime.AbstractFunction1;

/**
 * Makes rows of Kafka's records: {@code key, value, topic, partition, offset, timestamp, timestampType} and {@code headers}, where they are asked
 * for.
 *
 * <p>Spark's own function makes a list, an array, a row of objects, a text of the topic's name and a {@code java.sql.Timestamp} of each record before it
 * writes a row: a fifth of what a drained record cost. This writes the row. A record that has headers, or a time that is none, is left to Spark's.
 * {@link RowsOfRecords} puts it where Spark asks for its own. The times of both are those of {@link RecordTimes}.
 */
public final class RecordRows extends AbstractFunction1<ConsumerRecord<byte[], byte[]>, UnsafeRow> {
  private static final int HEADERS = 7;

  private final Function1<ConsumerRecord<byte[], byte[]>, UnsafeRow> spark;
  private final boolean hasHeaders;
  private final UnsafeRowWriter row;
  private String topic;
  private UTF8String topicText;

  private RecordRows(Function1<ConsumerRecord<byte[], byte[]>, UnsafeRow> spark, boolean hasHeaders) {
    this.spark = spark;
    this.hasHeaders = hasHeaders;
    this.row = new UnsafeRowWriter(hasHeaders ? HEADERS + 1 : HEADERS, 256);
  }

  /** What Spark's readers call in place of the converter's method of this name. */
  public static Function1<ConsumerRecord<byte[], byte[]>, UnsafeRow> toUnsafeRowProjector(KafkaRecordToRowConverter converter, boolean hasHeaders) {
    return new RecordRows(converter.toUnsafeRowProjector(hasHeaders), hasHeaders);
  }

  /** The row, in memory that the next one takes. */
  @Override
  public UnsafeRow apply(ConsumerRecord<byte[], byte[]> record) {
    long timestamp = RecordTimes.timestamp(record);
    if (timestamp < 0 || hasHeaders && record.headers().iterator().hasNext()) {
      return spark.apply(record);
    }
    row.reset();
    row.zeroOutNullBytes();
    bytes(0, record.key());
    bytes(1, record.value());
    row.write(2, text(record.topic()));
    row.write(3, record.partition());
    row.write(4, record.offset());
    row.write(5, timestamp * 1_000L);
    row.write(6, record.timestampType().id);
    if (hasHeaders) {
      row.setNullAt(HEADERS);
    }
    return row.getRow();
  }

  private void bytes(int at, byte[] value) {
    if (value == null) {
      row.setNullAt(at);
    } else {
      row.write(at, value);
    }
  }

  private UTF8String text(String name) {
    if (!name.equals(topic)) {
      topic = name;
      topicText = UTF8String.fromString(name);
    }
    return topicText;
  }
}
