package weir.decode;

/** How many items a large record's arrays and maps have, told from its bytes before anything is built: {@code jobs/formats/avro_byte_checks.py}. */
final class AvroItems {
  private static final long MAX_ITEMS = 200_000;

  private final AvroBytes in = new AvroBytes();
  private long items;

  AvroItems(byte[] bytes, int from) {
    in.reset(bytes, from);
  }

  /** False for bytes that are no record of the schema: the decoder says so. */
  boolean areTooMany(AvroSchema schema) {
    try {
      return walk(schema);
    } catch (NotAvro error) {
      return false;
    }
  }

  private boolean walk(AvroSchema node) {
    return switch (node.kind) {
      case "record" -> {
        for (AvroSchema.Field field : node.fields) {
          if (walk(field.type())) {
            yield true;
          }
        }
        yield false;
      }
      case "array", "map" -> blocks(node);
      case "union" -> {
        yield walk(node.parts.get(in.oneOf(node.parts.size())));
      }
      case "bytes", "string" -> passed(in.whole());
      case "enum" -> {
        if (in.whole() < 0) { // one that is too great is for the decoder to refuse
          throw NotAvro.HERE;
        }
        yield false;
      }
      default -> {
        in.skip(node);
        yield false;
      }
    };
  }

  private boolean blocks(AvroSchema node) {
    for (long count = in.block(); count > 0; count = in.block()) {
      items += count;
      if (items > MAX_ITEMS || items < 0) {
        return true;
      }
      for (long item = 0; item < count; item++) {
        if ((node.is("map") && passed(in.whole())) || walk(node.parts.get(0))) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean passed(long size) {
    in.pass(size);
    return false;
  }
}
