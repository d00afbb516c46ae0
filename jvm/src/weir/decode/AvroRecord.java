package weir.decode;

/** Reads a record: the writer's fields in their order, each into the places of the reader's fields that are read from it; the others have defaults. */
final class AvroRecord implements AvroRead {
  private static final int[] NOBODY = {};

  private final AvroSchema[] written;
  private final int[][] places; // by the writer's field
  private final AvroRead[] reads; // by place
  private final byte[][] defaults; // by place; null where it is written

  AvroRecord(AvroSchema writer, int size) {
    written = writer.fields.stream().map(AvroSchema.Field::type).toArray(AvroSchema[]::new);
    places = new int[written.length][];
    java.util.Arrays.fill(places, NOBODY);
    reads = new AvroRead[size];
    defaults = new byte[size][];
  }

  /** The reader's field is read from this one of the writer's. */
  void add(int place, int from, AvroRead read) {
    places[from] = java.util.Arrays.copyOf(places[from], places[from].length + 1);
    places[from][places[from].length - 1] = place;
    reads[place] = read;
  }

  /** The reader's field is not written; `bytes` are its default, which `read` reads. */
  void add(int place, byte[] bytes, AvroRead read) {
    defaults[place] = bytes;
    reads[place] = read;
  }

  @Override
  public void read(AvroBytes in, DecodedRow row, int at) {
    DecodedRow struct = new DecodedRow(reads.length);
    readInto(in, struct);
    row.setObject(at, struct);
  }

  void readInto(AvroBytes in, DecodedRow struct) {
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
        AvroBytes standard = new AvroBytes();
        standard.reset(defaults[place], 0);
        reads[place].read(standard, struct, place);
      }
    }
  }
}
