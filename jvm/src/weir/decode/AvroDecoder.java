package weir.decode;

import org.apache.spark.unsafe.types.UTF8String;

/** Avro records: {@code jobs/formats/avro_records.py}. */
public final class AvroDecoder extends Decoder {
  private final WriterTopic topic;
  private transient AvroDatum datum;
  private transient AvroPath[] paths;

  public AvroDecoder(String text) {
    this(text, null);
  }

  /** With the schemas of writers that the specification does not know. */
  public AvroDecoder(String text, WriterTopic topic) {
    super(text);
    this.topic = topic;
  }

  @Override
  protected void open(Spec spec) {
    datum = new AvroDatum(spec, topic);
    paths = spec.paths.stream().map(path -> new AvroPath(datum.type, path)).toArray(AvroPath[]::new);
  }

  @Override
  protected UTF8String read(byte[] value, DecodedRow row) {
    UTF8String reason = datum.read(value);
    if (reason == null) {
      Object record = datum.value();
      for (int slot = 0; slot < paths.length; slot++) {
        paths[slot].read(record, row, slot);
      }
    }
    return reason;
  }
}
