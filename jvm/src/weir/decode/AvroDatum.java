package weir.decode;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Set;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/** Whole values of Avro, each by the schema that wrote it, as the reader's: {@code jobs/formats/avro_records.py}. */
final class AvroDatum {
  private static final int CHECK_ABOVE_BYTES = 100_000; // what is smaller holds no more items than this
  private static final long REMEMBERED = 2_000_000; // characters of both schemas, and what the reader's defaults become; what is made of them is some times that

  /** A writer's schema and the way to the reader's; both null where they do not fit. `size`: as `REMEMBERED` counts it. */
  private record Pair(AvroSchema writer, AvroRead read, long size) {}

  // Ways have no state of their own, so that tasks share them: a task begins with every batch.
  private static final SizedCache<String, Pair> PAIRS = new SizedCache<>(REMEMBERED);

  private final boolean isFramed;
  private final String reader; // null where there is none yet
  private final JsonNode known;
  private final WriterTopic topic;
  private final SizedCache<Integer, Pair> pairs = new SizedCache<>(REMEMBERED);
  private int lastId; // records of one writer mostly follow each other
  private Pair last;
  private final AvroBytes in = new AvroBytes();
  private final DecodedRow root = new DecodedRow(1);

  /** The type of the values; void where the reader's schema is none. */
  final DataType type;

  AvroDatum(Spec spec, WriterTopic topic) {
    isFramed = spec.is("framed");
    reader = spec.text("reader");
    known = spec.options.get("writers");
    this.topic = topic;
    type = typeOf(reader);
    if (topic != null) {
      topic.begin();
    }
  }

  private static DataType typeOf(String text) {
    try {
      AvroSchema schema = text == null ? null : AvroSchema.parse(text);
      if (schema == null) {
        return DataTypes.NullType;
      }
      AvroTypes.require(schema);
      return AvroTypes.of(schema);
    } catch (AvroSchema.Mismatch error) {
      return DataTypes.NullType;
    }
  }

  /** Reads a value; gives why it is none, or null: then it is {@link #value}. */
  UTF8String read(byte[] bytes) {
    Pair pair;
    int from = 0;
    if (isFramed) {
      from = Decoder.behindFrame(bytes);
      if (from < 0) {
        return Reason.NOT_FRAMED;
      }
      pair = pairOf((bytes[1] & 0xff) << 24 | (bytes[2] & 0xff) << 16 | (bytes[3] & 0xff) << 8 | bytes[4] & 0xff);
    } else {
      pair = reader == null ? null : ownPair();
    }
    if (pair == null) {
      return Reason.SCHEMA_UNKNOWN;
    }
    return pair.read == null ? Reason.SCHEMA_MISMATCH : read(pair, bytes, from);
  }

  private UTF8String read(Pair pair, byte[] bytes, int from) {
    if (bytes.length - from > CHECK_ABOVE_BYTES && new AvroItems(bytes, from).areTooMany(pair.writer)) {
      return Reason.TOO_LARGE;
    }
    try {
      read(pair, bytes, from, Set.of());
      if (in.left() > 0) {
        return Reason.NOT_AVRO;
      }
      Set<Integer> replaced = in.holdsTooMany() ? AvroBytes.replaced(pair.writer, bytes, from) : Set.of();
      if (!replaced.isEmpty()) {
        read(pair, bytes, from, replaced);
      }
    } catch (NotAvro error) {
      return Reason.NOT_AVRO;
    }
    if (in.holdsTooMany()) {
      return Reason.TOO_LARGE;
    }
    if (in.hasFault() && !in.isMismatch()) {
      return Reason.NOT_AVRO;
    }
    return in.hasFault() ? Reason.SCHEMA_MISMATCH : null;
  }

  private void read(Pair pair, byte[] bytes, int from, Set<Integer> replaced) {
    in.reset(bytes, from, replaced);
    root.setObject(0, null);
    pair.read.read(in, root, 0);
  }

  /** The value read last, in Spark's own form; null for null. */
  Object value() {
    return root.get(0, type);
  }

  private Pair ownPair() {
    if (last == null) {
      last = pair(reader, reader);
    }
    return last;
  }

  private Pair pairOf(int id) {
    if (last != null && id == lastId) {
      return last;
    }
    last = knownPair(id);
    lastId = id;
    return last;
  }

  private Pair knownPair(int id) {
    Pair found = pairs.get(id);
    if (found != null) {
      return found;
    }
    JsonNode text = known.get(Integer.toUnsignedString(id));
    String writer = text != null ? text.textValue() : topic != null ? topic.textOf(Integer.toUnsignedLong(id)) : null;
    if (writer == null || reader == null) {
      return null;
    }
    found = pair(writer, reader);
    pairs.put(id, found, found.size);
    return found;
  }

  private static Pair pair(String writer, String reader) {
    String both = writer.length() + " " + writer + reader;
    synchronized (PAIRS) {
      Pair known = PAIRS.get(both);
      if (known != null) {
        return known;
      }
    }
    // Two tasks may do it at once: a schema that takes long would stop those of all jobs, if they waited.
    Pair found = resolved(writer, reader);
    synchronized (PAIRS) {
      PAIRS.put(both, found, found.size);
    }
    return found;
  }

  private static Pair resolved(String writer, String reader) {
    long size = (long) writer.length() + reader.length();
    try {
      AvroSchema wrote = AvroSchema.parse(writer);
      AvroSchema reads = AvroSchema.parse(reader);
      AvroTypes.require(wrote);
      AvroTypes.require(reads);
      return new Pair(wrote, AvroResolution.of(wrote, reads), size + reads.defaultValues);
    } catch (AvroSchema.Mismatch error) {
      return new Pair(null, null, size);
    }
  }
}
