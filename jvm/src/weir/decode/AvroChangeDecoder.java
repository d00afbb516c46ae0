package weir.decode;

import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.unsafe.types.UTF8String;

/** Change events of Debezium in Avro envelopes: {@code jobs/formats/debezium_records.py} and {@code debezium_avro.py}. */
public final class AvroChangeDecoder extends Decoder {
  private final WriterTopic topic;
  private transient AvroDatum datum;
  private transient AvroPath op;
  private transient AvroPath after;
  private transient AvroPath[] moments;
  private transient AvroPath[] paths;
  private transient DataType[] types;
  private transient PlainType[] texts;
  private transient TimeUnit unit;
  private transient UTF8String deletion;

  public AvroChangeDecoder(String text) {
    this(text, null);
  }

  /** With the schemas of writers that the specification does not know. */
  public AvroChangeDecoder(String text, WriterTopic topic) {
    super(text);
    this.topic = topic;
  }

  @Override
  protected void open(Spec spec) {
    datum = new AvroDatum(spec, topic);
    unit = TimeUnit.valueOf(spec.text("unit").toUpperCase(Locale.ROOT));
    deletion = UTF8String.fromString(spec.text("deletion"));
    op = new AvroPath(datum.type, List.of("op"));
    after = new AvroPath(datum.type, List.of("after"));
    moments = new AvroPath[] {new AvroPath(datum.type, List.of("source", "ts_ms")), new AvroPath(datum.type, List.of("ts_ms"))};
    paths = spec.paths.stream().map(path -> new AvroPath(after.type, path)).toArray(AvroPath[]::new);
    types = new DataType[paths.length];
    texts = new PlainType[paths.length];
    for (int slot = 0; slot < paths.length; slot++) {
      types[slot] = spec.fields.apply(slot).dataType();
      texts[slot] = PlainType.of(types[slot]);
    }
  }

  @Override
  protected UTF8String read(byte[] value, DecodedRow row) {
    UTF8String reason = datum.read(value);
    return reason == null ? change(datum.value(), row) : reason;
  }

  private UTF8String change(Object event, DecodedRow row) {
    String done = op.of(event) instanceof UTF8String text ? text.toString() : "";
    switch (done) {
      case "m", "t":
        return Reason.SKIPPED;
      case "d":
        changed(event, row);
        return deletion;
      case "c", "u", "r":
        break;
      default:
        return Reason.NOT_CHANGE;
    }
    Object values = after.of(event);
    if (values == null) {
      return Reason.NOT_CHANGE;
    }
    for (int slot = 0; slot < paths.length; slot++) {
      if (paths[slot].type.equals(types[slot])) {
        paths[slot].read(values, row, slot);
      } else if (!set(row, slot, paths[slot].of(values))) {
        return Reason.FIELD_TYPE;
      }
    }
    changed(event, row);
    return null;
  }

  /** What times count, and what texts say, where the field is declared as something else. */
  private boolean set(DecodedRow row, int slot, Object value) {
    DataType column = paths[slot].type;
    if (value instanceof UTF8String text && !(types[slot] instanceof StringType)) {
      byte[] bytes = text.getBytes();
      return texts[slot].read(bytes, 0, bytes.length, row, slot);
    }
    if (value != null && (column.equals(DataTypes.IntegerType) || column.equals(DataTypes.LongType))) {
      long count = ((Number) value).longValue();
      if (types[slot].equals(DataTypes.TimestampType)) {
        return counted(row, slot, unit.instant(count));
      }
      if (types[slot].equals(DataTypes.DateType)) {
        return counted(row, slot, TimeUnit.day(count));
      }
    }
    row.set(slot, value);
    return true;
  }

  private static boolean counted(DecodedRow row, int slot, long value) {
    row.setNumber(slot, value);
    return value != Times.NONE;
  }

  private void changed(Object event, DecodedRow row) {
    for (AvroPath moment : moments) {
      if (moment.of(event) instanceof Number count) {
        boolean isMicros = moment.type.equals(DataTypes.TimestampType);
        boolean isWhole = isMicros || moment.type.equals(DataTypes.LongType) || moment.type.equals(DataTypes.IntegerType);
        if (isWhole) {
          setChanged(row, isMicros ? Math.floorDiv(count.longValue(), 1_000L) : count.longValue());
          return;
        }
      }
    }
  }
}
