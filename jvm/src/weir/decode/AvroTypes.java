package weir.decode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Which types the values of a schema have: {@code jobs/formats/avro_types.py}. */
final class AvroTypes {
  private static final int MAX_DEPTH = 16;
  private static final int MAX_PRECISION = 38;
  private static final int MAX_MEMBER_NAME = 63;

  private int fields;

  private AvroTypes() {}

  /** Refuses schemas whose values have no type here: recursive ones, arrays of nothing, those that are too large. */
  static void require(AvroSchema schema) throws AvroSchema.Mismatch {
    AvroTypes types = new AvroTypes();
    if (!schema.is("record")) {
      types.check(schema, 0, List.of()); // members of a record in it have a path of one name
      return;
    }
    refuse(schema.fields.isEmpty());
    for (AvroSchema.Field field : schema.fields) {
      types.check(field.type(), 1, List.of(schema.name));
    }
  }

  private void check(AvroSchema node, int depth, List<String> above) throws AvroSchema.Mismatch {
    refuse(depth > MAX_DEPTH || above.size() > MAX_DEPTH || (!node.name.isEmpty() && above.contains(node.name)));
    switch (node.kind) {
      case "null" -> refuse(true);
      case "record" -> members(node, depth, with(above, node.name));
      case "array" -> {
        refuse(hasNoWidth(node.parts.get(0), new HashMap<>()));
        check(node.parts.get(0), Math.max(depth, 1), with(above, "array"));
      }
      case "map" -> check(node.parts.get(0), Math.max(depth, 1), with(above, "map"));
      case "union" -> union(node, depth, above);
      default -> refuse(node.logical.equals("decimal") && node.precision > MAX_PRECISION);
    }
  }

  private void members(AvroSchema node, int depth, List<String> above) throws AvroSchema.Mismatch {
    fields += node.fields.size();
    refuse(fields > AvroSchema.MAX_FIELDS || node.fields.isEmpty());
    for (AvroSchema.Field field : node.fields) {
      refuse(field.name().length() > MAX_MEMBER_NAME);
      check(field.type(), depth + 1, above);
    }
  }

  private void union(AvroSchema node, int depth, List<String> above) throws AvroSchema.Mismatch {
    List<AvroSchema> branches = branches(node);
    refuse(branches.isEmpty());
    if (branches.size() == 1) {
      check(branches.get(0), depth, above);
    } else if (merged(node) == null) {
      fields += branches.size();
      for (AvroSchema branch : branches) {
        check(branch, Math.max(depth, 1) + 1, above);
      }
    }
  }

  private static List<String> with(List<String> above, String name) {
    List<String> inside = new ArrayList<>(above);
    inside.add(name);
    return inside;
  }

  private static void refuse(boolean when) throws AvroSchema.Mismatch {
    if (when) {
      throw new AvroSchema.Mismatch("The schema has no type here.");
    }
  }

  private static boolean hasNoWidth(AvroSchema node, Map<String, Boolean> known) {
    if (!node.is("record")) {
      return node.is("null") || (node.is("fixed") && node.size == 0);
    }
    if (!known.containsKey(node.name)) {
      known.put(node.name, false); // what contains itself has no end
      known.put(node.name, node.fields.stream().allMatch(field -> hasNoWidth(field.type(), known)));
    }
    return known.get(node.name);
  }

  /** The branches of a union without null. */
  static List<AvroSchema> branches(AvroSchema union) {
    return union.parts.stream().filter(part -> !part.is("null")).toList();
  }

  /** The one type that holds every branch of a union of several, or null: then it is a struct of members. */
  static DataType merged(AvroSchema union) {
    Set<String> kinds = new TreeSet<>();
    for (AvroSchema branch : branches(union)) {
      kinds.add(branch.logical.isEmpty() ? branch.kind : branch.kind + " " + branch.logical);
    }
    if (kinds.equals(Set.of("int", "long"))) {
      return DataTypes.LongType;
    }
    return kinds.equals(Set.of("float", "double")) ? DataTypes.DoubleType : null;
  }

  /** The type of a schema's values; one for all places of a named type. */
  static DataType of(AvroSchema node) {
    if (node.type == null) {
      node.type = made(node);
    }
    return node.type;
  }

  private static DataType made(AvroSchema node) {
    return switch (node.kind) {
      case "record" -> struct(node.fields.stream().map(AvroSchema.Field::name).toList(), node.fields.stream().map(AvroSchema.Field::type).toList());
      case "array" -> DataTypes.createArrayType(of(node.parts.get(0)));
      case "map" -> DataTypes.createMapType(DataTypes.StringType, of(node.parts.get(0)));
      case "union" -> ofUnion(node);
      default -> ofLeaf(node);
    };
  }

  private static DataType ofUnion(AvroSchema node) {
    List<AvroSchema> branches = branches(node);
    if (branches.size() == 1) {
      return of(branches.get(0));
    }
    DataType merged = merged(node);
    List<String> names = new ArrayList<>();
    for (int member = 0; member < branches.size(); member++) {
      names.add("member" + member);
    }
    return merged == null ? struct(names, branches) : merged;
  }

  private static StructType struct(List<String> names, List<AvroSchema> types) {
    List<StructField> members = new ArrayList<>();
    for (int at = 0; at < names.size(); at++) {
      members.add(DataTypes.createStructField(names.get(at), of(types.get(at)), true));
    }
    return DataTypes.createStructType(members);
  }

  private static DataType ofLeaf(AvroSchema node) {
    if (node.logical.equals("date")) {
      return DataTypes.DateType;
    }
    if (node.logical.contains("timestamp")) {
      return DataTypes.TimestampType;
    }
    if (node.logical.equals("uuid")) {
      return DataTypes.StringType;
    }
    if (node.logical.equals("decimal")) {
      return DataTypes.createDecimalType(node.precision, node.scale);
    }
    return switch (node.kind) {
      case "boolean" -> DataTypes.BooleanType;
      case "int" -> DataTypes.IntegerType;
      case "long" -> DataTypes.LongType;
      case "float", "double" -> DataTypes.DoubleType;
      case "bytes", "fixed" -> DataTypes.BinaryType;
      default -> DataTypes.StringType;
    };
  }
}
