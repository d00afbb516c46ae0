package weir.decode;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/** Defaults of fields: JSON in the schema, as {@code jobs/formats/avro_defaults.py} holds it against a type. */
final class AvroDefaults {
  private static final Set<String> SPECIAL = Set.of("NaN", "Infinity", "-Infinity");
  private static final int MAX_NESTING = 64;

  // Each part is held against each type once: where unions of records stand in unions of records, every branch would be tried again in every branch around it.
  private final Map<JsonNode, Map<AvroSchema, Boolean>> known = new IdentityHashMap<>();

  private AvroDefaults() {}

  static boolean fits(JsonNode value, AvroSchema node) {
    return new AvroDefaults().fits(value, node, 0);
  }

  private boolean fits(JsonNode value, AvroSchema node, int depth) {
    if (depth > MAX_NESTING) {
      return false;
    }
    if (!value.isContainerNode()) {
      return fitsInside(value, node, depth); // of a union's branches at most
    }
    Map<AvroSchema, Boolean> found = known.computeIfAbsent(value, part -> new IdentityHashMap<>());
    Boolean before = found.get(node);
    if (before == null) {
      before = fitsInside(value, node, depth);
      found.put(node, before);
    }
    return before;
  }

  private boolean fitsInside(JsonNode value, AvroSchema node, int depth) {
    return switch (node.kind) {
      case "null" -> value.isNull();
      case "boolean" -> value.isBoolean();
      case "string" -> value.isTextual();
      case "bytes" -> isBytes(value);
      case "fixed" -> isBytes(value) && value.textValue().length() == node.size;
      case "enum" -> value.isTextual() && node.symbolPlaces.containsKey(value.textValue());
      case "int" -> value.isIntegralNumber() && value.canConvertToInt();
      case "long" -> value.isIntegralNumber() && value.canConvertToLong();
      case "float", "double" -> value.isNumber() || SPECIAL.contains(String.valueOf(value.textValue()));
      case "union" -> node.parts.stream().anyMatch(part -> fits(value, part, depth + 1));
      case "array" -> value.isArray() && allFit(value, node.parts.get(0), depth + 1);
      case "map" -> value.isObject() && allFit(value, node.parts.get(0), depth + 1);
      default -> value.isObject() && node.fields.stream().allMatch(field -> hasMember(value, field, depth + 1));
    };
  }

  private boolean allFit(JsonNode values, AvroSchema node, int depth) {
    for (JsonNode value : values) {
      if (!fits(value, node, depth)) {
        return false;
      }
    }
    return true;
  }

  private boolean hasMember(JsonNode value, AvroSchema.Field field, int depth) {
    return value.has(field.name()) ? fits(value.get(field.name()), field.type(), depth) : field.standard() != null;
  }

  private static boolean isBytes(JsonNode value) {
    return value.isTextual() && value.textValue().chars().allMatch(sign -> sign < 256);
  }

  /**
   * A default as the bytes in which a writer of the field's own schema would have written it; null where it has more members than a record may have: objects
   * without a member have those of their type, so that thousands of them, of two signs each, would be as many megabytes.
   */
  static byte[] written(JsonNode value, AvroSchema node) {
    AvroWriter out = new AvroWriter();
    write(value, node, out);
    return out.holdsTooMany() ? null : out.bytes();
  }

  private static void write(JsonNode value, AvroSchema node, AvroWriter out) {
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
        while (!fits(value, node.parts.get(branch))) {
          branch++;
        }
        out.whole(branch);
        write(value, node.parts.get(branch), out);
      }
      case "array" -> {
        out.count(value.size());
        value.forEach(part -> write(part, node.parts.get(0), out));
        out.end();
      }
      case "map" -> {
        out.count(value.size());
        value
            .fields()
            .forEachRemaining(
                entry -> {
                  out.sized(entry.getKey().getBytes(StandardCharsets.UTF_8));
                  write(entry.getValue(), node.parts.get(0), out);
                });
        out.end();
      }
      default -> {
        if (out.takes(node.fields.size())) {
          node.fields.forEach(field -> write(value.has(field.name()) ? value.get(field.name()) : field.standard(), field.type(), out));
        }
      }
    }
  }

  private static double real(JsonNode value) {
    return value.isNumber() ? value.doubleValue() : Double.parseDouble(value.textValue());
  }
}
