package weir.decode;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.spark.sql.types.DataType;

/**
 * An Avro schema as a tree, within the limits of {@code jobs/formats/avro_schema.py}. A reference to a named type is the node of its definition.
 */
final class AvroSchema {
  private static final int MAX_CHARS = 262_144;
  private static final int MAX_NESTING = 64;
  // Python's own limit of digits, and that of jobs/formats/avro_schema.py on levels; Jackson's are others.
  private static final StreamReadConstraints LIMITS =
      StreamReadConstraints.builder().maxNumberLength(4_300).maxNameLength(MAX_CHARS).maxNestingDepth(2 * MAX_NESTING).build();
  private static final ObjectMapper READER =
      new ObjectMapper(JsonFactory.builder().streamReadConstraints(LIMITS).build()).enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  private static final Set<String> PRIMITIVES = Set.of("null", "boolean", "int", "long", "float", "double", "bytes", "string");
  private static final Set<String> NAMED = Set.of("record", "error", "enum", "fixed");
  private static final Map<String, Set<String>> LOGICAL =
      Map.ofEntries(
          Map.entry("date", Set.of("int")),
          Map.entry("timestamp-millis", Set.of("long")),
          Map.entry("timestamp-micros", Set.of("long")),
          Map.entry("timestamp-nanos", Set.of("long")),
          Map.entry("local-timestamp-millis", Set.of("long")),
          Map.entry("local-timestamp-micros", Set.of("long")),
          Map.entry("local-timestamp-nanos", Set.of("long")),
          Map.entry("time-millis", Set.of("int")),
          Map.entry("time-micros", Set.of("long")),
          Map.entry("uuid", Set.of("string", "fixed")),
          Map.entry("decimal", Set.of("bytes", "fixed")),
          Map.entry("duration", Set.of("fixed")));
  private static final BigInteger MUCH = BigInteger.valueOf(Integer.MAX_VALUE);
  private static final int MAX_NODES = 4_000;
  private static final int MAX_NAME = 255;
  private static final int MAX_FIXED = 1_000_000;
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*+");
  private static final Pattern FULL_NAME = Pattern.compile(NAME + "(?:[.]" + NAME + ")*+");
  private static final String OWN_SPACE = "_weir."; // jobs/formats/avro_tree.py
  static final int MAX_FIELDS = 2_000;

  /** A text is no schema, or one that has no counterpart in a reader's. */
  static final class Mismatch extends Exception {
    Mismatch(String detail) {
      super(detail, null, false, false);
    }
  }

  /** A field of a record; its default is null where it has none. */
  record Field(String name, AvroSchema type, JsonNode standard, long defaultSize, List<String> aliases) {}

  final String kind;
  String name = "";
  String logical = "";
  String standard; // of an enum
  List<String> aliases = List.of();
  List<String> symbols = List.of();
  Map<String, Integer> symbolPlaces = Map.of(); // there may be tens of thousands
  List<Field> fields = List.of();
  final Map<String, Field> named = new HashMap<>(); // the fields
  final Set<String> required = new HashSet<>(); // fields without a default
  long defaultSizes; // of all fields
  long defaultValues; // of a whole schema: what all its defaults become
  DataType type; // once AvroTypes made it
  List<AvroSchema> parts = List.of();
  int precision;
  int scale;
  int size;

  private AvroSchema(String kind) {
    this.kind = kind;
  }

  boolean is(String wanted) {
    return kind.equals(wanted);
  }

