package weir.decode;

import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.unsafe.types.UTF8String;

/** Reads a record: the writer's fields in their order, each into the places of the reader's fields that are read from it; the others have defaults. */
final class AvroRecord implements AvroRead {
  private static final int[] NOBODY = {};

  /** A default in Spark's own form, and what it adds to each record: its parts, and its texts. */
  record Default(Object value, int weight, boolean isUnreadable) {
    /** `bytes` are its value, which `read` reads. */
    static Default of(byte[] bytes, AvroRead read, DataType type) {
      AvroBytes in = new AvroBytes();
      DecodedRow one = new DecodedRow(1);
      in.reset(bytes, 0);
      read.read(in, one, 0);
      Object value = one.get(0, type);
      return new Default(value, in.hasFault() ? 0 : AvroRecord.weight(value), in.hasFault());
    }
  }

  private final AvroSchema[] written;
  private final int[][] places; // by the writer's field
  private final AvroRead[] reads; // by place; null where it is not written
  private final Object[] defaults; // by place, in Spark's own form: shared by all records
  private final int order; // of its first leaf
  private boolean isUnreadable; // a default is beyond its type, so that no record has a value for it
  private int members; // of the struct, and of what its defaults add to each record

  AvroRecord(AvroSchema writer, int size, int order) {
    this.order = order;
    written = writer.fields.stream().map(AvroSchema.Field::type).toArray(AvroSchema[]::new);
    places = new int[written.length][];
    java.util.Arrays.fill(places, NOBODY);
    reads = new AvroRead[size];
    defaults = new Object[size];
    members = size;
  }

  /** The reader's field is read from this one of the writer's. */
  void add(int place, int from, AvroRead read) {
    places[from] = java.util.Arrays.copyOf(places[from], places[from].length + 1);
    places[from][places[from].length - 1] = place;
    reads[place] = read;
  }

  /** The reader's field is not written. */
  void add(int place, Default standard) {
    isUnreadable |= standard.isUnreadable;
    defaults[place] = standard.value;
    members += standard.weight;
  }

  /** How many members a value out of a schema counts as. */
  static int weight(Object value) {
    if (value instanceof DecodedRow struct) {
      return struct.numFields() + sum(struct.objects());
    }
    if (value instanceof GenericArrayData array) {
      return array.numElements() + sum(array.array());
    }
    if (value instanceof MapData map) {
      return weight(map.keyArray()) + weight(map.valueArray()) - map.numElements();
    }
    if (value instanceof UTF8String text) {
      return text.numChars() / AvroDefaults.TEXT_SIGNS;
    }
    return value instanceof byte[] bytes ? bytes.length / AvroDefaults.TEXT_SIGNS : 0;
  }

  private static int sum(Object[] values) {
    int found = 0;
    for (Object value : values) {
      found += weight(value);
    }
    return found;
  }

  @Override
  public void read(AvroBytes in, DecodedRow row, int at) {
    if (isUnreadable) {
      in.fault(order, false);
    }
    if (!in.takes(members)) {
      for (AvroSchema field : written) {
        in.skip(field);
      }
      row.setObject(at, null);
      return;
    }
    DecodedRow struct = new DecodedRow(reads.length);
    for (int field = 0; field < written.length; field++) {
      int from = in.at;
      for (int place : places[field]) {
        in.at = from;
        reads[place].read(in, struct, place);
      }
      if (places[field].length == 0) {
        in.skip(written[field]);
      }
    }
    for (int place = 0; place < defaults.length; place++) {
      if (defaults[place] != null) {
        struct.set(place, defaults[place]);
      }
    }
    row.setObject(at, struct);
  }
}
