package weir.decode;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/** Defaults of fields: JSON in the schema, as {@code jobs/formats/avro_defaults.py} holds it against a type and measures it. */
final class AvroDefaults {
  private static final Set<String> SPECIAL = Set.of("NaN", "Infinity", "-Infinity");
  private static final int MAX_NESTING = 64;
  static final int MAX_CHECKS = 500_000;
  static final long MAX_DEFAULT_VALUES = 1_000_000; // of a schema's defaults together
  static final int TEXT_SIGNS = 8; // of a text that stands in a schema, which are as much as a value
  private static final long NONE = -1;

  // Each object or list is held against each type once: where unions of records stand in unions of records, every branch would be tried again in every
  // branch around it.
  private final Map<JsonNode, Map<AvroSchema, Long>> known = new IdentityHashMap<>();
  private final int most;
  private int checks;

  /** @param most checks, of all defaults together. */
  AvroDefaults(int most) {
    this.most = most;
  }

  /** How many values a default of this type becomes. */
  long size(JsonNode value, AvroSchema node) throws AvroSchema.Mismatch {
    long size = size(value, node, 0);
    if (size == NONE) {
      throw new AvroSchema.Mismatch("A default doesn't fit its type.");
    }
    return size;
  }

  private long size(JsonNode value, AvroSchema node, int depth) throws AvroSchema.Mismatch {
    if (++checks > most) {
      throw new AvroSchema.Mismatch("Checking the schema's defaults takes too many steps.");
    }
    if (depth > MAX_NESTING) {
      return NONE;
    }
    if (!value.isContainerNode()) {
      return sizeInside(value, node, depth + 1);
    }
    Map<AvroSchema, Long> found = known.computeIfAbsent(value, part -> new IdentityHashMap<>(2));
    Long before = found.get(node);
    if (before == null) {
      before = sizeInside(value, node, depth + 1);
      found.put(node, before);
    }
    return before;
  }

  private long sizeInside(JsonNode value, AvroSchema node, int depth) throws AvroSchema.Mismatch {
    return switch (node.kind) {
      case "union" -> ofUnion(value, node, depth);
      case "array" -> value.isArray() ? ofAll(value, node.parts.get(0), depth) : NONE;
      case "map" -> value.isObject() ? ofMap(value, node.parts.get(0), depth) : NONE;
      case "record" -> value.isObject() ? ofRecord(value, node, depth) : NONE;
      default -> isLeaf(value, node) ? textSize(value.textValue()) : NONE;
    };
  }

  private static boolean isLeaf(JsonNode value, AvroSchema node) {
    return switch (node.kind) {
      case "null" -> value.isNull();
      case "boolean" -> value.isBoolean();
      case "string" -> value.isTextual();
      case "bytes" -> isBytes(value);
      case "fixed" -> value.isTextual() && value.textValue().length() == node.size && isBytes(value);
      case "enum" -> value.isTextual() && node.symbolPlaces.containsKey(value.textValue());
      case "int" -> value.isIntegralNumber() && value.canConvertToInt();
      case "long" -> value.isIntegralNumber() && value.canConvertToLong();
      default -> value.isNumber() || SPECIAL.contains(String.valueOf(value.textValue()));
    };
  }

  private long ofUnion(JsonNode value, AvroSchema node, int depth) throws AvroSchema.Mismatch {
    for (AvroSchema branch : node.parts) {
      long size = size(value, branch, depth);
      if (size != NONE) {
        return size + node.parts.size();
      }
    }
    return NONE;
  }

  private long ofAll(JsonNode values, AvroSchema node, int depth) throws AvroSchema.Mismatch {
    long total = 0;
    for (JsonNode value : values) {
      long size = size(value, node, depth);
      if (size == NONE) {
        return NONE;
      }
      total += 1 + size;
    }
    return total;
  }

  private long ofMap(JsonNode value, AvroSchema node, int depth) throws AvroSchema.Mismatch {
    long total = ofAll(value, node, depth);
    if (total == NONE) {
      return NONE;
    }
    for (Map.Entry<String, JsonNode> entry : value.properties()) {
      total += textSize(entry.getKey());
    }
    return total;
  }

  /** Only what is written in the value is looked at: it may be two signs, for thousands of fields. */
  private long ofRecord(JsonNode value, AvroSchema node, int depth) throws AvroSchema.Mismatch {
    for (String name : node.required) {
      if (!value.has(name)) {
        return NONE;
      }
    }
    long total = node.fields.size() + node.defaultSizes;
    for (Map.Entry<String, JsonNode> member : value.properties()) {
      AvroSchema.Field field = node.named.get(member.getKey());
      if (field == null) {
        continue;
      }
      long size = size(member.getValue(), field.type(), depth);
      if (size == NONE) {
        return NONE;
      }
      total += size - field.defaultSize();
    }
    return total;
  }

  private static long textSize(String text) {
    return text == null ? 0 : text.codePointCount(0, text.length()) / TEXT_SIGNS;
  }

  private static boolean isBytes(JsonNode value) {
    return value.isTextual() && value.textValue().chars().allMatch(sign -> sign < 256);
  }

  /** A default as the bytes in which a writer of the field's own schema would have written it. */
  static byte[] written(JsonNode value, AvroSchema node) throws AvroSchema.Mismatch {
    AvroWriter out = new AvroWriter();
    new AvroDefaults(Integer.MAX_VALUE).write(value, node, out);
    return out.bytes();
  }

  private void write(JsonNode value, AvroSchema node, AvroWriter out) throws AvroSchema.Mismatch {
    switch (node.kind) {
      case "null" -> {}
      case "boolean" -> out.one(value.booleanValue() ? 1 : 0);
      case "int", "long" -> out.whole(value.longValue());
      case "float" -> out.fixed(Float.floatToRawIntBits((float) real(value)), Float.BYTES);
      case "double" -> out.fixed(Double.doubleToRawLongBits(real(value)), Double.BYTES);
      case "string" -> out.sized(value.textValue().getBytes(StandardCharsets.UTF_8));
      case "bytes" -> out.sized(value.textValue().getBytes(StandardCharsets.ISO_8859_1));
      case "fixed" -> out.raw(value.textValue().getBytes(StandardCharsets.ISO_8859_1));
      case "enum" -> out.whole(node.symbolPlaces.get(value.textValue()));
      case "union" -> {
        int branch = 0;
        while (size(value, node.parts.get(branch), 0) == NONE) {
          branch++;
        }
        out.whole(branch);
        write(value, node.parts.get(branch), out);
      }
      case "array" -> {
        out.count(value.size());
        for (JsonNode part : value) {
          write(part, node.parts.get(0), out);
        }
        out.end();
      }
      case "map" -> {
        out.count(value.size());
        for (Map.Entry<String, JsonNode> entry : value.properties()) {
          out.sized(entry.getKey().getBytes(StandardCharsets.UTF_8));
          write(entry.getValue(), node.parts.get(0), out);
        }
        out.end();
      }
      default -> {
        for (AvroSchema.Field field : node.fields) {
          write(value.has(field.name()) ? value.get(field.name()) : field.standard(), field.type(), out);
        }
      }
    }
  }

  private static double real(JsonNode value) {
    return value.isNumber() ? value.doubleValue() : Double.parseDouble(value.textValue());
  }
}