  /** The name without its namespace: what resolution compares. */
  String shortName() {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  static AvroSchema parse(String text) throws Mismatch {
    require(text.codePointCount(0, text.length()) <= MAX_CHARS, "too long");
    try {
      Reading reading = new Reading();
      AvroSchema root = reading.read(READER.readTree(text), "", 0);
      root.defaultValues = reading.defaultValues;
      return root;
    } catch (JsonProcessingException error) {
      throw new Mismatch("no JSON");
    }
  }

  private static final class Reading {
    final Map<String, AvroSchema> names = new HashMap<>();
    final AvroDefaults sizes = new AvroDefaults(AvroDefaults.MAX_CHECKS);
    int nodes;
    int fields;
    long defaultValues;

    AvroSchema read(JsonNode given, String space, int depth) throws Mismatch {
      require(++nodes <= MAX_NODES && depth <= MAX_NESTING, "too large");
      if (given.isTextual()) {
        return named(given.textValue(), space);
      }
      if (given.isArray()) {
        return union(given, space, depth);
      }
      require(given.isObject() && given.has("type"), "no schema");
      JsonNode type = given.get("type");
      String kind = type.textValue();
      if (kind == null || !(PRIMITIVES.contains(kind) || NAMED.contains(kind) || kind.equals("array") || kind.equals("map"))) {
        return read(type, space, depth + 1);
      }
      return full(kind, given, space, depth);
    }

    private AvroSchema named(String name, String space) throws Mismatch {
      if (PRIMITIVES.contains(name)) {
        return new AvroSchema(name);
      }
      AvroSchema found = names.getOrDefault(inSpace(name, space), names.get(name));
      require(found != null, "an unknown type");
      return found;
    }

    private AvroSchema union(JsonNode given, String space, int depth) throws Mismatch {
      AvroSchema union = new AvroSchema("union");
      union.parts = new ArrayList<>();
      Set<String> seen = new HashSet<>();
      for (JsonNode part : given) {
        AvroSchema branch = read(part, space, depth + 1);
        require(!branch.is("union") && seen.add(branch.name.isEmpty() ? branch.kind : branch.name), "no union");
        union.parts.add(branch);
      }
      return union;
    }

    private AvroSchema full(String kind, JsonNode given, String space, int depth) throws Mismatch {
      if (kind.equals("array") || kind.equals("map")) {
        JsonNode part = given.get(kind.equals("array") ? "items" : "values");
        require(part != null, "no items");
        AvroSchema container = new AvroSchema(kind);
        container.parts = List.of(read(part, space, depth + 1));
        return container;
      }
      AvroSchema node = new AvroSchema(kind.equals("error") ? "record" : kind);
      if (NAMED.contains(kind)) {
        name(node, given, space);
        define(node, given, depth);
      }
      logical(node, given);
      return node;
    }

    private void name(AvroSchema node, JsonNode given, String space) throws Mismatch {
      JsonNode name = given.get("name");
      require(name != null && name.isTextual() && isName(name.textValue(), FULL_NAME), "no name");
      JsonNode own = given.get("namespace");
      node.name = inSpace(name.textValue(), own == null ? space : own.isTextual() ? own.textValue() : "");
      require(node.name.length() <= MAX_NAME && !node.name.startsWith(OWN_SPACE), "a name that may not be");
      require(!PRIMITIVES.contains(node.name) && names.put(node.name, node) == null, "a name twice");
      List<String> aliases = new ArrayList<>();
      for (String alias : texts(given.get("aliases"))) {
        aliases.add(inSpace(alias, spaceOf(node)));
      }
      node.aliases = aliases;
    }

    private void define(AvroSchema node, JsonNode given, int depth) throws Mismatch {
      if (node.is("record")) {
        fields(node, given.get("fields"), depth);
      } else if (node.is("enum")) {
        require(given.has("symbols"), "no symbols");
        node.symbols = texts(given.get("symbols"));
        node.symbolPlaces = new HashMap<>();
        for (int place = 0; place < node.symbols.size(); place++) {
          String symbol = node.symbols.get(place);
          require(NAME.matcher(symbol).matches() && node.symbolPlaces.put(symbol, place) == null, "symbols twice, or no names");
        }
        JsonNode standard = given.get("default");
        require(standard == null || standard.isTextual() || standard.isNull(), "no symbol");
        node.standard = standard == null ? null : standard.textValue();
        require(node.standard == null || node.symbolPlaces.containsKey(node.standard), "no symbol");
      } else {
        JsonNode size = given.get("size");
        require(size != null && size.isInt() && size.intValue() >= 0 && size.intValue() <= MAX_FIXED, "no size");
        node.size = size.intValue();
      }
    }

    private void fields(AvroSchema node, JsonNode given, int depth) throws Mismatch {
      require(given != null && given.isArray(), "no fields");
      node.fields = new ArrayList<>();
      Set<String> seen = new HashSet<>();
      for (JsonNode part : given) {
        require(++fields <= MAX_FIELDS && part.has("name") && part.has("type"), "no field");
        String name = part.get("name").textValue();
        require(name != null && isName(name, NAME) && seen.add(name), "a field twice, or no name");
        AvroSchema type = read(part.get("type"), spaceOf(node), depth + 1);
        JsonNode standard = part.get("default");
        List<String> aliases = texts(part.get("aliases"));
        long size = standard == null ? 0 : sizes.size(standard, type);
        defaultValues += size;
        require(defaultValues <= AvroDefaults.MAX_DEFAULT_VALUES, "too many values in defaults");
        add(node, new Field(name, type, standard, size, aliases));
      }
    }

    private static void add(AvroSchema node, Field field) {
      node.fields.add(field);
      node.named.put(field.name(), field);
      node.defaultSizes += field.defaultSize();
      if (field.standard() == null) {
        node.required.add(field.name());
      }
    }

    private static void logical(AvroSchema node, JsonNode given) {
      JsonNode logical = given.get("logicalType");
      if (logical == null || !LOGICAL.getOrDefault(String.valueOf(logical.textValue()), Set.of()).contains(node.kind)) {
        return;
      }
      String name = logical.textValue();
      if (node.is("fixed") && ((name.equals("uuid") && node.size != 16) || (name.equals("duration") && node.size != 12))) {
        return;
      }
      if (name.equals("decimal")) {
        JsonNode precision = given.get("precision");
        JsonNode scale = given.get("scale");
        if (precision == null || !precision.isIntegralNumber() || (scale != null && !scale.isIntegralNumber())) {
          return;
        }
        BigInteger most = precision.bigIntegerValue();
        BigInteger digits = scale == null ? BigInteger.ZERO : scale.bigIntegerValue();
        if (digits.signum() < 0 || digits.compareTo(most) > 0 || most.signum() < 1) {
          return;
        }
        node.precision = most.min(MUCH).intValue(); // refused, as those of the greatest int are
        node.scale = digits.min(MUCH).intValue();
      }
      node.logical = name;
    }

    private static String spaceOf(AvroSchema node) {
      return node.name.contains(".") ? node.name.substring(0, node.name.lastIndexOf('.')) : "";
    }

    private static String inSpace(String name, String space) {
      return name.contains(".") || space.isEmpty() ? name : space + "." + name;
    }

    private static List<String> texts(JsonNode given) throws Mismatch {
      List<String> found = new ArrayList<>();
      if (given != null) {
        require(given.isArray(), "no list");
        for (JsonNode part : given) {
          require(part.isTextual(), "no text");
          found.add(part.textValue());
        }
      }
      return found;
    }

    private static boolean isName(String text, Pattern pattern) {
      return text.length() <= MAX_NAME && pattern.matcher(text).matches(); // the length first: groups that repeat take stack
    }
  }

  private static void require(boolean holds, String otherwise) throws Mismatch {
    if (!holds) {
      throw new Mismatch("The schema is refused: " + otherwise + ".");
    }
  }
}
