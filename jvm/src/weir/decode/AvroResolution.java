package weir.decode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How values of a writer's schema become those of a reader's: the rules of {@code jobs/formats/avro_resolution.py}, which are the specification's. */
final class AvroResolution {
  private static final Map<String, Set<String>> PROMOTED =
      Map.of(
          "int", Set.of("long", "float", "double"),
          "long", Set.of("float", "double"),
          "float", Set.of("double"),
          "string", Set.of("bytes"),
          "bytes", Set.of("string"));

  // As jobs/formats/avro_resolution.py: pairs of types that are held against each other, and symbols of tables.
  private static final int MAX_STEPS = 50_000;
  private static final int SYMBOLS_PER_STEP = 8;

  private final Map<AvroSchema.Field, AvroRecord.Default> defaults = new IdentityHashMap<>(); // made once however many writers lack the field
  private final Map<AvroSchema, Map<AvroSchema, AvroRead.Symbols>> symbols = new IdentityHashMap<>(); // by the writer's and the reader's enum
  private AvroResolution ofDefaults; // their own types are no pairs of the schemas, and take as many steps as they have parts
  private final int most;
  private int steps;
  private int order; // of leaves, by the reader's fields

  private AvroResolution(int most) {
    this.most = most;
  }

  /** The way from one schema to the other. */
  static AvroRead of(AvroSchema writer, AvroSchema reader) throws AvroSchema.Mismatch {
    AvroResolution way = new AvroResolution(MAX_STEPS);
    AvroRead read = way.resolve(writer, reader);
    way.requireSteps(); // unions pass over branches that do not fit
    return read;
  }

  private void requireSteps() throws AvroSchema.Mismatch {
    if (steps > most) {
      throw new AvroSchema.Mismatch("Resolving the schemas takes too many steps.");
    }
  }

  private AvroRead resolve(AvroSchema writer, AvroSchema reader) throws AvroSchema.Mismatch {
    steps++;
    requireSteps();
    if (writer.is("union")) {
      return fromUnion(writer, reader);
    }
    if (reader.is("union")) {
      return intoUnion(writer, reader);
    }
    if (!writer.kind.equals(reader.kind) && !PROMOTED.getOrDefault(writer.kind, Set.of()).contains(reader.kind)) {
      throw new AvroSchema.Mismatch(writer.kind + " can't be read as " + reader.kind + ".");
    }
    return switch (writer.kind) {
      case "record" -> record(writer, reader);
      case "enum" -> symbols(writer, reader);
      case "array" -> AvroRead.items(resolve(writer.parts.get(0), reader.parts.get(0)), AvroTypes.of(reader.parts.get(0)));
      case "map" -> AvroRead.entries(resolve(writer.parts.get(0), reader.parts.get(0)), writer.parts.get(0), AvroTypes.of(reader.parts.get(0)));
      default -> leaf(writer, reader);
    };
  }

  private AvroRead fromUnion(AvroSchema writer, AvroSchema reader) {
    int from = order;
    int to = order;
    AvroRead[] branches = new AvroRead[writer.parts.size()];
    for (int index = 0; index < branches.length; index++) {
      order = from;
      try {
        branches[index] = resolve(writer.parts.get(index), reader);
      } catch (AvroSchema.Mismatch missing) {
        branches[index] = AvroRead.mismatch(writer.parts.get(index), from);
      }
      to = Math.max(to, order);
    }
    order = to + 1;
    return AvroRead.branch(branches);
  }

  private AvroRead intoUnion(AvroSchema writer, AvroSchema reader) throws AvroSchema.Mismatch {
    List<AvroSchema> tried = new ArrayList<>();
    List<AvroSchema> like = new ArrayList<>();
    List<AvroSchema> others = new ArrayList<>();
    for (AvroSchema part : reader.parts) {
      boolean isKind = part.kind.equals(writer.kind);
      // Types of one short name may stand in a union in several namespaces, as versions of an event do.
      boolean isSame = isKind && part.name.equals(writer.name);
      boolean isLike = isKind && part.shortName().equals(writer.shortName());
      (isSame ? tried : isLike ? like : others).add(part);
    }
    tried.addAll(like);
    tried.addAll(others); // each once: unions in unions would double the tries with each level
    for (AvroSchema branch : tried) {
      try {
        return member(reader, branch, resolve(writer, branch));
      } catch (AvroSchema.Mismatch missing) {
        continue;
      }
    }
    throw new AvroSchema.Mismatch(writer.kind + " is not a branch.");
  }

  /** A union of several types is a struct with one member per branch, unless one type holds them all. */
  private static AvroRead member(AvroSchema union, AvroSchema branch, AvroRead read) {
    List<AvroSchema> branches = AvroTypes.branches(union);
    if (branch.is("null") || branches.size() == 1 || AvroTypes.merged(union) != null) {
      return read;
    }
    return AvroRead.member(read, branches.indexOf(branch), branches.size());
  }

  private AvroRead record(AvroSchema writer, AvroSchema reader) throws AvroSchema.Mismatch {
    requireNames(writer, reader);
    AvroRecord record = new AvroRecord(writer, reader.fields.size(), order++); // it may have a fault and no leaf
    Map<String, Integer> written = new HashMap<>();
    for (int index = 0; index < writer.fields.size(); index++) {
      written.put(writer.fields.get(index).name(), index);
    }
    for (int place = 0; place < reader.fields.size(); place++) {
      AvroSchema.Field field = reader.fields.get(place);
      int from = written(field, written);
      if (from >= 0) {
        record.add(place, from, resolve(writer.fields.get(from).type(), field.type()));
      } else if (field.standard() == null) {
        throw new AvroSchema.Mismatch("The writer schema lacks " + field.name() + ", and it has no default.");
      } else {
        record.add(place, standard(field));
      }
    }
    return record;
  }

  private AvroRecord.Default standard(AvroSchema.Field field) throws AvroSchema.Mismatch {
    AvroRecord.Default found = defaults.get(field);
    if (found == null) {
      ofDefaults = ofDefaults == null ? new AvroResolution(Integer.MAX_VALUE) : ofDefaults;
      AvroRead read = ofDefaults.resolve(field.type(), field.type());
      found = AvroRecord.Default.of(AvroDefaults.written(field.standard(), field.type()), read, AvroTypes.of(field.type()));
      defaults.put(field, found);
    }
    return found;
  }

  /** The writer's field for one of the reader's, by its name or the first of its aliases; -1 for none. */
  private static int written(AvroSchema.Field field, Map<String, Integer> written) {
    if (written.containsKey(field.name())) {
      return written.get(field.name());
    }
    return field.aliases().stream().filter(written::containsKey).findFirst().map(written::get).orElse(-1);
  }

  private static void requireNames(AvroSchema writer, AvroSchema reader) throws AvroSchema.Mismatch {
    if (!writer.shortName().equals(reader.shortName()) && !reader.aliases.contains(writer.name)) {
      throw new AvroSchema.Mismatch(writer.name + " is not " + reader.name + ".");
    }
  }

  private AvroRead symbols(AvroSchema writer, AvroSchema reader) throws AvroSchema.Mismatch {
    requireNames(writer, reader);
    Map<AvroSchema, AvroRead.Symbols> ofWriter = symbols.computeIfAbsent(writer, enumeration -> new IdentityHashMap<>());
    AvroRead.Symbols table = ofWriter.get(reader);
    if (table == null) {
      steps += writer.symbols.size() / SYMBOLS_PER_STEP;
      requireSteps();
      table = AvroRead.Symbols.of(writer, reader);
      ofWriter.put(reader, table);
    }
    return AvroRead.symbol(table, order++);
  }

  private AvroRead leaf(AvroSchema writer, AvroSchema reader) throws AvroSchema.Mismatch {
    if (writer.is("fixed")) {
      requireNames(writer, reader);
      if (writer.size != reader.size) {
        throw new AvroSchema.Mismatch("The sizes differ.");
      }
    }
    boolean bothTimes = writer.logical.contains("timestamp") && reader.logical.contains("timestamp");
    if (!writer.logical.isEmpty() && !reader.logical.isEmpty() && !writer.logical.equals(reader.logical) && !bothTimes) {
      throw new AvroSchema.Mismatch(writer.logical + " can't be read as " + reader.logical + ".");
    }
    boolean bothDecimals = writer.logical.equals("decimal") && reader.logical.equals("decimal");
    if (bothDecimals && (writer.precision != reader.precision || writer.scale != reader.scale)) {
      throw new AvroSchema.Mismatch("The decimals differ.");
    }
    return reader.logical.isEmpty() ? plain(writer, reader) : logical(writer, reader);
  }

  private AvroRead logical(AvroSchema writer, AvroSchema reader) throws AvroSchema.Mismatch {
    int here = order++;
    if (reader.logical.contains("timestamp")) {
      String unit = writer.logical.contains("timestamp") ? writer.logical : reader.logical;
      return AvroRead.instant(unit.endsWith("millis") ? 1_000 : unit.endsWith("micros") ? 1 : 0, writer.is("int"), here);
    }
    return switch (reader.logical) {
      case "date" -> AvroRead.day(here);
      case "decimal" -> {
        if (writer.is("string")) {
          throw new AvroSchema.Mismatch("a text can't be read as decimal.");
        }
        yield AvroRead.decimal(size(writer), reader.precision, reader.scale, here);
      }
      case "uuid" -> AvroRead.uuid(writer, here);
      default -> plain(writer, reader);
    };
  }

  private static AvroRead.Size size(AvroSchema writer) {
    int size = writer.size;
    return writer.is("fixed") ? in -> size : AvroBytes::whole;
  }

  private AvroRead plain(AvroSchema writer, AvroSchema reader) {
    int here = order++;
    return switch (writer.kind) {
      case "null" -> AvroRead.nothing();
      case "boolean" -> AvroRead.bool();
      case "int", "long" ->
          reader.is("float") || reader.is("double") ? AvroRead.wholeAsReal(reader.is("float"), writer.is("int"), here) : AvroRead.whole(writer.is("int"), here);
      case "float" -> AvroRead.single();
      case "double" -> AvroRead.real();
      case "string" -> reader.is("bytes") ? AvroRead.bytes(null, true) : AvroRead.text();
      case "bytes" -> reader.is("string") ? AvroRead.bytesAsText(here) : AvroRead.bytes(AvroBytes::whole, false);
      default -> AvroRead.bytes(size(writer), false);
    };
  }
}
